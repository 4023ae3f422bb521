import { createHash, randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { codeOf as code, startAdministration } from '../../test/administration.ts';
import { addUser } from '../../test/running-identity.ts';

const world = await startAdministration();
const { root, identity } = world;
const { sql } = world.backends;
const password = 'Chosen-Battery-2026';

function invite(id: string, by = root) {
  return world.ask(`/api/admin/users/${id}/invitation`, by, 'POST');
}

function withdraw(id: string, by = root) {
  return world.ask(`/api/admin/users/${id}/invitation`, by, 'DELETE');
}

function open(token: string) {
  return identity.ask('/api/auth/invitation', { json: { token } });
}

function accept(token: string, chosen = password) {
  return identity.ask('/api/auth/invitation/accept', { json: { token, password: chosen } });
}

async function invited(fields: Record<string, unknown> = {}) {
  const user = await addUser(sql, { password_hash: null, ...fields });
  return { ...user, token: String((await invite(user.id)).body['token']) };
}

const refused = [400, 'invitation_invalid'];

describe('an account that is created with an invitation', () => {
  const create = (json: object, by = root) => world.ask('/api/admin/users', by, 'POST', json);
  const fresh = () => `invited-${randomUUID().slice(0, 8)}@example.org`;

  it('has no password; its owner sets one by the link and signs in', async () => {
    const email = fresh();
    const { status, body } = await create({ email, full_name: 'Ivy Invited', invite: true });
    const { token, expires_at } = body['invitation'] as { token: string; expires_at: string };
    expect(status).toBe(201);
    expect(body['invited_until']).toBe(expires_at);
    expect(Date.parse(expires_at) - Date.now()).toBeGreaterThan(6.9 * 86_400_000);
    expect(Date.parse(expires_at) - Date.now()).toBeLessThanOrEqual(7 * 86_400_000);
    expect(await world.row(String(body['uuid']))).toMatchObject({ password_hash: null, must_change_password: false });
    expect((await open(token)).body).toEqual({ email, full_name: 'Ivy Invited', expires_at });
    expect(await accept(token)).toMatchObject({ status: 200, body: { email } });
    expect((await identity.signIn(email, password)).status).toBe(200);
    const shown = await world.ask(`/api/users/${String(body['uuid'])}`, root);
    expect(shown.body).toMatchObject({ invited_until: null, must_change_password: false });
  });

  it('leaves a record of the invitation and of its use, and no trace of the token', async () => {
    const { body } = await create({ email: fresh(), invite: true });
    const id = String(body['uuid']);
    const { token } = body['invitation'] as { token: string };
    const { rows } = await sql.query<{ token_hash: string }>('select * from user_invitation where user_id = $1', [id]);
    expect(rows).toMatchObject([{ token_hash: createHash('sha256').update(token).digest('hex') }]);
    await accept(token);
    expect(await world.audited(id, 'admin.user.invite')).toMatchObject([{ actor: root.caller.userId }]);
    expect(await world.audited(id, 'auth.invitation.accept')).toMatchObject([{ outcome: 'success' }]);
    const { rows: log } = await sql.query('select * from audit_log');
    expect(JSON.stringify([rows, log])).not.toContain(token);
  });

  it.each([
    ['with a password as well', { password }],
    ['of a directory', { auth_type: 'ldap' }],
  ])('is not created %s', async (_name, fields) => {
    const email = fresh();
    expect((await create({ email, invite: true, ...fields })).status).toBe(400);
    expect((await sql.query('select 1 from "user" where email = $1', [email])).rows).toEqual([]);
  });
});

describe('an invitation link', () => {
  it('works once, also for requests at the same time', async () => {
    const { token, id, email } = await invited();
    const chosen = Array.from({ length: 5 }, (_, i) => `Chosen-Battery-${i}-2026`);
    const answers = await Promise.all(chosen.map((word) => accept(token, word)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    for (const answer of answers.filter(({ status }) => status !== 200)) expect(code(answer)).toEqual(refused);
    const signIns = [];
    for (const word of chosen) signIns.push((await identity.signIn(email, word)).status);
    expect(signIns.filter((status) => status === 200)).toHaveLength(1);
    expect(signIns[answers.findIndex(({ status }) => status === 200)]).toBe(200);
    expect(code(await accept(token))).toEqual(refused);
    expect(await world.audited(id, 'auth.invitation.accept')).toHaveLength(1);
  });

  it('stays usable after a password that the policy rejects, and applies the history', async () => {
    const user = await addUser(sql);
    const token = String((await invite(user.id)).body['token']);
    expect(code(await accept(token, 'weak'))).toEqual([400, 'password_rejected']);
    expect((await accept(token, user.password)).body).toMatchObject({ detail: 'It has been used before.' });
    expect((await accept(token)).status).toBe(200);
    const again = String((await invite(user.id)).body['token']);
    expect((await accept(again, user.password)).body).toMatchObject({ detail: 'It has been used before.' });
  });

  it('for an account with a password ends its sessions and its lock', async () => {
    const user = await world.member();
    const token = String((await invite(user.id)).body['token']);
    expect((await identity.signIn(user.email, user.password)).status).toBe(200);
    await sql.query(`update "user" set locked_until = now() + interval '1 hour' where uuid = $1`, [user.id]);
    expect((await accept(token)).status).toBe(200);
    expect(await world.isDead(user.session)).toBe(true);
    expect((await identity.signIn(user.email, user.password)).status).toBe(401);
    expect((await identity.signIn(user.email, password)).status).toBe(200);
  });

  type Invited = Awaited<ReturnType<typeof invited>>;
  const put = (id: string, json: object) => world.ask(`/api/users/${id}`, root, 'PUT', json);
  const ends: [string, (user: Invited) => Promise<unknown>][] = [
    ['a new link', ({ id }) => invite(id)],
    ['its withdrawal', ({ id }) => withdraw(id)],
    [
      'the end of its time',
      ({ id }) => sql.query(`update user_invitation set expires_at = now() where user_id = $1`, [id]),
    ],
    [
      'disabling the account',
      async ({ id }) => {
        await put(id, { is_active: false });
        await put(id, { is_active: true });
      },
    ],
    ['the end date of the account', ({ id }) => put(id, { account_expires_at: '2020-01-01T00:00:00.000Z' })],
    ['another role', ({ id }) => world.ask(`/api/admin/users/${id}/role?new_role=admin`, root, 'PUT')],
    [
      'another role, also when the account has the first one again',
      async ({ id }) => {
        for (const role of ['admin', 'user'])
          await world.ask(`/api/admin/users/${id}/role?new_role=${role}`, root, 'PUT');
      },
    ],
    [
      'a password that an administrator sets',
      ({ id }) =>
        world.ask(`/api/admin/users/${id}/reset-password`, root, 'POST', { new_password: 'Reset-Battery-2026' }),
    ],
    ['deleting the account', ({ id }) => world.ask(`/api/users/${id}`, root, 'DELETE')],
  ];
  it.each(ends)('ends by %s', async (_name, end) => {
    const user = await invited();
    expect((await open(user.token)).status).toBe(200);
    await end(user);
    expect(code(await open(user.token))).toEqual(refused);
    expect(code(await accept(user.token))).toEqual(refused);
    expect((await identity.signIn(user.email, password)).status).toBe(401);
  });

  it('ends when the owner changes the password', async () => {
    const user = await world.member();
    const token = String((await invite(user.id)).body['token']);
    const change = { current_password: user.password, password };
    expect((await world.ask('/api/users/me', user.session, 'PUT', change)).status).toBe(200);
    expect(code(await accept(token, 'Another-Chosen-2026'))).toEqual(refused);
  });

  it('that is unknown gets the answer of one that has ended, and is recorded', async () => {
    const { token, id } = await invited();
    await withdraw(id);
    const [ended, unknown] = [await accept(token), await accept('x'.repeat(43))];
    expect(unknown.body['detail']).toBe(ended.body['detail']);
    expect(code(unknown)).toEqual(code(ended));
    const { rows } = await sql.query(
      `select error_code from audit_log where event_type = 'auth.invitation.accept' and outcome = 'failure'`,
    );
    expect(rows.length).toBeGreaterThanOrEqual(2);
    expect(rows[0]).toEqual({ error_code: 'INVITATION_INVALID' });
    expect(await world.audited(id, 'admin.user.invite.withdraw')).toHaveLength(1);
  });
});

describe('inviting', () => {
  it.each(['ldap', 'oidc', 'pki', 'proxy'])('is refused for an account of %s', async (auth_type) => {
    const { id } = await addUser(sql, { auth_type, password_hash: null });
    expect(code(await invite(id))).toEqual([409, 'password_not_local']);
  });

  it('is refused for a disabled account', async () => {
    const { id } = await addUser(sql, { is_active: false });
    expect(code(await invite(id))).toEqual([409, 'invitation_impossible']);
  });

  it('by an admin reaches users only, and never the admin who sends it', async () => {
    const plain = (await world.member({ role: 'admin' })).session;
    const [user, colleague] = [await addUser(sql), await addUser(sql, { role: 'admin' })];
    expect((await invite(user.id, plain)).status).toBe(201);
    expect(code(await invite(colleague.id, plain))).toEqual([403, 'account_out_of_reach']);
    expect(code(await invite(root.caller.userId, plain))).toEqual([403, 'account_out_of_reach']);
    expect(code(await invite(root.caller.userId))).toEqual([409, 'own_account']);
    expect((await invite(user.id, (await world.member()).session)).status).toBe(403);
  });
});
