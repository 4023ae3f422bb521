import { connect, createServer, type AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { AuthSettings } from '@overtone/contracts';
import { groupLdif } from '@overtone/testkit';
import { startDirectoryWorld, type DirectoryWorld } from '../../test/directory-world.ts';
import { addUser } from '../../test/running-identity.ts';
import { createChanges, type Behaviour } from '../../test/setting-world.ts';
import { keysOf } from './settings.ts';

let w: DirectoryWorld;
let changes: ReturnType<typeof createChanges>;
let groups = 0;
beforeAll(async () => {
  w = await startDirectoryWorld();
  changes = createChanges(w.identity, w.admin, { ldap_bind_password: w.slapd.bindPassword });
});
afterAll(() => w.stop());
afterEach(() => changes.reset());

type Person = Awaited<ReturnType<DirectoryWorld['person']>>;

function set(values: Partial<AuthSettings>) {
  return changes.set(values);
}

async function signIn(p: Person, as = p.uid) {
  return (await w.identity.signIn(as, p.password)).status;
}

async function group(...members: string[]): Promise<string> {
  const cn = `behaviour${(groups += 1)}`;
  await w.slapd.apply(groupLdif(cn, members));
  return `cn=${cn},${w.slapd.groups}`;
}

/** The status of a sign-in changes with the settings. */
function turns(before: Partial<AuthSettings>, from: number, after: Partial<AuthSettings>, to: number): Behaviour {
  return async () => {
    const p = await w.person();
    await set(before);
    expect(await signIn(p)).toBe(from);
    await set(after);
    expect(await signIn(p)).toBe(to);
  };
}

/** A proxy that delays every response of the directory. */
async function startSlowLine(port: number, delayMs: number) {
  const server = createServer((near) => {
    const far = connect(port, '127.0.0.1');
    near.pipe(far);
    far.on('data', (data) => void sleep(delayMs).then(() => near.writable && near.write(data)));
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const)
      one.on('error', () => {}).on('close', () => other.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { url: `ldap://127.0.0.1:${(server.address() as AddressInfo).port}`, stop: () => server.close() };
}

const behaviours: Record<string, Behaviour> = {
  ldap_enabled: turns({}, 200, { ldap_enabled: false }, 401),
  ldap_server: turns({}, 200, { ldap_server: 'ldap://127.0.0.1:9' }, 401),
  ldap_port: async () => turns({ ldap_server: '127.0.0.1', ldap_port: w.slapd.port }, 200, { ldap_port: 9 }, 401)(),
  ldap_use_ssl: async () =>
    turns(
      { ldap_server: 'localhost', ldap_port: w.slapd.ldapsPort, ldap_tls_ca: w.slapd.caPem },
      401,
      { ldap_use_ssl: true },
      200,
    )(),
  ldap_use_tls: turns({}, 200, { ldap_use_tls: true }, 401),
  ldap_tls_ca: async () => turns({ ldap_use_tls: true }, 401, { ldap_tls_ca: w.slapd.caPem }, 200)(),
  ldap_bind_dn: turns({}, 200, { ldap_bind_dn: 'cn=missing,dc=example,dc=org' }, 401),
  ldap_bind_password: turns({}, 200, { ldap_bind_password: 'not that one' }, 401),
  ldap_search_base: async () => turns({}, 200, { ldap_search_base: w.slapd.groups }, 401)(),
  ldap_username_attr: async () => {
    const p = await w.person(['employeeNumber: 4711']);
    expect(await signIn(p, '4711')).toBe(401);
    await set({ ldap_username_attr: 'employeeNumber' });
    expect(await signIn(p, '4711')).toBe(200);
  },
  ldap_email_attr: async () => {
    const p = await w.person(['labeledURI: other-address@example.org']);
    await set({ ldap_email_attr: 'labeledURI' });
    expect(await signIn(p)).toBe(200);
    expect(await w.account('other-address@example.org')).toMatchObject({ ldap_uid: p.uid });
  },
  ldap_name_attr: async () => {
    const p = await w.person(['displayName: Shown Name']);
    await set({ ldap_name_attr: 'displayName' });
    expect(await signIn(p)).toBe(200);
    expect(await w.account(p.email)).toMatchObject({ full_name: 'Shown Name' });
  },
  ldap_user_search_filter: turns(
    {},
    200,
    { ldap_user_search_filter: '(&({username_attr}={username})(employeeType=staff))' },
    401,
  ),
  ldap_timeout: async () => {
    const line = await startSlowLine(w.slapd.port, 1_100);
    await turns({ ldap_server: line.url, ldap_timeout: 1 }, 401, { ldap_timeout: 60 }, 200)();
    line.stop();
  },
  ldap_admin_users: async () => {
    const p = await w.person();
    await signIn(p);
    expect(await w.account(p.email)).toMatchObject({ role: 'user' });
    await set({ ldap_admin_users: `another, ${p.uid}` });
    await signIn(p);
    expect(await w.account(p.email)).toMatchObject({ role: 'admin' });
  },
  ldap_admin_groups: async () => {
    const p = await w.person();
    const admins = await group(p.dn);
    await signIn(p);
    expect(await w.account(p.email)).toMatchObject({ role: 'user' });
    await set({ ldap_admin_groups: admins });
    await signIn(p);
    expect(await w.account(p.email)).toMatchObject({ role: 'admin' });
  },
  ldap_user_groups: async () => {
    const [member, stranger] = [await w.person(), await w.person()];
    const required = await group(member.dn);
    expect([await signIn(member), await signIn(stranger)]).toEqual([200, 200]);
    await set({ ldap_user_groups: required });
    expect([await signIn(member), await signIn(stranger)]).toEqual([200, 401]);
  },
  ldap_recursive_groups: async () => {
    const p = await w.person();
    const outer = await group(await group(p.dn));
    await set({ ldap_user_groups: outer });
    expect(await signIn(p)).toBe(401);
    await set({ ldap_recursive_groups: true });
    expect(await signIn(p)).toBe(200);
  },
  ldap_group_attr: async () => {
    const other = await w.person();
    const required = await group(other.dn);
    const p = await w.person([`seeAlso: ${required}`]);
    await set({ ldap_user_groups: required });
    expect(await signIn(p)).toBe(401);
    await set({ ldap_group_attr: 'seeAlso' });
    expect(await signIn(p)).toBe(200);
  },
  ldap_email_verified: async () => {
    const p = await w.person();
    const local = await addUser(w.backends.sql, { email: p.email });
    expect(await signIn(p)).toBe(401);
    await set({ ldap_email_verified: true });
    expect(await signIn(p)).toBe(200);
    expect(await w.account(p.email)).toMatchObject({ uuid: local.id, auth_type: 'ldap' });
  },
};

describe('every setting of the directory is effective immediately', () => {
  it('none is missing', () => {
    expect(Object.keys(behaviours).sort()).toEqual(keysOf('ldap').sort());
  });
  it.each(Object.entries(behaviours))('%s', (_key, behaviour) => behaviour(), 60_000);
});
