import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { groupLdif, personLdif, startSlapd, type Slapd } from '@overtone/testkit';
import { createDirectory } from '../directory.ts';
import { ldapClaimKey } from '../dn/claim-key.ts';
import { recheckPeople } from './recheck.ts';
import type { DirectoryConfig } from '../model.ts';
import { readSnapshot } from './read-snapshot.ts';
import type { SnapshotPerson } from './snapshot-people.ts';

const base = 'dc=example,dc=org';

function personDn(value: number) {
  return `uid=user${value},ou=people,${base}`;
}

function groupDn(value: number) {
  return `cn=group${value},ou=groups,${base}`;
}

const people = [...Array(120).keys()];

/** Group n has every (n+2)nd person in it, and the groups after it, in circles. */
function members(value: number): string[] {
  return [
    ...people.filter((person) => person % (value + 2) === 0 && person > value * 7).map(personDn),
    ...(value < 9 ? [groupDn(value + 1)] : [groupDn(4)]),
  ];
}

const expired = personLdif('user7')
  .replace('objectClass: inetOrgPerson', 'objectClass: inetOrgPerson\nobjectClass: shadowAccount')
  .replace('sn: user7', 'sn: user7\nshadowExpire: 1');
const seed = [
  ...people.map((person) => (person === 7 ? expired : personLdif(`user${person}`))),
  ...[...Array(10).keys()].map((key) => groupLdif(`group${key}`, members(key))),
].join('\n');

// Everybody but the service account gets at most so many entries, pages or not.
const global = ['sizelimit 50'];

/** With the memberOf overlay the groups are added while it runs, so that it sees them. */
async function startDirectory(memberOf: boolean): Promise<Slapd> {
  if (!memberOf) return startSlapd({ seed, memberOf, global });
  const slapd = await startSlapd({ memberOf, global });
  await slapd.apply(seed);
  return slapd;
}

function configFor(slapd: Slapd, more: Partial<DirectoryConfig> = {}): DirectoryConfig {
  return {
    server: 'localhost',
    port: slapd.ldapsPort,
    useSsl: true,
    useTls: false,
    bindDn: slapd.bindDn,
    bindPassword: slapd.bindPassword,
    searchBase: base,
    usernameAttr: 'uid',
    emailAttr: 'mail',
    nameAttr: 'cn',
    groupAttr: 'memberOf',
    userSearchFilter: '(&(objectClass=inetOrgPerson)(uid={username}))',
    timeoutSeconds: 10,
    recursiveGroups: false,
    userGroups: groupDn(3),
    adminGroups: groupDn(8),
    adminUsers: 'user5',
    caPem: slapd.caPem,
    ...more,
  };
}

const mapped = [groupDn(1), groupDn(6), `cn=empty,ou=groups,${base}`];

async function snapshotPerson(config: DirectoryConfig) {
  const found = new Map<string, SnapshotPerson>();
  let requests = 0;
  const answer = await readSnapshot(config, {
    mapped,
    signal: new AbortController().signal,
    each: (person) => found.set(person.login, person),
    onRequest: () => (requests += 1),
  });
  return { answer, found, requests };
}

const wanted = new Set([...mapped, groupDn(3), groupDn(8)].map(ldapClaimKey));

function keysOf(values: readonly string[]) {
  return values
    .map(ldapClaimKey)
    .filter((key) => wanted.has(key))
    .sort();
}

describe.each([
  ['that keeps memberOf', true],
  ['whose groups alone know their members', false],
])('a directory %s', (_what, memberOf) => {
  let slapd: Slapd;
  beforeAll(async () => {
    slapd = await startDirectory(memberOf);
  });
  afterAll(() => slapd.stop());

  it('proves that the answer is whole: who answered whom, by what time, and what was read to its end', async () => {
    const { answer } = await snapshotPerson(configFor(slapd));
    const proof = answer.outcome === 'yes' ? answer.value.proof : [];
    expect(proof.map(({ code, evidence }) => [code, evidence])).toEqual([
      ['peer', expect.stringContaining(`ldaps://localhost:${slapd.ldapsPort}`)],
      ['bind', slapd.bindDn],
      ['clock', expect.stringMatching(/^\d{4}-/)],
      ['base', base],
      ['groups', '2 deciding groups exist, 5 looked at'],
      ['pages', expect.stringMatching(/read completely$/)],
      ['people', `${people.length} entries`],
      ['attributes', `of ${people.length} entries ${people.length} show uid, ${people.length} an immutable id`],
    ]);
  });

  it.each([false, true])(
    'is snapshotPerson with the answers that sign-in gets, nested groups counting: %s',
    async (nested) => {
      const config = configFor(slapd, { recursiveGroups: nested });
      const { answer, found } = await snapshotPerson(config);
      expect(answer).toMatchObject({ outcome: 'yes', value: { seen: people.length } });
      const directory = createDirectory(config);
      for (const number of people) {
        const asked = await directory.lookUp(`user${number}`);
        const person = found.get(`user${number}`);
        if (asked.outcome !== 'yes' || !person?.claims.known || !asked.value.groups.known)
          throw new Error(`no answer for user${number}`);
        const { immutableId, admitted, adminSignal, state, groups } = asked.value;
        expect({ ...person, claims: keysOf(person.claims.values), evidence: {} }).toEqual({
          id: immutableId,
          login: `user${number}`,
          disabled: state.disabled ? 'yes' : 'no',
          admitted,
          admin: adminSignal,
          claims: keysOf(groups.values),
          evidence: {},
        });
      }
      await directory.close();
    },
  );

  it('is looked at again for some, by the immutable id, over one connection, with the same answer', async () => {
    const config = configFor(slapd, { recursiveGroups: true });
    const { found } = await snapshotPerson(config);
    const known = ['user0', 'user7', 'user33'].map((login) => found.get(login) as SnapshotPerson);
    const gone = { id: 'entryUUID:00000000-0000-4000-8000-000000000000', login: 'user0' };
    const key = [...known.map(({ id }) => ({ id, login: null })), gone];
    const signal = new AbortController().signal;
    const answers = [];
    for await (const answer of recheckPeople(config, key, { signal, onRequest: () => undefined })) answers.push(answer);
    expect(answers).toHaveLength(4);
    for (const [i, { id: _, claims: __, evidence: ___, ...first }] of known.entries())
      expect(answers[i]).toMatchObject({ outcome: 'yes', value: first });
    expect(answers[3]).toEqual({ outcome: 'yes', value: null });
  });

  it('is asked as often as it has pages and groups, not people', async () => {
    const { requests } = await snapshotPerson(configFor(slapd, { recursiveGroups: true }));
    expect(requests).toBeLessThan(15);
  });

  it.each<[string, Partial<DirectoryConfig>, RegExp]>([
    ['a required group does not exist', { userGroups: `cn=renamed,ou=groups,${base}` }, /cn=renamed/],
    ['an admin group does not exist', { adminGroups: `cn=renamed,ou=groups,${base}` }, /cn=renamed/],
    ['the base does not exist', { searchBase: `ou=nowhere,${base}` }, /ou=nowhere/],
    ['the service account may not bind', { bindPassword: 'wrong' }, /bind/],
    ['the certificate is not trusted', { caPem: null }, /TLS failed/],
    ['no required group has a member', { userGroups: `ou=people,${base}` }, /required groups/],
    ['the filter is none', { userSearchFilter: '(uid=*' }, /./],
  ])('gives no answer when %s', async (_when, change, why) => {
    const { answer } = await snapshotPerson(configFor(slapd, change));
    expect(answer).toMatchObject({ outcome: 'unknown' });
    expect(answer.outcome === 'unknown' && answer.message).toMatch(why);
  });

  it('gives no answer when a limit of the server cuts it short', async () => {
    const asAdmin = { bindDn: personDn(1), bindPassword: 'user1-secret' };
    const { answer } = await snapshotPerson(configFor(slapd, { ...asAdmin, userGroups: '', adminGroups: '' }));
    expect(answer.outcome).toBe('unknown');
  });
});
