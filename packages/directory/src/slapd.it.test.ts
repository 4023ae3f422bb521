import { describe, expect, it } from '@jest/globals';
import { groupLdif, personLdif, startSlapd } from '@overtone/testkit';
import { cleanUpAfterTest, stopAfterFile } from '@overtone/testkit/cleanup';
import { testSeed } from '@overtone/testkit/seed';
import * as fc from 'fast-check';
import { folded } from './dn/dn.ts';
import { createDirectory, type Directory, type DirectoryConfig, type Person } from './index.ts';

fc.configureGlobal({ seed: testSeed });

function uid(name: string): string {
  return `uid=${name},${slapd.people}`;
}

function cn(name: string): string {
  return `cn=${name},${slapd.groups}`;
}

const slapd = await stopAfterFile(startSlapd({ global: ['allow bind_anon_cred'] }));
const people = ['alice', 'bob', 'carol', 'dave', 'erin', 'frank', 'grace', 'heidi'];
await slapd.apply(people.map((name) => personLdif(name)).join(''));
await slapd.apply(personLdif('nomail', ['mail: not an address']));
await slapd.apply(personLdif('twin', ['mail: alice@example.org']));
await slapd.apply(
  [
    String.raw`dn: uid=o\,dd\+one,${slapd.people}`,
    'objectClass: inetOrgPerson',
    'uid: o,dd+one',
    'cn: Odd',
    'sn: Odd',
    'mail: odd@example.org',
    'userPassword: odd-secret',
    '\n',
  ].join('\n'),
);
await slapd.apply(
  [
    groupLdif('platform', [uid('alice')]),
    groupLdif('engineering', [cn('platform'), uid('bob')]),
    groupLdif('staff', [cn('engineering'), uid('dave')]),
    groupLdif('ring-a', [uid('carol')]),
    groupLdif('ring-b', [cn('ring-a')]),
    `dn: ${cn('ring-a')}\nchangetype: modify\nadd: member\nmember: ${cn('ring-b')}\n\n`,
  ].join('\n'),
);
function config(more: Partial<DirectoryConfig> = {}): DirectoryConfig {
  return {
    server: `ldap://localhost:${slapd.port}`,
    port: 636,
    useSsl: true,
    useTls: true,
    bindDn: slapd.bindDn,
    bindPassword: slapd.bindPassword,
    searchBase: slapd.base,
    usernameAttr: 'uid',
    emailAttr: 'mail',
    nameAttr: 'cn',
    groupAttr: 'memberOf',
    userSearchFilter: '(&(objectClass=inetOrgPerson)({username_attr}={username}))',
    timeoutSeconds: 30,
    recursiveGroups: true,
    userGroups: '',
    adminGroups: '',
    adminUsers: '',
    caPem: slapd.caPem,
    ...more,
  };
}

function directory(more: Partial<DirectoryConfig> = {}): Directory {
  const made = createDirectory(config(more));
  cleanUpAfterTest(made.close);
  return made;
}

async function signIn(name: string, password = `${name}-secret`, more: Partial<DirectoryConfig> = {}): Promise<string> {
  const answer = await directory(more).authenticate(name, password);
  return answer.outcome === 'yes' ? answer.value.login : `${answer.outcome}: ${answer.reason}`;
}

async function groupsOf(name: string, more: Partial<DirectoryConfig> = {}): Promise<string[]> {
  const answer = await directory(more).lookUp(name);
  if (answer.outcome !== 'yes' || !answer.value.groups.known) throw new Error(JSON.stringify(answer));
  return answer.value.groups.values.map((dn) => dn.slice(3, dn.indexOf(','))).sort();
}

describe('OpenLDAP', () => {
  const ways: [string, () => Partial<DirectoryConfig>][] = [
    ['in clear text', () => ({ useTls: false })],
    ['over StartTLS', () => ({})],
    ['over LDAPS', () => ({ server: `ldaps://localhost:${slapd.ldapsPort}`, useTls: false })],
    ['by its address', () => ({ server: `127.0.0.1`, port: slapd.ldapsPort, useTls: false })],
  ];
  it.each(ways)('signs in %s, with the groups and what the entry says', async (_name, more) => {
    const answer = await directory(more()).authenticate('alice', 'alice-secret');
    expect(answer).toMatchObject({
      outcome: 'yes',
      value: {
        dn: uid('alice'),
        login: 'alice',
        email: 'alice@example.org',
        name: 'Person alice',
        immutableId: expect.stringMatching(/^entryUUID:[0-9a-f-]{36}$/),
        groups: { known: true, values: [cn('platform'), cn('engineering'), cn('staff')] },
        admitted: 'yes',
        adminSignal: 'no',
        state: { signIn: 'allowed', reason: null, disabled: false },
      },
    });
  });

  it.each([
    ['EXAMPLE\\alice', 'yes'],
    ['example\\ALICE', 'yes'],
    ['OTHER\\alice', 'no'],
    ['EXAMPLE\\alice\\x', 'no'],
  ])('signs in a login of Windows with the name of its own domain only: %s', async (login, outcome) => {
    expect(await directory().authenticate(login, 'alice-secret')).toMatchObject({ outcome });
  });

  it.each(ways)('refuses a wrong password %s', async (_name, more) => {
    expect(await signIn('bob', 'wrong', more())).toBe('no: wrong_password');
    expect(await signIn('bob', 'bob-secret', more())).toBe('bob');
  });

  it('refuses an untrusted certificate', async () => {
    expect(await signIn('alice', 'alice-secret', { caPem: null })).toBe('unknown: tls_failed');
  });

  it('finds by e-mail address, and refuses an address that two have', async () => {
    expect(await signIn('bob@example.org', 'bob-secret')).toBe('bob');
    expect(await signIn('BOB@EXAMPLE.ORG', 'bob-secret')).toBe('bob');
    expect(await signIn('alice@example.org', 'alice-secret')).toBe('no: ambiguous');
  });

  it('gives the login in its own spelling', async () => {
    expect(await signIn('ALICE', 'alice-secret')).toBe('alice');
  });

  it('signs in a person whose name needs escapes', async () => {
    expect(await signIn('o,dd+one', 'odd-secret')).toBe('o,dd+one');
  });

  it('does not know whom it does not hold, and refuses who has no address', async () => {
    expect(await signIn('unknown')).toBe('no: not_found');
    expect(await signIn('nomail')).toBe('no: no_email');
  });

  it('takes no empty password although the server would', async () => {
    expect(await signIn('alice', '')).toBe('no: wrong_password');
    expect(await signIn('alice', ' ')).toBe('no: wrong_password');
  });

  it.each([
    '*',
    'a*',
    'alice)(uid=bob',
    '*)(|(uid=*',
    '\\2a',
    'alice\\00',
    '(uid=alice)',
    'alice)(cn=*',
    'ali\u200bce*',
  ])('takes %j for a name and nothing else', async (login) => {
    expect(await signIn(login, 'alice-secret')).toBe('no: not_found');
  });

  it('finds no user by a generated login, or exactly the named user', async () => {
    const one = directory({ recursiveGroups: false });
    const pieces = [
      'alice',
      'bob',
      '*',
      '(',
      ')',
      '\\',
      '\\2a',
      '|',
      '&',
      '!',
      '=',
      'uid',
      ' ',
      'é',
      'ａ',
      '@example.org',
      '\u{1f600}',
    ];
    const login = fc.array(fc.constantFrom(...pieces), { minLength: 1, maxLength: 6 }).map((parts) => parts.join(''));
    await fc.assert(
      fc.asyncProperty(login, async (typed) => {
        const answer = await one.lookUp(typed);
        if (answer.outcome === 'yes') expect([answer.value.login, answer.value.email]).toContain(folded(typed));
        else expect(answer.outcome).toBe('no');
      }),
      { numRuns: 1000 },
    );
  });
});

describe('groups on OpenLDAP', () => {
  it('count in groups when that is set', async () => {
    expect(await groupsOf('alice')).toEqual(['engineering', 'platform', 'staff']);
    expect(await groupsOf('alice', { recursiveGroups: false })).toEqual(['platform']);
    expect(await groupsOf('dave')).toEqual(['staff']);
    expect(await groupsOf('erin')).toEqual([]);
  });

  it('end where they go in a circle', async () => {
    expect(await groupsOf('carol')).toEqual(['ring-a', 'ring-b']);
  });

  it('admit by a group in a group only when that is set', async () => {
    const userGroups = cn('staff').toUpperCase();
    expect(await signIn('alice', 'alice-secret', { userGroups })).toBe('alice');
    expect(await signIn('alice', 'alice-secret', { userGroups, recursiveGroups: false })).toBe('no: not_admitted');
    expect(await signIn('erin', 'erin-secret', { userGroups })).toBe('no: not_admitted');
    expect(await signIn('erin', 'erin-secret', { userGroups: `${userGroups},${cn('ring-a')}` })).toBe(
      'no: not_admitted',
    );
  });

  it('give the same answer where the server keeps no memberOf', async () => {
    const plain = await startSlapd({ memberOf: false });
    cleanUpAfterTest(plain.stop);
    await plain.apply(['alice', 'bob', 'erin'].map((name) => personLdif(name)).join(''));
    await plain.apply(
      [
        groupLdif('platform', [uid('alice')]),
        groupLdif('engineering', [cn('platform'), uid('bob')]),
        groupLdif('staff', [cn('engineering')]),
      ].join(''),
    );
    const more = { server: plain.url, caPem: plain.caPem };
    expect(await groupsOf('alice', more)).toEqual(['engineering', 'platform', 'staff']);
    expect(await groupsOf('alice', { ...more, recursiveGroups: false })).toEqual(['platform']);
    expect(await groupsOf('erin', more)).toEqual([]);
  });
});

describe('accounts on OpenLDAP', () => {
  const modify = async (name: string, lines: string): Promise<void> =>
    await slapd.apply(`dn: ${uid(name)}\nchangetype: modify\n${lines}\n\n`);

  it('that the directory has locked after failures stay locked with the right password', async () => {
    for (let i = 0; i < 3; i += 1) expect(await signIn('frank', 'wrong')).toBe('no: wrong_password');
    expect(await signIn('frank')).toBe('no: account_locked');
  });

  it('that an administrator has locked are refused, and never counted as gone', async () => {
    await modify('grace', 'replace: pwdAccountLockedTime\npwdAccountLockedTime: 000001010000Z');
    const answer = await directory().authenticate('grace', 'grace-secret');
    expect(answer).toMatchObject({ outcome: 'no', reason: 'account_locked', person: { state: { disabled: false } } });
  });

  it('whose password was reset by an administrator have to change it first', async () => {
    await modify('heidi', 'replace: pwdReset\npwdReset: TRUE');
    expect(await signIn('heidi')).toBe('no: password_expired');
  });

  it('keep their immutable id when they are renamed, and get another when they are recreated', async () => {
    const idOf = async (login: string): Promise<Person['immutableId']> => {
      const answer = await directory().lookUp(login);
      return answer.outcome === 'yes' ? answer.value.immutableId : null;
    };
    await slapd.apply(personLdif('ivan'));
    const before = await idOf('ivan');
    await slapd.apply(`dn: ${uid('ivan')}\nchangetype: modrdn\nnewrdn: uid=iwan\ndeleteoldrdn: 1\n\n`);
    expect(await idOf('iwan')).toBe(before);
    await slapd.apply(`dn: ${uid('iwan')}\nchangetype: delete\n\n`);
    await slapd.apply(personLdif('ivan'));
    const after = await idOf('ivan');
    expect(after).toMatch(/^entryUUID:/);
    expect(after).not.toBe(before);
  });

  it('see a change of a group at the next sign-in', async () => {
    const one = directory({ userGroups: cn('staff') });
    expect((await one.authenticate('bob', 'bob-secret')).outcome).toBe('yes');
    await slapd.apply(`dn: ${cn('staff')}\nchangetype: modify\ndelete: member\nmember: ${cn('engineering')}\n\n`);
    expect(await one.authenticate('bob', 'bob-secret')).toMatchObject({ outcome: 'no', reason: 'not_admitted' });
    await slapd.apply(`dn: ${cn('staff')}\nchangetype: modify\nadd: member\nmember: ${cn('engineering')}\n\n`);
    expect((await one.authenticate('bob', 'bob-secret')).outcome).toBe('yes');
  });
});

describe('OpenLDAP that goes away and comes back', () => {
  it('answers unknown while it is down, and signs in when it is up again', async () => {
    const own = await startSlapd();
    cleanUpAfterTest(own.stop);
    await own.apply(personLdif('alice'));
    const made = directory({ server: own.url, caPem: own.caPem });
    expect((await made.authenticate('alice', 'alice-secret')).outcome).toBe('yes');
    await own.kill9();
    expect(await made.authenticate('alice', 'alice-secret')).toMatchObject({
      outcome: 'unknown',
      reason: 'unreachable',
    });
    await own.restart();
    expect((await made.authenticate('alice', 'alice-secret')).outcome).toBe('yes');
  });

  it('is replaced by the next server while it is down', async () => {
    const own = await startSlapd();
    await own.apply(personLdif('alice'));
    await own.stop();
    const servers = `${own.url} ldap://localhost:${slapd.port}`;
    expect(await signIn('alice', 'alice-secret', { server: servers })).toBe('alice');
  });

  it('that closes idle connections is asked over new ones', async () => {
    const own = await startSlapd({ global: ['idletimeout 1'] });
    cleanUpAfterTest(own.stop);
    await own.apply(personLdif('alice'));
    const made = directory({ server: own.url, caPem: own.caPem });
    expect((await made.authenticate('alice', 'alice-secret')).outcome).toBe('yes');
    // Allowed: the server closes connections that are idle for a second, and the client does not show it.
    await new Promise((resolve) => setTimeout(resolve, 2500));
    expect((await made.authenticate('alice', 'alice-secret')).outcome).toBe('yes');
  });

  it('serves a crowd over a few connections', async () => {
    const made = directory();
    const answers = await Promise.all(
      Array.from({ length: 200 }, async () => await made.authenticate('dave', 'dave-secret')),
    );
    expect(new Set(answers.map(({ outcome }) => outcome))).toEqual(new Set(['yes']));
  });
});
