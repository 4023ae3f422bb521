import { availableParallelism } from 'node:os';
import { ldapSettings, personLdif, startSlapd, type Slapd } from '@overtone/testkit';
import { hash, verify } from '@node-rs/argon2';
import { asService } from '@overtone/e2e/service-access';
import { Client as LdapClient } from 'ldapts';
import type { Bench, Row } from './bench.ts';
import { quantile } from './bench.ts';
import { bareCommits } from './commits.ts';
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

/** Alternates between both, so that other load on the machine affects both. */
export async function beside(
  seconds: number,
  ours: (value: number) => Promise<void>,
  peer: (value: number) => Promise<void>,
) {
  const rates = { ours: [] as number[], peer: [] as number[] };
  for (let round = 0; round < 3; round++) {
    rates.ours.push(await rate(seconds, ours));
    rates.peer.push(await rate(seconds, peer));
  }
  return { our: quantile(rates.ours, 0.5), peer: quantile(rates.peer, 0.5) };
}

export function rowOf(
  name: string,
  { our, peer }: { our: number; peer: number },
  peerName: string,
  goal: number | null,
): Row {
  return {
    name,
    ours: `${Math.round(our)}/s`,
    peer: `${peerName} ${Math.round(peer)}/s`,
    ratio: our / peer,
    goal: goal === null ? '' : `>= ${goal}`,
    met: goal === null || our / peer >= goal,
  };
}

/** Operations per second at a given concurrency. */
async function rate(seconds: number, work: (turn: number) => Promise<void>): Promise<number> {
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

/** Limits the number of concurrent operations. */
function limited(limit: number) {
  let free = limit;
  const waiting: (() => void)[] = [];
  return async (work: () => Promise<void>): Promise<void> => {
    if (free === 0) await new Promise<void>((go) => waiting.push(go));
    else free -= 1;
    try {
      await work();
    } finally {
      const next = waiting.shift();
      if (next) next();
      else free += 1;
    }
  };
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
      const inTurn = limited(hashesAtOnce);
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
        rowOf('sign-in: directory, beside its bare commits', kept, 'commits', null),
        rowOf('sign-in: local', local, 'argon2', 0.9),
      ];
    } finally {
      await entrance.set('ldap', { ldap_enabled: false });
      await Promise.all([bare.close(), commits.close()]);
      await slapd.stop();
    }
  },
};
