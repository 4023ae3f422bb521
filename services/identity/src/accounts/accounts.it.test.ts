import { describe, expect, it } from '@jest/globals';
import { identityRpc } from '@overtone/contracts';
import { waitFor } from '@overtone/testkit';
import { setUpIdentity, addUser, collectEvents } from '../../test/running-identity.ts';
import type { RunningIdentity } from '../../test/running-identity.ts';

const { backends, identity } = await setUpIdentity();

async function newSession() {
  const user = await addUser(backends.sql);
  return { user, ...(await identity.session(user.email, user.password)) };
}

const next = 'Another-Battery-7';

function change(caller: Parameters<RunningIdentity['ask']>[1], json: unknown) {
  return identity.ask('/api/users/me', { ...caller, method: 'PUT', json });
}

describe('the own account', () => {
  it('shows the public columns, and no hash', async () => {
    const { user, caller } = await newSession();
    const { body } = await identity.ask('/api/users/me', { caller });
    expect(body).toMatchObject({ uuid: user.id, email: user.email, role: 'user', auth_type: 'local' });
    expect(JSON.stringify(body)).not.toContain('argon2');
  });

  it('is not shown without a session', async () => {
    expect((await identity.ask('/api/users/me')).status).toBe(401);
  });

  it('can be renamed, which publishes an event', async () => {
    const { user, caller } = await newSession();
    const events = collectEvents(backends.bus, 'evt.identity.user.updated.v1');
    const { body } = await change({ caller }, { full_name: 'Ünal Ödegård' });
    expect(body).toMatchObject({ full_name: 'Ünal Ödegård' });
    await waitFor(() => events.some((event) => event['userId'] === user.id));
  });

  it.each([[{ full_name: '' }], [{ full_name: 'a\0b' }], [{ full_name: 'x'.repeat(201) }], [[]]])(
    'refuses the body %j with 422',
    async (body) => {
      const { caller } = await newSession();
      expect((await change({ caller }, body)).status).toBe(422);
    },
  );
});

describe('changing the password', () => {
  it('needs the current one', async () => {
    const { caller } = await newSession();
    expect((await change({ caller }, { password: next })).body).toMatchObject({ code: 'password_rejected' });
    const { status, body } = await change({ caller }, { password: next, current_password: 'wrong' });
    expect(status).toBe(400);
    expect(body['errors']).toMatchObject([{ path: 'current_password' }]);
  });

  it('ends the other sessions and keeps this one', async () => {
    const { user, caller, accessToken } = await newSession();
    const other = await identity.session(user.email, user.password);
    const { status } = await change({ caller }, { password: next, current_password: user.password });
    expect(status).toBe(200);
    expect(await identity.resolve(accessToken)).not.toBeNull();
    expect(await identity.resolve(other.accessToken)).toBeNull();
    expect((await identity.refresh(other.refreshToken)).status).toBe(401);
    expect((await identity.signIn(user.email, user.password)).status).toBe(401);
    expect((await identity.signIn(user.email, next)).status).toBe(200);
  });

  it('refuses a weak one with a text for each fault', async () => {
    const { user, caller } = await newSession();
    const { body } = await change({ caller }, { password: 'aaaaaaaaaaaa', current_password: user.password });
    expect(body['errors']).toHaveLength(3);
  });

  it('refuses one that was used before', async () => {
    const { user, caller } = await newSession();
    await change({ caller }, { password: next, current_password: user.password });
    for (const password of [user.password, next]) {
      const { body } = await change({ caller }, { password, current_password: next });
      expect(body).toMatchObject({ code: 'password_rejected', detail: 'It has been used before.' });
    }
  });

  it('counts wrong current passwords as failed sign-ins', async () => {
    const { user, caller } = await newSession();
    for (let i = 0; i < 5; i++) await change({ caller }, { password: next, current_password: 'wrong' });
    expect((await identity.signIn(user.email, user.password)).status).toBe(401);
  });

  it('clears the requirement to change it', async () => {
    const { user, caller, accessToken } = await newSession();
    await backends.sql.query('update "user" set must_change_password = true where uuid = $1', [user.id]);
    await change({ caller }, { password: next, current_password: user.password });
    expect(await identity.resolve(accessToken)).toMatchObject({ refusal: null });
  });

  it.each(['ldap', 'proxy', 'oidc', 'pki'])('of a directory account is refused: %s', async (authType) => {
    const { user, caller } = await newSession();
    await backends.sql.query('update "user" set auth_type = $1 where uuid = $2', [authType, user.id]);
    const answer = await change({ caller }, { password: next, current_password: user.password });
    expect([answer.status, answer.body['code']]).toEqual([409, 'password_not_local']);
  });

  it('works for an account of a provider that also has a local password', async () => {
    const { user, caller } = await newSession();
    await backends.sql.query(`update "user" set auth_type = 'oidc', allow_local_fallback = true where uuid = $1`, [
      user.id,
    ]);
    expect((await change({ caller }, { password: next, current_password: user.password })).status).toBe(200);
  });
});

describe('rpc find-accounts', () => {
  it('finds active accounts by e-mail address or user name, whatever the case, and no name of several accounts', async () => {
    const [mail, login, disabled, pending, first, second] = await Promise.all(
      Array.from({ length: 6 }, () => addUser(backends.sql)),
    );
    const { sql } = backends;
    await sql.query(`update "user" set ldap_uid = 'ada' where uuid = $1`, [login!.id]);
    await sql.query(`update "user" set is_active = false where uuid = $1`, [disabled!.id]);
    await sql.query(`update "user" set approval_status = 'pending' where uuid = $1`, [pending!.id]);
    await sql.query(`update "user" set ldap_uid = $2 where uuid = $1`, [second!.id, first!.email]);
    const names = [mail!.email.toUpperCase(), 'ADA', disabled!.email, pending!.email, first!.email, 'unknown', ''];
    const request = JSON.stringify({ names });
    const reply = await backends.bus.request(identityRpc.findAccounts.subject, request, { timeout: 30_000 });
    const { accounts } = reply.json<{ ok: { accounts: { name: string; userId: string }[] } }>().ok;
    expect(accounts.toSorted((left, right) => left.name.localeCompare(right.name))).toEqual(
      [
        { name: 'ADA', userId: login!.id },
        { name: mail!.email.toUpperCase(), userId: mail!.id },
      ].toSorted((left, right) => left.name.localeCompare(right.name)),
    );
  });
});
