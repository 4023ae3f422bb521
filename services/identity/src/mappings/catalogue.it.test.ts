import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, it } from '@jest/globals';
import type { Role } from '@overtone/contracts';
import type { Caller } from '@overtone/service-kit';
import { setUpIdentity, addUser } from '../../test/running-identity.ts';

let group: string;
const { backends, identity } = await setUpIdentity();
const root = (await identity.session()).caller;
beforeEach(async () => {
  await backends.sql.query('delete from group_mapping');
  group = await newGroup();
});

const path = '/api/admin/group-mappings';

function ask(json: unknown, method = 'POST', at = path, caller = root) {
  return identity.ask(at, { caller, method, json });
}

async function created(json: object): Promise<Record<string, unknown>> {
  return (await ask(json)).body;
}

async function newGroup(): Promise<string> {
  const { rows } = await backends.sql.query<{ uuid: string }>(
    'insert into user_group (name) values ($1) returning uuid',
    [`Group ${randomUUID()}`],
  );
  return rows[0]?.uuid ?? '';
}

async function as(role: Role): Promise<Caller> {
  return {
    userId: (await addUser(backends.sql, { role })).id,
    sessionId: randomUUID(),
    role,
    tokenExpiresAt: Date.now() + 60_000,
  };
}

const staff = 'CN=Staff,OU=Groups,DC=corp';

async function answerOf(answer: ReturnType<typeof ask>) {
  const { status, body } = await answer;
  return [status, body['code']];
}

describe('group mappings', () => {
  it('need a super_admin', async () => {
    const one = await created({ source: 'ldap', claim_value: staff, group_uuid: group });
    for (const role of ['user', 'admin'] as const) {
      const caller = await as(role);
      expect((await identity.ask(path, { caller })).status).toBe(403);
      expect((await ask({ source: 'ldap', claim_value: 'x', grants_role: 'user' }, 'POST', path, caller)).status).toBe(
        403,
      );
      expect((await ask({}, 'PUT', `${path}/${String(one['uuid'])}`, caller)).status).toBe(403);
      expect((await ask(undefined, 'DELETE', `${path}/${String(one['uuid'])}`, caller)).status).toBe(403);
      expect((await ask({ source: 'ldap', claim_values: [] }, 'POST', `${path}/test`, caller)).status).toBe(403);
    }
    expect((await identity.ask(path)).status).toBe(401);
  });

  it('set group_uuid, grants_role, or both, and show the group with the members of this source', async () => {
    const { rows } = await backends.sql.query<{ name: string }>('select name from user_group where uuid = $1', [group]);
    const answer = await ask({
      source: 'ldap',
      claim_value: `  ${staff} `,
      group_uuid: group,
      grants_role: 'admin',
      description: 'All',
    });
    expect(answer.status).toBe(201);
    expect(answer.body).toEqual({
      uuid: expect.any(String),
      source: 'ldap',
      claim_value: staff,
      group_uuid: group,
      group_name: rows[0]?.name,
      grants_role: 'admin',
      description: 'All',
      member_count: 0,
      warning: null,
      created_at: expect.any(String),
      updated_at: expect.any(String),
    });
    for (const source of ['ldap', 'oidc', 'manual'])
      await backends.sql.query('insert into user_group_member (group_id, user_id, source) values ($1, $2, $3)', [
        group,
        (await addUser(backends.sql)).id,
        source,
      ]);
    const list = (await identity.ask(path, { caller: root })).body as unknown as { member_count: number }[];
    expect(list.map((mapping) => mapping.member_count)).toEqual([1]);
  });

  it('with neither group nor role are rejected: by the schema, by the service, by the table', async () => {
    expect(await answerOf(ask({ source: 'ldap', claim_value: 'x' }))).toEqual([422, 'invalid_body']);
    expect(await answerOf(ask({ source: 'ldap', claim_value: 'x', group_uuid: null, grants_role: null }))).toEqual([
      422,
      'invalid_body',
    ]);
    const { uuid } = await created({ source: 'ldap', claim_value: 'x', grants_role: 'user' });
    const left = await ask({ grants_role: null }, 'PUT', `${path}/${String(uuid)}`);
    expect([left.status, left.body['code'], left.body['detail']]).toEqual([
      400,
      'mapping_gives_nothing',
      'A mapping must set group_uuid, grants_role, or both',
    ]);
    await expect(
      backends.sql.query("insert into group_mapping (source, claim_value) values ('ldap', 'y')"),
    ).rejects.toThrow('ck_group_mapping_grants_something');
  });

  it.each(['super_admin', 'root', 'Admin', 'admin\n', ''])(
    'grants_role above admin is rejected by the pattern: %j',
    async (grants_role) => {
      expect(await answerOf(ask({ source: 'ldap', claim_value: 'x', group_uuid: group, grants_role }))).toEqual([
        422,
        'invalid_body',
      ]);
      const { uuid } = await created({ source: 'ldap', claim_value: 'y', grants_role: 'user' });
      expect(await answerOf(ask({ grants_role }, 'PUT', `${path}/${String(uuid)}`))).toEqual([422, 'invalid_body']);
    },
  );

  it('grants_role above admin is rejected by the table: ck_group_mapping_role_capped', async () => {
    await expect(
      backends.sql.query(
        "insert into group_mapping (source, claim_value, grants_role) values ('ldap', 'y', 'super_admin')",
      ),
    ).rejects.toThrow('ck_group_mapping_role_capped');
  });

  it('of another source are rejected by schema and table', async () => {
    expect((await ask({ source: 'saml', claim_value: 'x', grants_role: 'user' })).status).toBe(422);
    await expect(
      backends.sql.query("insert into group_mapping (source, claim_value, grants_role) values ('pki', 'y', 'user')"),
    ).rejects.toThrow('ck_group_mapping_source_valid');
  });

  it('two LDAP mappings differing only by case are rejected by unique index', async () => {
    await created({ source: 'ldap', claim_value: 'CN=Ärzte,DC=corp', group_uuid: group });
    for (const claim_value of ['CN=Ärzte,DC=corp', 'cn=äRZTE,dc=CORP', ' cn=ärzte,dc=corp ']) {
      const { status, body } = await ask({ source: 'ldap', claim_value, grants_role: 'user' });
      expect([status, body['code'], body['detail']]).toEqual([
        400,
        'mapping_exists',
        `A ldap mapping for '${claim_value.trim()}' already exists`,
      ]);
    }
    const { uuid } = await created({ source: 'ldap', claim_value: 'cn=other', group_uuid: group });
    const renamed = await ask({ claim_value: 'CN=ÄRZTE,DC=CORP' }, 'PUT', `${path}/${String(uuid)}`);
    expect([renamed.status, renamed.body['code']]).toEqual([400, 'mapping_exists']);
    await expect(
      backends.sql.query(
        "insert into group_mapping (source, claim_value, grants_role) values ('ldap', 'cn=ÄRZTE,dc=corp', 'user')",
      ),
    ).rejects.toThrow('uq_group_mapping_ldap_claim_ci');
  });

  it.each(['oidc', 'proxy'])('%s claim values are case-sensitive, and each may be mapped once', async (source) => {
    expect((await ask({ source, claim_value: 'Staff', grants_role: 'user' })).status).toBe(201);
    expect((await ask({ source, claim_value: 'staff', grants_role: 'user' })).status).toBe(201);
    const again = await ask({ source, claim_value: 'Staff', group_uuid: group });
    expect([again.status, again.body['detail']]).toEqual([400, `A ${source} mapping for 'Staff' already exists`]);
  });

  it('created concurrently for one claim result in one', async () => {
    const all = await Promise.all(
      Array.from({ length: 6 }, (_, i) =>
        ask({ source: 'ldap', claim_value: i % 2 ? 'CN=X' : 'cn=x', grants_role: 'user' }),
      ),
    );
    expect(all.map((answer) => answer.status).toSorted((left, right) => left - right)).toEqual([
      201, 400, 400, 400, 400, 400,
    ]);
  });

  it('two spellings of one name get a warning, although the index allows them', async () => {
    const spellings = ['CN=Big Staff,DC=corp', 'cn = Big  Staff , dc = corp', '2.5.4.3=Big Staff,DC=corp'];
    expect((await created({ source: 'ldap', claim_value: spellings[0], group_uuid: group }))['warning']).toBeNull();
    const second = await created({ source: 'ldap', claim_value: spellings[1], grants_role: 'user' });
    expect(second['warning']).toContain('"CN=Big Staff,DC=corp"');
    await created({ source: 'ldap', claim_value: spellings[2], grants_role: 'user' });
    await created({ source: 'ldap', claim_value: 'cn=alone', grants_role: 'user' });
    await created({ source: 'oidc', claim_value: spellings[0], grants_role: 'user' });
    const list = (await identity.ask(path, { caller: root })).body as unknown as { warning: string | null }[];
    expect(list.map((mapping) => mapping.warning !== null)).toEqual([true, true, true, false, false]);
  });

  it.each([
    ['a claim of 1024 characters', 'x'.repeat(1024), 201],
    [
      '1024 characters of any script',
      '漢'.repeat(512) + [...Array(512).keys()].map((i) => String.fromCodePoint(0x4e00 + i * 7)).join(''),
      201,
    ],
    ['a claim of 1025 characters', 'x'.repeat(1025), 422],
    ['an empty claim', '', 422],
    ['a claim of spaces', '   ', 422],
    ['NUL in a claim', 'a\0b', 422],
  ])('take %s with %3$s', async (_what, claim_value, status) => {
    for (const source of ['ldap', 'oidc'])
      expect((await ask({ source, claim_value, grants_role: 'user' })).status).toBe(status);
  });

  it('to an unknown group are refused, and unknown mappings are not found', async () => {
    const unknown = randomUUID();
    expect(await answerOf(ask({ source: 'ldap', claim_value: 'x', group_uuid: unknown }))).toEqual([404, 'not_found']);
    const { uuid } = await created({ source: 'ldap', claim_value: 'x', group_uuid: group });
    expect(await answerOf(ask({ group_uuid: unknown }, 'PUT', `${path}/${String(uuid)}`))).toEqual([404, 'not_found']);
    expect(await answerOf(ask({ description: 'x' }, 'PUT', `${path}/${unknown}`))).toEqual([404, 'not_found']);
    expect(await answerOf(ask(undefined, 'DELETE', `${path}/${unknown}`))).toEqual([404, 'not_found']);
  });

  it('are changed field by field: missing fields stay, null clears', async () => {
    const { uuid } = await created({ source: 'ldap', claim_value: 'x', group_uuid: group, description: 'd' });
    const at = `${path}/${String(uuid)}`;
    expect((await ask({ grants_role: 'admin' }, 'PUT', at)).body).toMatchObject({
      claim_value: 'x',
      group_uuid: group,
      grants_role: 'admin',
      description: 'd',
    });
    const other = await newGroup();
    expect((await ask({ group_uuid: other, claim_value: ' z ', description: null }, 'PUT', at)).body).toMatchObject({
      claim_value: 'z',
      group_uuid: other,
      grants_role: 'admin',
      description: null,
    });
    expect((await ask({ group_uuid: null }, 'PUT', at)).body).toMatchObject({ group_uuid: null, group_name: null });
    expect((await ask({}, 'PUT', at)).status).toBe(200);
  });

  it('keep their source: a change may repeat it, and is refused with another one', async () => {
    const { uuid } = await created({ source: 'ldap', claim_value: 'x', group_uuid: group });
    const at = `${path}/${String(uuid)}`;
    const { status, body } = await ask({ source: 'oidc', claim_value: 'y' }, 'PUT', at);
    expect([status, body['code'], body['errors']]).toEqual([
      422,
      'invalid_body',
      [{ path: 'source', message: 'A mapping keeps its source: ldap' }],
    ]);
    expect((await ask({ source: 'saml' }, 'PUT', at)).status).toBe(422);
    const whole = { source: 'ldap', claim_value: 'y', group_uuid: group, grants_role: 'admin', description: 'd' };
    expect((await ask(whole, 'PUT', at)).body).toMatchObject({ uuid, ...whole });
  });

  it('are listed by source, in the order of their creation', async () => {
    for (const [source, claim_value] of [
      ['proxy', 'a'],
      ['ldap', 'b'],
      ['oidc', 'c'],
      ['ldap', 'a'],
    ])
      await created({ source: source ?? '', claim_value, grants_role: 'user' });
    const list = async (query = '') =>
      ((await identity.ask(path + query, { caller: root })).body as unknown as Record<string, string>[]).map(
        (mapping) => `${mapping['source']} ${mapping['claim_value']}`,
      );
    expect(await list()).toEqual(['ldap b', 'ldap a', 'oidc c', 'proxy a']);
    expect(await list('?source=ldap')).toEqual(['ldap b', 'ldap a']);
    expect((await identity.ask(`${path}?source=saml`, { caller: root })).status).toBe(400);
  });

  it('are deleted, and their memberships stay until the next sign-in or sync run', async () => {
    const { uuid } = await created({ source: 'ldap', claim_value: 'x', group_uuid: group });
    const user = await addUser(backends.sql, { auth_type: 'ldap' });
    const row = "insert into user_group_member (group_id, user_id, source) values ($1, $2, 'ldap')";
    await backends.sql.query(row, [group, user.id]);
    expect((await ask(undefined, 'DELETE', `${path}/${String(uuid)}`)).status).toBe(204);
    const { rowCount } = await backends.sql.query('select 1 from user_group_member where user_id = $1', [user.id]);
    expect(rowCount).toBe(1);
  });

  it('have an audit record of every change and none of a refused one', async () => {
    await backends.sql.query("delete from audit_log where event_type = 'admin.settings.change'");
    const { uuid } = await created({ source: 'ldap', claim_value: 'x', group_uuid: group });
    const at = `${path}/${String(uuid)}`;
    await ask({ grants_role: 'admin' }, 'PUT', at);
    await ask({ grants_role: 'super_admin' }, 'PUT', at);
    await ask({ source: 'ldap', claim_value: 'X', grants_role: 'user' });
    await ask(undefined, 'DELETE', at);
    const { rows } = await backends.sql.query(
      "select actor, outcome, details from audit_log where event_type = 'admin.settings.change' order by time",
    );
    const details = { setting: 'group_mapping', mapping: uuid, source: 'ldap', claim_value: 'x', group };
    expect(rows).toMatchObject([
      { actor: root.userId, outcome: 'success', details: { ...details, action: 'create', grants_role: '' } },
      { actor: root.userId, outcome: 'success', details: { ...details, action: 'update', grants_role: 'admin' } },
      { actor: root.userId, outcome: 'success', details: { ...details, action: 'delete', grants_role: 'admin' } },
    ]);
  });

  it('are changed while their groups are deleted without a deadlock', async () => {
    const groups = await Promise.all(Array.from({ length: 6 }, newGroup));
    const mappings = await Promise.all(
      groups.map((group, i) =>
        created({ source: i % 2 ? 'ldap' : 'oidc', claim_value: `c${i}`, group_uuid: group, grants_role: 'user' }),
      ),
    );
    const answers = await Promise.all([
      ...groups.map((group) => ask(undefined, 'DELETE', `/api/groups/${group}`)),
      ...mappings.map((mapping, i) =>
        ask({ group_uuid: groups[(i + 1) % 6] }, 'PUT', `${path}/${String(mapping['uuid'])}`),
      ),
    ]);
    expect(answers.every((answer) => [200, 204, 404].includes(answer.status))).toBe(true);
    const { rowCount } = await backends.sql.query('select 1 from group_mapping where group_id is not null');
    expect(rowCount).toBe(0);
  });
});
