import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { identityRpc, type Role } from '@overtone/contracts';
import type { Caller } from '@overtone/service-kit';
import { waitFor } from '@overtone/testkit';
import { setUpIdentity, addUser, collectEvents } from '../../test/running-identity.ts';

const { backends, identity } = await setUpIdentity();
const root = await newCaller('admin');

async function newCaller(role: Role = 'user'): Promise<Caller> {
  const { id } = await addUser(backends.sql, { role });
  return { userId: id, sessionId: randomUUID(), role, tokenExpiresAt: Date.now() + 60_000 };
}
let count = 0;

async function newGroup(): Promise<string> {
  const { body } = await identity.ask('/api/groups', { caller: root, json: { name: `Team ${(count += 1)}` } });
  return String(body['uuid']);
}

function get(caller: Caller, path: string) {
  return identity.ask(path, { caller });
}

function send(caller: Caller, method: string, path: string, json?: unknown) {
  return identity.ask(path, { caller, method, json });
}

function add(caller: Caller, group: string, user: string, role?: string) {
  return send(caller, 'POST', `/api/groups/${group}/members`, { user_uuid: user, role });
}

async function listed(caller: Caller, query = ''): Promise<string[]> {
  return ((await get(caller, `/api/groups${query}`)).body as unknown as { uuid: string }[]).map((group) => group.uuid);
}

async function audited(event: string, group: string) {
  const { rows } = await backends.sql.query<{ actor: string; user_id: string; details: object }>(
    "select actor, user_id, username, details from audit_log where event_type = $1 and details ->> 'group' = $2",
    [event, group],
  );
  return rows;
}

async function versionOf(userId: string): Promise<number> {
  return (
    (await backends.sql.query<{ v: number }>('select membership_version as v from "user" where uuid = $1', [userId]))
      .rows[0]?.v ?? -1
  );
}

async function byDirectory(group: string, user: string, source = 'ldap') {
  return backends.sql.query('insert into user_group_member (group_id, user_id, source) values ($1, $2, $3)', [
    group,
    user,
    source,
  ]);
}

async function mapTo(group: string | null, role: string | null = null, source = 'ldap'): Promise<string> {
  return (
    (
      await backends.sql.query<{ uuid: string }>(
        'insert into group_mapping (source, claim_value, group_id, grants_role) values ($1, $2, $3, $4) returning uuid',
        [source, `claim ${(count += 1)}`, group, role],
      )
    ).rows[0]?.uuid ?? ''
  );
}

describe('groups', () => {
  it('are created by administrators, which publishes an event', async () => {
    const events = collectEvents(backends.bus, 'evt.identity.group.changed.v1');
    const { status, body } = await send(root, 'POST', '/api/groups', { name: ' Choir ', description: 'Sings' });
    expect(status).toBe(201);
    expect(body).toMatchObject({ name: 'Choir', description: 'Sings', member_count: 0, my_role: null, members: [] });
    await waitFor(() => events.some((event) => event['groupId'] === body['uuid'] && event['name'] === 'Choir'));
    expect(await audited('group.create', String(body['uuid']))).toMatchObject([{ actor: root.userId }]);
    expect((await send(await newCaller(), 'POST', '/api/groups', { name: 'Mine' })).status).toBe(403);
  });

  it('have unique names, independent of case', async () => {
    await send(root, 'POST', '/api/groups', { name: 'Ärzte' });
    const again = await send(root, 'POST', '/api/groups', { name: 'ärzte' });
    expect([again.status, again.body['code']]).toEqual([409, 'group_name_taken']);
    const other = await newGroup();
    const renamed = await send(root, 'PUT', `/api/groups/${other}`, { name: 'ÄRZTE' });
    expect([renamed.status, renamed.body['code']]).toEqual([409, 'group_name_taken']);
    const same = await Promise.all([1, 2, 3].map(() => send(root, 'POST', '/api/groups', { name: 'At once' })));
    expect(same.map((answer) => answer.status).toSorted((left, right) => left - right)).toEqual([201, 409, 409]);
  });

  it('are listed to their members, and all of them to administrators', async () => {
    const [firstGroup, secondGroup, member] = [await newGroup(), await newGroup(), await newCaller()];
    await add(root, firstGroup, member.userId);
    expect(await listed(member)).toEqual([firstGroup]);
    expect(await listed(await newCaller('admin'))).toEqual(expect.arrayContaining([firstGroup, secondGroup]));
    expect(await listed(await newCaller())).toEqual([]);
  });

  it('are found by a part of their name, without wildcards', async () => {
    const { body } = await send(root, 'POST', '/api/groups', { name: '100%_sure' });
    expect(await listed(root, '?q=%25_S')).toEqual([body['uuid']]);
    expect(await listed(root, '?q=%25x_')).toEqual([]);
  });

  it('show their members to members and administrators only', async () => {
    const [group, member, stranger] = [await newGroup(), await newCaller(), await newCaller()];
    await add(root, group, member.userId);
    const { body } = await get(member, `/api/groups/${group}`);
    expect(body).toMatchObject({
      my_role: 'member',
      member_count: 1,
      members: [{ user_id: member.userId, role: 'member', source: 'manual' }],
    });
    expect((await get(await newCaller('admin'), `/api/groups/${group}`)).status).toBe(200);
    const refused = await get(stranger, `/api/groups/${group}`);
    const unknown = await get(stranger, `/api/groups/${randomUUID()}`);
    expect([refused.status, refused.body['detail']]).toEqual([404, unknown.body['detail']]);
  });

  it('are renamed by their managers and administrators', async () => {
    const [group, manager, member] = [await newGroup(), await newCaller(), await newCaller()];
    await add(root, group, manager.userId, 'manager');
    await add(root, group, member.userId);
    const { status, body } = await send(manager, 'PUT', `/api/groups/${group}`, { description: 'New' });
    expect([status, body['description']]).toEqual([200, 'New']);
    for (const other of [member, await newCaller()])
      expect((await send(other, 'PUT', `/api/groups/${group}`, { name: 'Taken over' })).status).toBe(404);
    expect((await audited('group.update', group)).map((record) => record.actor)).toEqual([manager.userId]);
  });

  it.each([[{}], [{ name: '' }], [{ name: '  ' }], [{ name: 'x'.repeat(201) }], [{ name: 'a\0' }], [[]]])(
    'refuse the body %j with 422',
    async (json) => {
      expect((await send(root, 'POST', '/api/groups', json)).status).toBe(422);
    },
  );

  it('are deleted with their memberships and with mappings that grant nothing else', async () => {
    const [group, member, manager] = [await newGroup(), await newCaller(), await newCaller()];
    await add(root, group, member.userId);
    await add(root, group, manager.userId, 'manager');
    const [only, both] = [await mapTo(group), await mapTo(group, 'admin')];
    const deleted = collectEvents(backends.bus, 'evt.identity.group.deleted.v1');
    const moved = collectEvents(backends.bus, 'evt.identity.membership.changed.v1');
    expect((await send(manager, 'DELETE', `/api/groups/${group}`)).status).toBe(403);
    expect((await send(root, 'DELETE', `/api/groups/${group}`)).status).toBe(204);
    await waitFor(() => deleted.some((event) => event['groupId'] === group));
    await waitFor(
      () => moved.filter((event) => event['version'] === 2 && (event['groupIds'] as []).length === 0).length === 2,
    );
    const { rows } = await backends.sql.query(
      'select uuid, group_id, grants_role from group_mapping where uuid = any($1)',
      [[only, both]],
    );
    expect(rows).toEqual([{ uuid: both, group_id: null, grants_role: 'admin' }]);
    expect(await audited('group.delete', group)).toMatchObject([{ details: { members: 2, mappings_deleted: 1 } }]);
    expect((await send(root, 'DELETE', `/api/groups/${group}`)).status).toBe(404);
  });

  it('are deleted exactly once while people join them', async () => {
    const group = await newGroup();
    const people = await Promise.all(Array.from({ length: 12 }, () => newCaller()));
    const answers = await Promise.all([
      ...people.map((person) => add(root, group, person.userId)),
      send(root, 'DELETE', `/api/groups/${group}`),
      send(root, 'DELETE', `/api/groups/${group}`),
    ]);
    const statuses = answers.map((answer) => answer.status);
    expect(statuses.filter((status) => status === 204)).toHaveLength(1);
    expect(statuses.every((status) => [201, 204, 404].includes(status))).toBe(true);
    const joined = answers.filter((answer) => answer.status === 201).length;
    const versions = await Promise.all(people.map((person) => versionOf(person.userId)));
    expect(versions.toSorted((left, right) => left - right)).toEqual(
      people.map((_p, i) => (i < people.length - joined ? 0 : 2)),
    );
  });
});

describe('manual members', () => {
  it('are added as member or manager, counted and published with all groups of the person', async () => {
    const [firstGroup, secondGroup, user] = [await newGroup(), await newGroup(), await newCaller()];
    const events = collectEvents(backends.bus, 'evt.identity.membership.changed.v1');
    expect((await add(root, firstGroup, user.userId)).body).toMatchObject({ role: 'member', source: 'manual' });
    expect((await add(root, secondGroup, user.userId, 'manager')).body).toMatchObject({ role: 'manager' });
    await waitFor(() => events.filter((event) => event['userId'] === user.userId).length === 2);
    expect(events.filter((event) => event['userId'] === user.userId)).toEqual([
      { userId: user.userId, groupIds: [firstGroup], version: 1 },
      { userId: user.userId, groupIds: [firstGroup, secondGroup].sort(), version: 2 },
    ]);
    expect(await audited('group.member.add', firstGroup)).toMatchObject([{ actor: root.userId, user_id: user.userId }]);
  });

  it('are named in the audit record of every change', async () => {
    const [group, user] = [await newGroup(), await newCaller()];
    const { rows } = await backends.sql.query('select email from "user" where uuid = $1', [user.userId]);
    const username = (rows as { email: string }[])[0]?.email;
    const path = `/api/groups/${group}/members/${user.userId}`;
    await add(root, group, user.userId);
    await send(root, 'PUT', path, { role: 'manager' });
    await send(root, 'DELETE', path);
    for (const change of ['add', 'update', 'remove'])
      expect(await audited(`group.member.${change}`, group)).toMatchObject([{ user_id: user.userId, username }]);
  });

  it('are added once', async () => {
    const [group, user] = [await newGroup(), await newCaller()];
    const all = await Promise.all([1, 2, 3, 4].map(() => add(root, group, user.userId)));
    expect(all.map((answer) => answer.status).toSorted((left, right) => left - right)).toEqual([201, 409, 409, 409]);
    expect(await versionOf(user.userId)).toBe(1);
  });

  it('are changed by managers of the group and administrators; to others the group does not exist', async () => {
    const [group, manager, member, other] = [await newGroup(), await newCaller(), await newCaller(), await newCaller()];
    await add(root, group, manager.userId, 'manager');
    expect((await add(manager, group, member.userId)).status).toBe(201);
    const path = `/api/groups/${group}/members/${member.userId}`;
    for (const caller of [member, other]) {
      expect((await add(caller, group, other.userId)).status).toBe(404);
      expect((await send(caller, 'PUT', path, { role: 'manager' })).status).toBe(404);
    }
    expect((await send(other, 'DELETE', path)).status).toBe(404);
    expect((await send(manager, 'PUT', path, { role: 'manager' })).body).toMatchObject({ role: 'manager' });
    expect(await audited('group.member.update', group)).toMatchObject([{ details: { from: 'member', to: 'manager' } }]);
    expect((await send(manager, 'DELETE', path)).status).toBe(204);
    expect(await audited('group.member.remove', group)).toMatchObject([{ user_id: member.userId }]);
    expect([await listed(member), await versionOf(member.userId)]).toEqual([[], 2]);
  });

  it('may leave the group', async () => {
    const [group, member] = [await newGroup(), await newCaller()];
    await add(root, group, member.userId);
    expect((await send(member, 'DELETE', `/api/groups/${group}/members/${member.userId}`)).status).toBe(204);
    expect((await get(member, `/api/groups/${group}`)).status).toBe(404);
  });

  it('are not found for an unknown group, account or membership', async () => {
    const [group, user] = [await newGroup(), await newCaller()];
    expect((await add(root, randomUUID(), user.userId)).status).toBe(404);
    expect((await add(root, group, randomUUID())).status).toBe(404);
    expect((await send(root, 'DELETE', `/api/groups/${group}/members/${user.userId}`)).status).toBe(404);
    expect((await send(root, 'PUT', `/api/groups/${group}/members/${user.userId}`, { role: 'member' })).status).toBe(
      404,
    );
    expect((await send(root, 'PUT', `/api/groups/x/members/${user.userId}`, { role: 'member' })).status).toBe(400);
    expect((await add(root, group, user.userId, 'owner')).status).toBe(422);
  });
});

describe('members from a directory', () => {
  it('are distinguished from manual ones by the membership source, manual by default', async () => {
    const [group, user] = [await newGroup(), await newCaller()];
    await backends.sql.query('insert into user_group_member (group_id, user_id) values ($1, $2)', [group, user.userId]);
    const { body } = await get(root, `/api/groups/${group}`);
    expect(body['members']).toMatchObject([{ user_id: user.userId, source: 'manual' }]);
    await expect(byDirectory(group, user.userId, 'scim')).rejects.toThrow('ck_user_group_member_source');
  });

  const removed = (caller: Caller, group: string, user: string) =>
    send(caller, 'DELETE', `/api/groups/${group}/members/${user}`);

  it('are not removed manually, because the next sign-in would add them again', async () => {
    const [group, user] = [await newGroup(), await newCaller()];
    await mapTo(group);
    await byDirectory(group, user.userId);
    for (const caller of [root, user]) {
      const { status, body } = await removed(caller, group, user.userId);
      expect([status, body['code']]).toEqual([409, 'membership_from_directory']);
      expect(body['detail']).toContain('next sign-in or sync run');
    }
    expect(await versionOf(user.userId)).toBe(0);
  });

  it('are removed manually once no mapping of their source grants the group', async () => {
    const [group, user] = [await newGroup(), await newCaller()];
    await mapTo(group, null, 'oidc');
    await byDirectory(group, user.userId);
    expect((await removed(root, group, user.userId)).status).toBe(204);
  });

  it('become manual when a person adds them, too', async () => {
    const [group, user] = [await newGroup(), await newCaller()];
    await mapTo(group);
    await byDirectory(group, user.userId);
    expect((await add(root, group, user.userId)).body).toMatchObject({ source: 'manual' });
    expect((await add(root, group, user.userId)).status).toBe(409);
    expect((await removed(root, group, user.userId)).status).toBe(204);
  });

  it('may be made managers manually', async () => {
    const [group, user] = [await newGroup(), await newCaller()];
    await byDirectory(group, user.userId);
    const path = `/api/groups/${group}/members/${user.userId}`;
    expect((await send(root, 'PUT', path, { role: 'manager' })).body).toMatchObject({
      role: 'manager',
      source: 'ldap',
    });
  });
});

describe('rpc memberships', () => {
  it('returns users who are or were in a group, in pages by id', async () => {
    const [group, first, second] = [await newGroup(), await newCaller(), await newCaller()];
    await add(root, group, first.userId);
    await add(root, group, second.userId);
    await send(root, 'DELETE', `/api/groups/${group}/members/${second.userId}`);
    const all: { userId: string; groupIds: string[]; version: number }[] = [];
    for (let after: string | null = null; ; after = all.at(-1)?.userId ?? null) {
      const request = JSON.stringify({ after, limit: 3 });
      const reply = await backends.bus.request(identityRpc.memberships.subject, request, { timeout: 30_000 });
      const page = reply.json<{ ok: { users: typeof all } }>().ok.users;
      all.push(...page);
      if (page.length < 3) break;
    }
    expect(all.map((user) => user.userId)).toEqual([...new Set(all.map((user) => user.userId))].sort());
    expect(all).toContainEqual({ userId: first.userId, groupIds: [group], version: 1 });
    expect(all).toContainEqual({ userId: second.userId, groupIds: [], version: 2 });
    expect(all.some((user) => user.userId === root.userId)).toBe(false);
  });
});

describe('rpc reader-groups', () => {
  it('returns the current groups of one person', async () => {
    const [person, first, second] = [await newCaller(), await newGroup(), await newGroup()];
    const groupsOf = async (userId: string) => {
      const reply = await backends.bus.request(identityRpc.readerGroups.subject, JSON.stringify({ userId }));
      return reply.json<{ ok: { groupIds: string[] } }>().ok.groupIds;
    };
    await add(root, first, person.userId);
    await add(root, second, person.userId);
    expect(await groupsOf(person.userId)).toEqual([first, second].sort());
    await send(root, 'DELETE', `/api/groups/${first}/members/${person.userId}`);
    expect(await groupsOf(person.userId)).toEqual([second]);
    expect(await groupsOf(randomUUID())).toEqual([]);
  });
});
