import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { startSambaAd, type SambaAd } from '@overtone/testkit/samba';
import { configFor } from '../test/scripted-directory.ts';
import { parseServers } from './wire/servers.ts';
import { createDirectory, type Directory, type DirectoryConfig } from './index.ts';

const securityGroup = -2_147_483_646;
const distributionGroup = 2;
const neverExpires = 65_536;
const undo: (() => Promise<void>)[] = [];
let ad: SambaAd;

function dn(cn: string): string {
  return `CN=${cn},CN=Users,${ad.base}`;
}

function password(name: string): string {
  return `S3cret!${name}`;
}

function account(name: string, { control = 512, lines = [] as readonly string[] } = {}): string {
  return [
    `dn: ${dn(name)}`,
    'objectClass: user',
    `sAMAccountName: ${name}`,
    `mail: ${name}@ad.example.org`,
    `unicodePwd:: ${Buffer.from(`"${password(name)}"`, 'utf16le').toString('base64')}`,
    `userAccountControl: ${control}`,
    ...lines,
    '\n',
  ].join('\n');
}

function group(name: string, members: readonly string[], type = securityGroup): string {
  return [
    `dn: ${dn(name)}`,
    'objectClass: group',
    `sAMAccountName: ${name}`,
    `groupType: ${type}`,
    ...members.map((member) => `member: ${dn(member)}`),
    '\n',
  ].join('\n');
}

function config(more: Partial<DirectoryConfig> = {}): DirectoryConfig {
  return configFor(ad, {
    port: 636,
    bindDn: ad.bindDn,
    bindPassword: ad.bindPassword,
    searchBase: ad.base,
    usernameAttr: 'sAMAccountName',
    userSearchFilter: '(&(objectClass=user)({username_attr}={username}))',
    recursiveGroups: true,
    caPem: ad.caPem,
    ...more,
  });
}

function directory(more: Partial<DirectoryConfig> = {}): Directory {
  const made = createDirectory(config(more));
  undo.push(made.close);
  return made;
}

async function signIn(name: string, secret = password(name), more: Partial<DirectoryConfig> = {}): Promise<string> {
  const answer = await directory(more).authenticate(name, secret);
  return answer.outcome === 'yes' ? answer.value.login : `${answer.outcome}: ${answer.reason}`;
}

async function groupsOf(name: string, more: Partial<DirectoryConfig> = {}): Promise<string[]> {
  const answer = await directory(more).lookUp(name);
  if (answer.outcome !== 'yes' || !answer.value.groups.known) throw new Error(JSON.stringify(answer));
  return answer.value.groups.values.map((one) => one.slice(3, one.indexOf(','))).sort();
}

// A domain controller binds the ports of LDAP themselves, which needs root; other users run the tests with those of
// the scripted directory and of OpenLDAP.
const asRoot = process.getuid?.() === 0;

describe('the settings of Active Directory', () => {
  it('name its servers by LDAPS', () => {
    const setting = {
      server: 'ldaps://dc1.ad.example.org ldaps://dc2.ad.example.org',
      port: 636,
      useSsl: true,
      useTls: false,
    };
    expect(parseServers(setting).map(({ security }) => security)).toEqual(['ldaps', 'ldaps']);
  });
});

if (asRoot) {
  describe('Active Directory (Samba)', () => {
    beforeAll(async () => {
      ad = await startSambaAd();
      const accounts = [
        ...['alice', 'bob', 'carol', 'dave', 'erin'].map((name) => account(name)),
        account('gone', { control: 514 }),
        account('late', { lines: ['accountExpires: 132000000000000000'] }),
        account('fresh', { lines: ['pwdLastSet: 0'] }),
        account('steady', { control: 512 + neverExpires }),
      ];
      await ad.apply(accounts.join(''));
      await ad.apply(
        [
          group('platform', ['alice']),
          group('engineering', ['platform', 'bob']),
          group('staff', ['engineering', 'dave']),
          group('announce', ['engineering'], distributionGroup),
          group('everyone', ['announce']),
          group('ring-a', ['carol']),
          group('ring-b', ['ring-a']),
          `dn: ${dn('ring-a')}\nchangetype: modify\nadd: member\nmember: ${dn('ring-b')}\n\n`,
        ].join('\n'),
      );
    });
    afterEach(async () => {
      for (const one of undo.splice(0)) await one();
    });
    afterAll(async () => {
      await ad.stop();
    });

    it('signs in over LDAPS and over StartTLS, with an id that survives renaming', async () => {
      const answer = await directory().authenticate('alice', password('alice'));
      expect(answer).toMatchObject({
        outcome: 'yes',
        value: {
          dn: dn('alice'),
          login: 'alice',
          email: 'alice@ad.example.org',
          immutableId: expect.stringMatching(
            /^objectGUID:[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/,
          ),
          state: { signIn: 'allowed', reason: null, disabled: false },
        },
      });
      const startTls = { server: `ldap://${ad.host}`, port: 389, useTls: true };
      expect(await signIn('ALICE', password('alice'), startTls)).toBe('alice');
      expect(await signIn('bob@ad.example.org', password('bob'))).toBe('bob');
    });

    it('is not spoken to in clear text', async () => {
      expect(await signIn('alice', password('alice'), { server: `ldap://${ad.host}`, port: 389 })).toBe(
        'unknown: config',
      );
    });

    it('refuses wrong passwords, strangers and injections', async () => {
      expect(await signIn('bob', 'wrong')).toBe('no: wrong_password');
      expect(await signIn('unknown', 'x')).toBe('no: not_found');
      for (const login of ['*', 'ali*', 'alice)(cn=*', '*)(|(cn=*'])
        expect(await signIn(login, password('alice'))).toBe('no: not_found');
      expect(await signIn('alice', '')).toBe('no: wrong_password');
    });

    it('tells disabled, expired and new accounts apart with the right password', async () => {
      expect(await signIn('gone')).toBe('no: account_disabled');
      expect(await signIn('late')).toBe('no: account_expired');
      expect(await signIn('fresh')).toBe('no: password_expired');
      expect(await signIn('steady')).toBe('steady');
    });

    it('gives the groups, the primary one with them', async () => {
      expect(await groupsOf('alice', { recursiveGroups: false })).toEqual(['Domain Users', 'platform']);
      expect(await groupsOf('erin', { recursiveGroups: false })).toEqual(['Domain Users']);
    });

    // What the in-chain rule of the server itself says, and the primary group with its own.
    it('counts groups in groups, distribution groups and circles too', async () => {
      const always = ['Domain Users', 'Users'];
      expect(await groupsOf('alice')).toEqual([...always, 'announce', 'engineering', 'everyone', 'platform', 'staff']);
      expect(await groupsOf('dave')).toEqual([...always, 'staff']);
      expect(await groupsOf('carol')).toEqual([...always, 'ring-a', 'ring-b']);
      expect(await groupsOf('erin')).toEqual(always);
    });

    it('admits by a group in a group only when that is set', async () => {
      const userGroups = dn('staff').toLowerCase();
      expect(await signIn('alice', password('alice'), { userGroups })).toBe('alice');
      expect(await signIn('alice', password('alice'), { userGroups, recursiveGroups: false })).toBe('no: not_admitted');
      expect(await signIn('erin', password('erin'), { userGroups })).toBe('no: not_admitted');
    });

    it('keeps the id of an account that is renamed', async () => {
      const idOf = async (login: string): Promise<string | null> => {
        const answer = await directory().lookUp(login);
        return answer.outcome === 'yes' ? answer.value.immutableId : null;
      };
      const before = await idOf('erin');
      await ad.apply(`dn: ${dn('erin')}\nchangetype: modrdn\nnewrdn: CN=Erin Renamed\ndeleteoldrdn: 1\n\n`);
      expect(await idOf('erin')).toBe(before);
    });

    it('passes the connection test', async () => {
      const { ok, steps, server_info: info } = await directory({ userGroups: dn('staff') }).diagnose();
      expect(steps.filter((step) => !step.ok)).toEqual([]);
      expect(ok).toBe(true);
      expect(info?.vendor_name).toContain('Samba');
      expect(steps.find(({ code }) => code === 'clock')?.evidence).toMatch(/differs by \d+ s/);
    });
  });
}
