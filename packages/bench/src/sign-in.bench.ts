import { availableParallelism } from 'node:os';
import { ldapSettings, personLdif, startSlapd, type Slapd } from '@overtone/testkit';
import { hash, verify } from '@node-rs/argon2';
import { asService, openAsService } from '@overtone/e2e/service-access';
import { Client as LdapClient } from 'ldapts';
import pLimit from 'p-limit';
import type { Instance } from '@overtone/e2e/instance';
import { alternate, type Bench, type Row } from './bench.ts';
import { entranceOf, type Entrance } from './sign-in.tools.ts';

const people = 200;
const atOnce = 8;
const password = 'Correct-Horse-7-Battery';
/** The hash parameters of identity. */
const cost = { memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const;

/** The number of concurrent hashes of identity. */
const hashesAtOnce = Math.max(2, Math.min(4, availableParallelism()));

/** The minimal password check: search as the service account, bind as the entry. */
export async function bareClients(slapd: Slapd) {
  const pairs = await Promise.all(
    Array.from({ length: atOnce }, async () => {
      const search = new LdapClient({ url: slapd.url });
      await search.bind(slapd.bindDn, slapd.bindPassword);
      return { search, bind: new LdapClient({ url: slapd.url }) };
    }),
  );
  return {
    check: async (turn: number) => {
      const pair = pairs[turn % atOnce];
      if (!pair) throw new Error('no client');
      const { search, bind } = pair;
      const uid = `u${turn % people}`;
      const { searchEntries } = await search.search(slapd.people, {
        filter: `(uid=${uid})`,
        attributes: ['uid', 'mail', 'cn', 'memberOf', 'entryUUID'],
      });
      const [entry] = searchEntries;
      if (!entry) throw new Error(`${uid} is not in the directory`);
      await bind.bind(entry.dn, `${uid}-secret`);
    },
    close: async () => {
      for (const { search, bind } of pairs) await Promise.all([search.unbind(), bind.unbind()]);
    },
  };
}

async function entered(entrance: Entrance, name: string, secret: string): Promise<void> {
  const { status, text } = await entrance.enter(name, secret);
  if (status !== 200) throw new Error(`${name}: ${status} ${text}`);
}

type Operation = (turn: number) => Promise<void>;

/** Operations per second of both. */
export function beside(seconds: number, ours: Operation, peer: Operation) {
  return alternate(3, { our: () => rate(seconds, ours), peer: () => rate(seconds, peer) });
}

export function rowOf(
  name: string,
  { our, peer }: { our: number; peer: number },
  peerName: string,
  goal?: number,
): Row {
  return {
    name,
    ours: `${Math.round(our)}/s`,
    peer: `${peerName} ${Math.round(peer)}/s`,
    ratio: our / peer,
    ...(goal === undefined ? {} : { goal: `>= ${goal}`, met: our / peer >= goal }),
  };
}

/** Operations per second at a given concurrency. */
async function rate(seconds: number, work: Operation): Promise<number> {
  const until = performance.now() + seconds * 1000;
  const started = performance.now();
  let done = 0;
  const runner = async (first: number) => {
    for (let turn = first; performance.now() < until; turn += atOnce) {
      await work(turn);
      done += 1;
    }
  };
  await Promise.all(Array.from({ length: atOnce }, (_, i) => runner(i)));
  return (done * 1000) / (performance.now() - started);
}

/** Sign-ins per second, of directory and of local accounts. */
export const signInBench: Bench = {
  name: 'sign-in',
  about: 'sign-ins per second: directory compared with bare search and bind, local compared with bare argon2',
  run: async function* ({ size, instance }) {
    const running = await instance();
    const entrance = await entranceOf(running);
    const slapd = await startSlapd({ seed: Array.from({ length: people }, (_, i) => personLdif(`u${i}`)).join('\n') });
    const [bare, commits] = [await bareClients(slapd), await bareCommits(running, atOnce)];
    const seconds = Math.max(2, 4 * size);
    try {
      await entrance.set('ldap', ldapSettings(slapd));
      const directory = (turn: number) => entered(entrance, `u${turn % people}`, `u${turn % people}-secret`);
      // The accounts exist already, because a first sign-in has other costs.
      for (let i = 0; i < people; i++) await directory(i);
      const ldap = await beside(seconds, directory, bare.check);

      const stored = await hash(password, cost);
      const inTurn = pLimit(hashesAtOnce);
      await asService(running, 'identity', (query) =>
        query(
          `insert into "user" (email, full_name, password_hash)
           select 'bench' || n || '@example.org', 'Bench', $1 from generate_series(0, $2::int - 1) n
           on conflict do nothing`,
          [stored, people],
        ),
      );
      const local = await beside(
        seconds,
        (turn) => entered(entrance, `bench${turn % people}@example.org`, password),
        () => inTurn(async () => void (await verify(stored, password))),
      );
      // The lower bound of a sign-in that stores its session and its audit record.
      const kept = await beside(seconds, directory, commits.commit);
      yield* [
        rowOf('sign-in: directory', ldap, 'search + bind', 0.7),
        rowOf('sign-in: directory, beside its bare commits', kept, 'commits'),
        rowOf('sign-in: local', local, 'argon2', 0.9),
      ];
    } finally {
      await entrance.set('ldap', { ldap_enabled: false });
      await Promise.all([bare.close(), commits.close()]);
      await slapd.stop();
    }
  },
};

/**
 * The minimal writes of a sign-in: a session and an audit record in one durable transaction. This is the lower bound of
 * its duration.
 */
async function bareCommits(instance: Instance, atOnce: number) {
  const connections = await Promise.all(Array.from({ length: atOnce }, () => openAsService(instance, 'identity')));
  const owner = (await connections[0]?.ask(`select uuid from "user" where role = 'super_admin' limit 1`))?.[0]?.[
    'uuid'
  ];
  return {
    commit: async (turn: number): Promise<void> => {
      await connections[turn % atOnce]?.ask(
        `with session as (
           insert into refresh_token (session_id, user_id, token_hash, expires_at, absolute_expires_at)
           values (gen_random_uuid(), $1, gen_random_uuid()::text, now() + interval '1 minute', now() + interval '1 minute'))
         insert into audit_log (event_type, outcome, user_id) values ('auth.login.success', 'success', $1)`,
        [owner],
      );
    },
    close: async (): Promise<void> => void (await Promise.all(connections.map((connection) => connection.close()))),
  };
}
