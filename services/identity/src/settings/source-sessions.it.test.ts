import { describe, expect, it } from '@jest/globals';
import { waitFor } from '@overtone/testkit';
import { codeOf, type Session } from '../../test/administration.ts';
import { setUpIdentity, addUser, collectEvents } from '../../test/running-identity.ts';

const sources = ['ldap', 'oidc', 'pki', 'proxy'] as const;
type Source = (typeof sources)[number];

const { backends, identity } = await setUpIdentity({
  SIGN_IN_REFUSAL_MS: '0',
  LDAP_ENABLED: 'true',
  OIDC_ENABLED: 'true',
  PKI_ENABLED: 'true',
  PROXY_ENABLED: 'true',
});
const root = await identity.session();
const revoked = collectEvents(backends.bus, 'evt.identity.session.revoked.v1');

function ask(path: string, method = 'GET', by = root, json?: unknown) {
  return identity.ask(`/api/admin/auth-config/${path}`, {
    method,
    caller: by.caller,
    ...(json === undefined ? {} : { json }),
  });
}

function switchOff(source: Source) {
  return ask(source, 'PUT', root, { [`${source}_enabled`]: false });
}

async function isAlive(session: Session) {
  return (await identity.resolve(session.accessToken)) !== null;
}

/** Creates an account of a source with sessions. */
async function member(source: Source | 'local', count: number, fields: Record<string, unknown> = {}) {
  const user = await addUser(backends.sql, fields);
  const sessions: Session[] = [];
  for (let i = 0; i < count; i++) sessions.push(await identity.session(user.email, user.password));
  await backends.sql.query('update "user" set auth_type = $1 where uuid = $2', [source, user.id]);
  return { ...user, sessions };
}

async function audited(event: string, details: Record<string, unknown>) {
  return (
    await backends.sql.query(
      'select user_id, username, actor, details from audit_log where event_type = $1 and details @> $2::jsonb',
      [event, JSON.stringify(details)],
    )
  ).rows as Record<string, unknown>[];
}

describe.each(sources)('switching %s off', (source) => {
  it('returns the number of remaining accounts and sessions, and ends them only on request', async () => {
    const [one, two, none] = [await member(source, 2), await member(source, 1), await member(source, 0)];
    const other = await member('local', 1);
    expect(codeOf(await ask(`${source}/sessions`, 'DELETE'))).toEqual([409, 'source_switched_on']);
    expect((await ask(`${source}/sessions`)).body).toEqual({ enabled: true, accounts: 2, sessions: 3 });

    const { status, body } = await switchOff(source);
    expect({ status, remaining: body['remaining_sessions'] }).toEqual({
      status: 200,
      remaining: { accounts: 2, sessions: 3 },
    });
    expect(await isAlive(one.sessions[0] as Session)).toBe(true);
    expect((await ask(`${source}/sessions`)).body).toEqual({ enabled: false, accounts: 2, sessions: 3 });

    const ended = await ask(`${source}/sessions`, 'DELETE');
    expect(ended).toMatchObject({ status: 200, body: { success: true, accounts: 2, sessions_terminated: 3 } });
    for (const session of [...one.sessions, ...two.sessions]) {
      expect(await isAlive(session)).toBe(false);
      expect((await identity.refresh(session.refreshToken)).status).toBe(401);
    }
    for (const session of [...other.sessions, root]) expect(await isAlive(session)).toBe(true);
    await waitFor(() => [one, two].every((user) => revoked.some((event) => event['userId'] === user.id)));
    expect(revoked.find((event) => event['userId'] === one.id)).toMatchObject({ reason: 'source_switched_off' });

    const actor = root.caller.userId;
    const records = await audited('auth.session.terminated', { reason: 'source_switched_off', source });
    expect(records).toHaveLength(2);
    expect(records.find((record) => record['user_id'] === one.id)).toMatchObject({
      actor,
      username: one.email,
      details: { sessions_revoked: 2 },
    });
    expect(await audited('admin.sessions.end', { source })).toMatchObject([
      { actor, details: { accounts: 2, sessions_revoked: 3 } },
    ]);
    expect(none.sessions).toEqual([]);
  });

  it('has nothing left to end afterwards', async () => {
    expect((await ask(`${source}/sessions`)).body).toEqual({ enabled: false, accounts: 0, sessions: 0 });
    expect((await ask(`${source}/sessions`, 'DELETE')).body).toEqual({
      success: true,
      accounts: 0,
      sessions_terminated: 0,
    });
    expect((await ask(source, 'PUT', root, { [`${source}_enabled`]: false })).body).toMatchObject({
      remaining_sessions: null,
    });
  });

  it('keeps the session of the administrator who ends the others', async () => {
    const boss = await member(source, 2, { role: 'super_admin' });
    const [mine, another] = boss.sessions as [Session, Session];
    expect((await ask(`${source}/sessions`, 'DELETE', mine)).body).toEqual({
      success: true,
      accounts: 1,
      sessions_terminated: 1,
    });
    expect([await isAlive(mine), await isAlive(another)]).toEqual([true, false]);
    await backends.sql.query(`update "user" set role = 'user', is_active = false where uuid = $1`, [boss.id]);
    await backends.sql.query('update refresh_token set revoked_at = now() where user_id = $1', [boss.id]);
  });
});

describe('the sessions of a source', () => {
  it('are for a super_admin only', async () => {
    const admin = (await member('local', 1, { role: 'admin' })).sessions[0] as Session;
    for (const method of ['GET', 'DELETE']) expect((await ask('ldap/sessions', method, admin)).status).toBe(403);
  });

  it('end for more accounts than one transaction takes', async () => {
    await backends.sql.query(
      `with made as (
         insert into "user" (email, auth_type) select 'many-' || n || '@example.org', 'ldap' from generate_series(1, 1201) n
         returning uuid)
       insert into refresh_token (user_id, session_id, token_hash, secret_id, expires_at, absolute_expires_at)
       select uuid, gen_random_uuid(), gen_random_uuid()::text, (select secret_id from refresh_token limit 1),
              now() + interval '1 day', now() + interval '1 day' from made`,
    );
    expect((await ask('ldap/sessions', 'DELETE')).body).toMatchObject({ accounts: 1201, sessions_terminated: 1201 });
    expect((await ask('ldap/sessions')).body).toMatchObject({ accounts: 0, sessions: 0 });
  });
});
