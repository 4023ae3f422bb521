import { groupLdif, ldapSettings, personLdif, startSlapd } from '@overtone/testkit';
import { asService } from '@overtone/e2e/service-access';
import type { Bench, Row } from './bench.ts';
import { entranceOf, type Entrance } from './sign-in.tools.ts';

const goal = 0.55;
const atOnce = 12;
/** Accounts for each cause that stay usable after a failure. */
const fresh = 400;

/** The probability that a failure of one cause takes longer than one of the other; 0.5: not distinguishable. */
function separation(left: readonly number[], right: readonly number[]): number {
  const all = [...left.map((ms) => ({ ms, first: true })), ...right.map((ms) => ({ ms, first: false }))];
  all.sort((x, y) => x.ms - y.ms);
  let ranks = 0;
  for (const [i, { first }] of all.entries()) if (first) ranks += i + 1;
  const auc = (ranks - (left.length * (left.length + 1)) / 2) / (left.length * right.length);
  return Math.max(auc, 1 - auc);
}

function shuffled<T>(items: T[]): T[] {
  for (let i = items.length - 1; i > 0; i--) {
    const other = Math.floor(Math.random() * (i + 1));
    [items[i], items[other]] = [items[other] as T, items[i] as T];
  }
  return items;
}

type Causes = Record<string, (turn: number) => [username: string, password: string]>;
type Sampled = { times: Map<string, number[]>; answers: Set<string> };

/** Failed sign-ins of all causes, in random order. */
async function sample(entrance: Entrance, causes: Causes, count: number): Promise<Sampled> {
  const names = Object.keys(causes);
  const times = new Map(names.map((name) => [name, [] as number[]]));
  const answers = new Set<string>();
  const work = Array.from({ length: count }, (_, turn) => shuffled(names.map((name) => ({ name, turn })))).flat();
  const client = async () => {
    for (let next = work.shift(); next; next = work.shift()) {
      const [username, secret] = causes[next.name]?.(next.turn) ?? ['', ''];
      const { status, text, ms } = await entrance.enter(username, secret);
      times.get(next.name)?.push(ms);
      answers.add(`${status} ${text.replace(/"request_id":"[^"]*"/, '')}`);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, client));
  return { times, answers };
}

/** Compares every pair of causes; the most distinguishable pair of each cause counts. */
function tableRows(prefix: string, { times, answers }: Sampled): Row[] {
  const all = [...times];
  const rows = all.map(([name, mine]): Row => {
    const [worst] = all
      .filter(([other]) => other !== name)
      .map(([other, theirs]) => ({ other, auc: separation(mine, theirs) }))
      .toSorted((x, y) => y.auc - x.auc);
    const auc = worst?.auc ?? 1;
    return {
      name: `refusal: ${prefix}${name}`,
      ours: `AUC ${auc.toFixed(3)}`,
      peer: worst?.other ?? '',
      goal: `<= ${goal}`,
      met: auc <= goal,
    };
  });
  const count = all.reduce((sum, [, mine]) => sum + mine.length, 0);
  return [
    ...rows,
    {
      name: `refusals: ${prefix}different answers in ${count}`,
      ours: String(answers.size),
      goal: '1',
      met: answers.size === 1,
    },
  ];
}

/** Whether the duration of a failed sign-in reveals its cause. */
export const signInTimingBench: Bench = {
  name: 'sign-in-timing',
  about: 'whether the duration or the size of a failed sign-in reveals its cause',
  run: async function* ({ size, instance }) {
    const samples = Math.max(100, Math.round(2_000 * size));
    const running = await instance();
    const entrance = await entranceOf(running);
    const numbered = (prefix: string, count: number) => Array.from({ length: count }, (_, i) => `${prefix}${i}`);
    const inside = [...numbered('wrong', fresh), ...numbered('pending', fresh), ...numbered('linked', fresh), 'locked'];
    const allUids = [...inside, ...numbered('outside', fresh)];
    const dn = (uid: string) => `uid=${uid},ou=people,dc=example,dc=org`;
    const slapd = await startSlapd({ seed: allUids.map((uid) => personLdif(uid)).join('\n') });
    await slapd.apply(groupLdif('staff', inside.map(dn)));
    const sql = (text: string, values: unknown[] = []) =>
      asService(running, 'identity', (query) => query(text, values));
    try {
      await entrance.set('ldap', { ...ldapSettings(slapd), ldap_user_groups: `cn=staff,${slapd.groups}` });
      // A high threshold, so that only the account `locked` is locked.
      await entrance.set('lockout', { account_lockout_threshold: 100 });
      await sql(
        `insert into "user" (email, auth_type, ldap_uid, approval_status, locked_until)
         select n || '@example.org', 'ldap', n,
                case when n like 'pending%' then 'pending' else 'approved' end,
                case when n = 'locked' then now() + interval '1 day' end
         from unnest($1::text[]) n on conflict do nothing`,
        [[...numbered('wrong', fresh), ...numbered('pending', fresh), 'locked']],
      );
      await sql(
        `insert into "user" (email, password_hash)
         select n || '@example.org', (select password_hash from "user" where role = 'super_admin' limit 1)
         from unnest($1::text[]) n on conflict do nothing`,
        [[...numbered('linked', fresh), ...numbered('local', fresh)]],
      );
      const causes: Causes = {
        'unknown user': (i) => [`unknown${i}`, 'x'],
        'wrong password, directory': (i) => [`wrong${i % fresh}`, 'x'],
        'wrong password, local': (i) => [`local${i % fresh}@example.org`, 'x'],
        locked: () => ['locked', 'locked-secret'],
        pending: (i) => [`pending${i % fresh}`, `pending${i % fresh}-secret`],
        'refused link': (i) => [`linked${i % fresh}`, `linked${i % fresh}-secret`],
        'not admitted': (i) => [`outside${i % fresh}`, `outside${i % fresh}-secret`],
      };
      yield* tableRows('', await sample(entrance, causes, samples));
      // Without a directory the responses must not reveal which accounts exist either.
      await entrance.set('ldap', { ldap_server: '127.0.0.1', ldap_port: 1, ldap_bind_password: slapd.bindPassword });
      yield* tableRows('directory down, ', await sample(entrance, causes, Math.ceil(samples / 2)));
    } finally {
      await entrance.set('ldap', { ldap_enabled: false, ldap_user_groups: '' });
      await entrance.set('lockout', { account_lockout_threshold: null });
      await slapd.stop();
    }
  },
};
