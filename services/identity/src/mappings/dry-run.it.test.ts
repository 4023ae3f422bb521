import { beforeEach, describe, expect, it } from '@jest/globals';
import { groupLdif } from '@overtone/testkit';
import { startDirectoryWorld, type DirectoryWorld } from '../../test/directory-world.ts';
import { rowsHash } from '../../test/rows-hash.ts';

const world = await startDirectoryWorld();
beforeEach(async () => {
  await world.backends.sql.query('delete from group_mapping');
  await world.set('ldap', { ldap_admin_users: '', ldap_admin_groups: '', ldap_user_groups: '', ldap_enabled: true });
});

const path = '/api/admin/group-mappings';
type Person = Awaited<ReturnType<DirectoryWorld['person']>>;

async function dryRun(json: object) {
  const { status, body } = await world.identity.ask(`${path}/test`, {
    caller: world.admin,
    json: { source: 'ldap', ...json },
  });
  return { status, body };
}

async function map(claim_value: string, gives: { group_uuid?: string; grants_role?: string }): Promise<void> {
  await world.identity.ask(path, { caller: world.admin, json: { source: 'ldap', claim_value, ...gives } });
}
let count = 0;

async function newGroup(): Promise<string> {
  const { body } = await world.identity.ask('/api/groups', {
    caller: world.admin,
    json: { name: `Dry run ${(count += 1)}` },
  });
  return String(body['uuid']);
}

/** A group of the directory with these people in it. */
async function newLdapGroup(members: readonly Person[]): Promise<string> {
  const cn = `crew${(count += 1)}`;
  await world.slapd.apply(groupLdif(cn, [`cn=missing,${world.slapd.base}`, ...members.map((member) => member.dn)]));
  return `cn=${cn},${world.slapd.groups}`;
}

async function standing({ email }: Person) {
  const user = await world.account(email);
  const { rows } = await world.backends.sql.query<{ group_id: string; source: string }>(
    'select group_id, source from user_group_member where user_id = $1 order by group_id',
    [user?.['uuid']],
  );
  return {
    role: user?.['role'],
    groups: rows.map((row) => row.group_id),
    sources: [...new Set(rows.map((row) => row.source))],
  };
}

describe('the dry run by user name', () => {
  it('reads the groups of the person from the directory, resolves them as a sign-in does, and writes nothing', async () => {
    const ada = await world.person();
    const [mapped, other] = [await newLdapGroup([ada]), await newLdapGroup([ada])];
    const group = await newGroup();
    await map(mapped.toUpperCase(), { group_uuid: group, grants_role: 'admin' });
    const before = await rowsHash(world.backends.sql);
    const { status, body } = await dryRun({ username: ada.uid });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      matched_claims: [mapped],
      unmatched_claims: [other],
      groups: [{ uuid: group }],
      grants_role: 'admin',
      legacy_admin: false,
      effective_role: 'admin',
    });
    expect(new Set(body['claim_values'] as string[])).toEqual(new Set([mapped, other]));
    expect((await dryRun({ username: ada.email })).body).toEqual(body);
    expect(await rowsHash(world.backends.sql)).toBe(before);
    expect(await world.account(ada.email)).toBeUndefined();
  });

  it.each(['ldap_admin_users', 'ldap_admin_groups'])('shows that the legacy signal of %s fires', async (key) => {
    const bob = await world.person();
    const crew = await newLdapGroup([bob]);
    expect((await dryRun({ username: bob.uid })).body).toMatchObject({ legacy_admin: false, effective_role: 'user' });
    await world.set('ldap', { [key]: key === 'ldap_admin_users' ? bob.uid : crew.toUpperCase() });
    expect((await dryRun({ username: bob.uid })).body).toMatchObject({
      grants_role: null,
      legacy_admin: true,
      effective_role: 'admin',
    });
  });

  it('also shows a person who is in no required group', async () => {
    const eve = await world.person();
    const crew = await newLdapGroup([eve]);
    await world.set('ldap', { ldap_user_groups: await newLdapGroup([]) });
    expect(await dryRun({ username: eve.uid })).toMatchObject({ status: 200, body: { claim_values: [crew] } });
  });

  it('responds 404 for a person without directory entry', async () => {
    expect(await dryRun({ username: 'unknown-login' })).toMatchObject({
      status: 404,
      body: { code: 'not_found', detail: 'User not found in LDAP' },
    });
    expect((await dryRun({ username: '*' })).status).toBe(404);
  });

  it('responds 400 while LDAP is disabled', async () => {
    await world.set('ldap', { ldap_enabled: false });
    expect(await dryRun({ username: 'ada' })).toMatchObject({ status: 400, body: { code: 'ldap_disabled' } });
  });
});

describe('sign-in after the dry run', () => {
  it('has exactly the result of the dry run', async () => {
    const people = await Promise.all(Array.from({ length: 8 }, () => world.person()));
    const crews = await Promise.all(
      Array.from({ length: 6 }, (_, i) => newLdapGroup(people.filter((_p, index) => (index * 7 + i * 5) % 3 === 0))),
    );
    const groups = await Promise.all([newGroup(), newGroup(), newGroup()]);
    for (const [i, crew] of crews.entries())
      await map(crew, {
        ...(i < 5 ? { group_uuid: groups[i % 3] as string } : {}),
        ...(i > 3 ? { grants_role: i === 4 ? 'user' : 'admin' } : {}),
      });
    await world.set('ldap', { ldap_admin_users: String(people[1]?.uid) });
    const shown = await Promise.all(people.map((person) => dryRun({ username: person.uid })));
    for (const person of people) expect((await world.identity.signIn(person.uid, person.password)).status).toBe(200);
    for (const [i, value] of people.entries()) {
      const body: Record<string, unknown> = shown[i]?.body ?? {};
      const now = await standing(value);
      expect([now.role, now.groups]).toEqual([
        body['effective_role'],
        (body['groups'] as { uuid: string }[]).map((group) => group.uuid).toSorted(),
      ]);
      expect(now.sources).toEqual(now.groups.length > 0 ? ['ldap'] : []);
    }
    expect(shown.filter((source) => source.body['effective_role'] === 'admin').length).toBeGreaterThan(1);
  });

  it('revokes groups of deleted mappings and of removed directory groups', async () => {
    const kim = await world.person();
    const [answer, other] = [await newLdapGroup([kim]), await newLdapGroup([kim])];
    const [toA, toB] = [await newGroup(), await newGroup()];
    await map(answer, { group_uuid: toA });
    await map(other, { group_uuid: toB });
    await world.identity.signIn(kim.uid, kim.password);
    expect((await standing(kim)).groups).toEqual([toA, toB].toSorted());
    await world.slapd.apply(`dn: ${other}\nchangetype: delete\n\n`);
    await world.identity.signIn(kim.uid, kim.password);
    expect((await standing(kim)).groups).toEqual([toA]);
    const list = (await world.identity.ask(path, { caller: world.admin })).body as unknown as { uuid: string }[];
    for (const mapping of list)
      await world.identity.ask(`${path}/${mapping.uuid}`, { caller: world.admin, method: 'DELETE' });
    expect((await standing(kim)).groups).toEqual([toA]);
    await world.identity.signIn(kim.uid, kim.password);
    expect((await standing(kim)).groups).toEqual([]);
  });

  it('ends the earlier sessions when the directory revokes the role; the new session stays valid', async () => {
    const lea = await world.person();
    const crew = await newLdapGroup([lea]);
    await map(crew, { grants_role: 'admin' });
    const first = await world.identity.session(lea.uid, lea.password);
    expect(await world.identity.resolve(first.accessToken)).toMatchObject({ role: 'admin' });
    await world.slapd.apply(`dn: ${crew}\nchangetype: delete\n\n`);
    const second = await world.identity.session(lea.uid, lea.password);
    expect(await world.identity.resolve(first.accessToken)).toBeNull();
    expect(await world.identity.resolve(second.accessToken)).toMatchObject({ role: 'user' });
    expect(
      (await world.audited(lea.email)).filter((record) => record.event_type === 'ADMIN_ROLE_CHANGE'),
    ).toMatchObject([{ details: { from: 'user', to: 'admin' } }, { details: { from: 'admin', to: 'user' } }]);
  });
});

describe('while the directory is unreachable', () => {
  it('the dry run by user name responds 503, the one by claims still works', async () => {
    await world.ask({ ldap_server: 'ldap://127.0.0.1:9' });
    const { status, headers, body } = await world.identity.ask(`${path}/test`, {
      caller: world.admin,
      json: { source: 'ldap', username: 'ada' },
    });
    expect([status, body['code'], headers.get('retry-after')]).toEqual([503, 'directory_unavailable', '5']);
    expect((await dryRun({ claim_values: ['x'] })).status).toBe(200);
    await world.ask({ ldap_server: world.slapd.url });
  });
});
