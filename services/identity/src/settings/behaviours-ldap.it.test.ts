import { connect, createServer, type AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it } from '@jest/globals';
import type { AuthSettings } from '@overtone/contracts';
import { groupLdif } from '@overtone/testkit';
import { startDirectoryWorld, type DirectoryWorld } from '../../test/directory-world.ts';
import { addUser } from '../../test/running-identity.ts';
import { createChanges, type Behaviour } from '../../test/setting-world.ts';
import { keysOf } from './settings.ts';

let groups = 0;
const world = await startDirectoryWorld();
const changes = createChanges(world.identity, world.admin, { ldap_bind_password: world.slapd.bindPassword });
afterEach(() => changes.reset());

type Person = Awaited<ReturnType<DirectoryWorld['person']>>;

function set(values: Partial<AuthSettings>) {
  return changes.set(values);
}

async function signIn(person: Person, as = person.uid) {
  return (await world.identity.signIn(as, person.password)).status;
}

async function group(...members: string[]): Promise<string> {
  const cn = `behaviour${(groups += 1)}`;
  await world.slapd.apply(groupLdif(cn, members));
  return `cn=${cn},${world.slapd.groups}`;
}

/** The status of a sign-in changes with the settings. */
function turns(before: Partial<AuthSettings>, from: number, after: Partial<AuthSettings>, to: number): Behaviour {
  return async () => {
    const person = await world.person();
    await set(before);
    expect(await signIn(person)).toBe(from);
    await set(after);
    expect(await signIn(person)).toBe(to);
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
  ldap_port: async () => turns({ ldap_server: '127.0.0.1', ldap_port: world.slapd.port }, 200, { ldap_port: 9 }, 401)(),
  ldap_use_ssl: async () =>
    turns(
      { ldap_server: 'localhost', ldap_port: world.slapd.ldapsPort, ldap_tls_ca: world.slapd.caPem },
      401,
      { ldap_use_ssl: true },
      200,
    )(),
  ldap_use_tls: turns({}, 200, { ldap_use_tls: true }, 401),
  ldap_tls_ca: async () => turns({ ldap_use_tls: true }, 401, { ldap_tls_ca: world.slapd.caPem }, 200)(),
  ldap_bind_dn: turns({}, 200, { ldap_bind_dn: 'cn=missing,dc=example,dc=org' }, 401),
  ldap_bind_password: turns({}, 200, { ldap_bind_password: 'not that one' }, 401),
  ldap_search_base: async () => turns({}, 200, { ldap_search_base: world.slapd.groups }, 401)(),
  ldap_username_attr: async () => {
    const person = await world.person(['employeeNumber: 4711']);
    expect(await signIn(person, '4711')).toBe(401);
    await set({ ldap_username_attr: 'employeeNumber' });
    expect(await signIn(person, '4711')).toBe(200);
  },
  ldap_email_attr: async () => {
    const person = await world.person(['labeledURI: other-address@example.org']);
    await set({ ldap_email_attr: 'labeledURI' });
    expect(await signIn(person)).toBe(200);
    expect(await world.account('other-address@example.org')).toMatchObject({ ldap_uid: person.uid });
  },
  ldap_name_attr: async () => {
    const person = await world.person(['displayName: Shown Name']);
    await set({ ldap_name_attr: 'displayName' });
    expect(await signIn(person)).toBe(200);
    expect(await world.account(person.email)).toMatchObject({ full_name: 'Shown Name' });
  },
  ldap_user_search_filter: turns(
    {},
    200,
    { ldap_user_search_filter: '(&({username_attr}={username})(employeeType=staff))' },
    401,
  ),
  ldap_timeout: async () => {
    const line = await startSlowLine(world.slapd.port, 1_100);
    await turns({ ldap_server: line.url, ldap_timeout: 1 }, 401, { ldap_timeout: 60 }, 200)();
    line.stop();
  },
  ldap_admin_users: async () => {
    const person = await world.person();
    await signIn(person);
    expect(await world.account(person.email)).toMatchObject({ role: 'user' });
    await set({ ldap_admin_users: `another, ${person.uid}` });
    await signIn(person);
    expect(await world.account(person.email)).toMatchObject({ role: 'admin' });
  },
  ldap_admin_groups: async () => {
    const person = await world.person();
    const admins = await group(person.dn);
    await signIn(person);
    expect(await world.account(person.email)).toMatchObject({ role: 'user' });
    await set({ ldap_admin_groups: admins });
    await signIn(person);
    expect(await world.account(person.email)).toMatchObject({ role: 'admin' });
  },
  ldap_user_groups: async () => {
    const [member, stranger] = [await world.person(), await world.person()];
    const required = await group(member.dn);
    expect([await signIn(member), await signIn(stranger)]).toEqual([200, 200]);
    await set({ ldap_user_groups: required });
    expect([await signIn(member), await signIn(stranger)]).toEqual([200, 401]);
  },
  ldap_recursive_groups: async () => {
    const person = await world.person();
    const outer = await group(await group(person.dn));
    await set({ ldap_user_groups: outer });
    expect(await signIn(person)).toBe(401);
    await set({ ldap_recursive_groups: true });
    expect(await signIn(person)).toBe(200);
  },
  ldap_group_attr: async () => {
    const other = await world.person();
    const required = await group(other.dn);
    const person = await world.person([`seeAlso: ${required}`]);
    await set({ ldap_user_groups: required });
    expect(await signIn(person)).toBe(401);
    await set({ ldap_group_attr: 'seeAlso' });
    expect(await signIn(person)).toBe(200);
  },
  ldap_email_verified: async () => {
    const person = await world.person();
    const local = await addUser(world.backends.sql, { email: person.email });
    expect(await signIn(person)).toBe(401);
    await set({ ldap_email_verified: true });
    expect(await signIn(person)).toBe(200);
    expect(await world.account(person.email)).toMatchObject({ uuid: local.id, auth_type: 'ldap' });
  },
};

describe('every setting of the directory is effective immediately', () => {
  it('none is missing', () => {
    expect(Object.keys(behaviours).sort()).toEqual(keysOf('ldap').sort());
  });
  it.each(Object.entries(behaviours))('%s', (_key, behaviour) => behaviour());
});
