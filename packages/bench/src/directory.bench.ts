import { createDirectory, type Directory } from '@overtone/directory';
import { personLdif, startSlapd, type Slapd } from '@overtone/testkit';
import { quantile, type Bench, type Row } from './bench.ts';
import { bareClients, beside, rowOf } from './sign-in.bench.ts';

const people = 5000;
const groups = 60;
const base = 'dc=example,dc=org';

function group(value: number): string {
  return `cn=g${value},ou=groups,${base}`;
}

function uid(value: number): string {
  return `uid=u${value},ou=people,${base}`;
}

/** Each group except the first is in another: three to four levels. */
function above(value: number): number {
  return Math.floor((value - 1) / 4);
}

/** Each person is in two groups; `memberOf` is explicit, because overlays do not process an offline import. */
function seed(): string {
  const of = (value: number) => [value % groups, (value * 7 + 3) % groups];
  const members = Array.from({ length: groups }, (): string[] => []);
  const persons = Array.from({ length: people }, (_, index) => {
    for (const group of of(index)) members[group]?.push(uid(index));
    return personLdif(`u${index}`, [...new Set(of(index).map((place) => `memberOf: ${group(place)}`))]);
  });
  for (let index = 1; index < groups; index++) members[above(index)]?.push(group(index));
  const listed = members.map((list, index) =>
    [
      `dn: ${group(index)}\nobjectClass: groupOfNames\ncn: g${index}`,
      ...(index === 0 ? [] : [`memberOf: ${group(above(index))}`]),
      ...new Set(list.map((dn) => `member: ${dn}`)),
      '',
    ].join('\n'),
  );
  return [...persons, ...listed].join('\n');
}

function directoryOf(slapd: Slapd, recursiveGroups: boolean): Directory {
  return createDirectory({
    server: slapd.url,
    port: 389,
    useSsl: false,
    useTls: false,
    bindDn: slapd.bindDn,
    bindPassword: slapd.bindPassword,
    searchBase: slapd.people,
    usernameAttr: 'uid',
    emailAttr: 'mail',
    nameAttr: 'cn',
    groupAttr: 'memberOf',
    userSearchFilter: '({username_attr}={username})',
    timeoutSeconds: 10,
    recursiveGroups,
    userGroups: '',
    adminGroups: '',
    adminUsers: '',
    caPem: null,
  });
}

async function enter(directory: Directory, value: number): Promise<number> {
  const started = performance.now();
  const answer = await directory.authenticate(`u${value}`, `u${value}-secret`);
  if (answer.outcome !== 'yes') throw new Error(`u${value}: ${answer.message}`);
  return performance.now() - started;
}

/** The cost of nested groups, alternating between both kinds of sign-ins. */
async function addedByGroups(flat: Directory, nested: Directory, turns: number): Promise<Row> {
  const times = { flat: [] as number[], nested: [] as number[] };
  for (let turn = 0; turn < turns; turn++) {
    const index = (turn * 37) % people;
    times.flat.push(await enter(flat, index));
    times.nested.push(await enter(nested, index));
  }
  const [with95, without95] = [quantile(times.nested, 0.95), quantile(times.flat, 0.95)];
  return {
    name: 'directory: groups in groups, p95',
    ours: `${with95.toFixed(1)} ms`,
    peer: `without ${without95.toFixed(1)} ms`,
    goal: 'adds <= 15 ms',
    met: with95 - without95 <= 15,
  };
}

export const directoryBench: Bench = {
  name: 'directory',
  about: 'sign-ins with a directory, compared with a bare search and bind; cost of nested groups',
  run: async function* ({ size }) {
    const slapd = await startSlapd({ seed: seed() });
    const bare = await bareClients(slapd);
    const [flat, nested] = [directoryOf(slapd, false), directoryOf(slapd, true)];
    try {
      const rates = await beside(
        Math.max(1, 2 * size),
        async (index) => void (await enter(flat, index % people)),
        bare.check,
      );
      const groupsRow = await addedByGroups(flat, nested, Math.max(200, Math.round(1000 * size)));
      yield* [rowOf('directory: search and bind', rates, 'ldapts', 0.7), groupsRow];
    } finally {
      await Promise.all([flat.close(), nested.close(), bare.close()]);
      await slapd.stop();
    }
  },
};
