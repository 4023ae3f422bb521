import { describe, expect, it } from '@jest/globals';
import { groupLdif, personLdif, startSlapd } from '@overtone/testkit';
import { cleanUpAfterTest, stopAfterFile } from '@overtone/testkit/cleanup';
import { configFor, person, startScriptedDirectory } from '../../test/scripted-directory.ts';
import { answers, message, result } from '@overtone/testkit/ldap';
import { createDirectory, type Diagnosis, type DirectoryConfig } from '../index.ts';

const slapd = await stopAfterFile(startSlapd());
await slapd.apply(['alice', 'bob'].map((name) => personLdif(name)).join(''));
await slapd.apply(groupLdif('staff', [`uid=alice,${slapd.people}`]));
async function diagnose(more: Partial<DirectoryConfig> = {}): Promise<Diagnosis> {
  const good = configFor(slapd, {
    useTls: true,
    bindDn: slapd.bindDn,
    bindPassword: slapd.bindPassword,
    searchBase: slapd.people,
    userGroups: `cn=staff,${slapd.groups}`,
    recursiveGroups: true,
    caPem: slapd.caPem,
  });
  return await createDirectory({ ...good, ...more }).diagnose();
}

function failed({ steps }: Diagnosis): string[] {
  return steps.filter(({ ok }) => !ok).map(({ code }) => code);
}

describe('connection test', () => {
  it('runs every step in order, each with its duration and observation', async () => {
    const { ok, steps, server_info: info } = await diagnose();
    expect(steps.map(({ code }) => code)).toEqual([
      'config',
      'resolve',
      'connect',
      'start_tls',
      'tls',
      'bind',
      'root_dse',
      'clock',
      'search_base',
      'paging',
      'users',
      'immutable_id',
      'email',
      'group_attribute',
      'required_groups',
      'nested_groups',
      'lockout_policy',
    ]);
    expect(failed({ ok, steps, server_info: info })).toEqual([]);
    expect(ok).toBe(true);
    for (const step of steps) {
      expect(step.duration_ms).toBeGreaterThanOrEqual(0);
      expect(step.evidence).not.toBe('');
      expect(step.title).not.toBe('');
    }
    expect(info).toEqual({ vendor_name: 'OpenLDAP', vendor_version: null, naming_contexts: [slapd.base] });
  });

  it('warns about a directory with a lower lockout threshold', async () => {
    const { steps } = await diagnose();
    expect(steps.at(-1)).toMatchObject({ ok: true, advice: expect.stringContaining('below 3') });
  });

  // The mistake, and the step that must report it.
  const mistakes: [string, Partial<DirectoryConfig>, string][] = [
    ['no server', { server: '' }, 'config'],
    ['an invalid server address', { server: 'http://x' }, 'config'],
    ['a path in the server', { server: 'ldap://x/dc=x' }, 'config'],
    ['SSL and StartTLS together', { server: 'x', useSsl: true, useTls: true }, 'config'],
    ['ldaps:// and StartTLS together', { server: 'ldaps://x', useTls: true }, 'config'],
    ['an invalid port', { server: 'ldap://x:99999' }, 'config'],
    ['a search base that is no name', { searchBase: 'people' }, 'config'],
    ['no search base', { searchBase: '' }, 'config'],
    ['a service account that is no name', { bindDn: 'cn=a,b' }, 'config'],
    ['a service account without a password', { bindPassword: null }, 'config'],
    ['a filter that is none', { userSearchFilter: '(uid={username}' }, 'config'],
    ['a filter without a login', { userSearchFilter: '(uid=alice)' }, 'config'],
    ['a filter with a wildcard at the login', { userSearchFilter: '(uid={username}*)' }, 'config'],
    ['an attribute that is no name', { usernameAttr: 'u id' }, 'config'],
    ['groups that are no names', { userGroups: 'staff' }, 'config'],
    ['groups of administrators that are no names', { adminGroups: 'cn=a;admins' }, 'config'],
    ['an authority that is no certificate', { caPem: 'secret' }, 'config'],
    [
      'an authority that is a broken certificate',
      { caPem: '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----' },
      'config',
    ],
    ['a host name that does not resolve', { server: 'ldap://does-not-exist.invalid' }, 'resolve'],
    ['a closed port', { server: 'ldap://127.0.0.1:1' }, 'connect'],
    ['an authority that is not trusted', { caPem: null }, 'tls'],
    ['a wrong password of the service account', { bindPassword: 'wrong' }, 'bind'],
    ['a service account that does not exist', { bindDn: 'cn=missing,dc=example,dc=org' }, 'bind'],
    ['a search base that does not exist', { searchBase: 'ou=nowhere,dc=example,dc=org' }, 'search_base'],
    ['a filter that matches no user', { userSearchFilter: '(&(objectClass=device)(uid={username}))' }, 'users'],
    [
      'a login attribute that no user has',
      { usernameAttr: 'sAMAccountName', userSearchFilter: '(uid={username})' },
      'users',
    ],
    ['an e-mail attribute that no user has', { emailAttr: 'pager' }, 'email'],
    ['a required group that does not exist', { userGroups: 'cn=stuff,ou=groups,dc=example,dc=org' }, 'required_groups'],
    ['a required group that is a person', { userGroups: 'uid=alice,ou=people,dc=example,dc=org' }, 'required_groups'],
    [
      'a group of administrators that does not exist',
      { adminGroups: 'cn=boss,ou=groups,dc=example,dc=org' },
      'admin_groups',
    ],
  ];
  it.each(mistakes)('finds %s', async (_name, more, step) => {
    const diagnosis = await diagnose(more);
    expect(diagnosis.ok).toBe(false);
    expect(failed(diagnosis)[0]).toBe(step);
    for (const { ok, advice } of diagnosis.steps) if (!ok) expect(advice).toMatch(/\.$/);
  });

  it('detects LDAPS on the port of LDAP', async () => {
    const diagnosis = await diagnose({ server: `ldaps://localhost:${slapd.port}`, useTls: false });
    expect(failed(diagnosis)).toEqual(['tls']);
  });

  it('detects LDAP on the port of LDAPS', async () => {
    const diagnosis = await diagnose({ server: `ldap://localhost:${slapd.ldapsPort}`, timeoutSeconds: 10 });
    expect(failed(diagnosis)).toEqual(['start_tls']);
  });

  it('warns about clear text', async () => {
    const { ok, steps } = await diagnose({ useTls: false });
    expect(ok).toBe(true);
    expect(steps.find(({ code }) => code === 'tls')).toMatchObject({
      ok: true,
      advice: expect.stringContaining('clear text'),
    });
  });

  it('reports every server, and continues with the first that works', async () => {
    const diagnosis = await diagnose({ server: `ldap://127.0.0.1:1 ${slapd.url}` });
    expect(failed(diagnosis)).toEqual(['connect']);
    expect(diagnosis.steps.map(({ code }) => code)).toContain('lockout_policy');
  });

  it('detects different clocks', async () => {
    const server = await startScriptedDirectory({ root: { currentTime: '20200101000000.0Z' } });
    cleanUpAfterTest(server.stop);
    expect(failed(await createDirectory(configFor(server)).diagnose())).toContain('clock');
  });

  it('detects a server without paging', async () => {
    const server = await startScriptedDirectory({
      entries: [person('alice')],
      on: (asked, line) => {
        if (asked.kind !== 'search' || asked.page === undefined) return false;
        line.send(message(asked.id, result(answers.done, 12)));
        return true;
      },
    });
    cleanUpAfterTest(server.stop);
    expect(failed(await createDirectory(configFor(server)).diagnose())).toContain('paging');
  });

  it('ends at a silent server, and contains no secret', async () => {
    const server = await startScriptedDirectory({ on: () => true });
    cleanUpAfterTest(server.stop);
    const diagnosis = await createDirectory(
      configFor(server, { timeoutSeconds: 3, bindPassword: 'hunter2' }),
    ).diagnose();
    expect(failed(diagnosis)).toEqual(['bind']);
    expect(JSON.stringify(diagnosis)).not.toContain('hunter2');
  });
});
