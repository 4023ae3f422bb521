import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startDirectoryWorld, type DirectoryWorld } from '../../test/directory-world.ts';
import { addUser } from '../../test/running-identity.ts';

let w: DirectoryWorld;
beforeAll(async () => {
  w = await startDirectoryWorld();
});
afterAll(() => w.stop());

async function local(fields: Record<string, unknown> = {}) {
  const user = await addUser(w.backends.sql, fields);
  const person = await w.person([`mail: ${user.email}`]);
  return { user, person };
}

function withoutId(body: Record<string, unknown>) {
  return { ...body, request_id: '' };
}

function verified(ldap_email_verified: boolean) {
  return w.set('ldap', { ldap_email_verified });
}

describe('a directory entry with the address of an account here', () => {
  it.each(['user name', 'address'])('is refused by its %s like a bad password, and audited once', async (spelling) => {
    const { user, person } = await local();
    const name = spelling === 'address' ? user.email : person.uid;
    const refused = await w.identity.signIn(name, person.password);
    const wrong = await w.identity.signIn(name, 'wrong');
    expect(refused.status).toBe(401);
    expect(withoutId(refused.body)).toEqual(withoutId(wrong.body));
    expect([...refused.headers.keys()]).toEqual([...wrong.headers.keys()]);
    expect((await w.audited(person.uid)).filter((r) => r.error_code === 'ACCOUNT_LINK_REFUSED')).toHaveLength(1);
    expect(await w.account(user.email)).toMatchObject({ auth_type: 'local', ldap_uid: null, directory_id: null });
    // The owner still signs in locally.
    expect((await w.identity.signIn(user.email, user.password)).status).toBe(200);
  });

  it.each(['user name', 'address'])(
    'is linked by its %s when the directory asserts the address verified',
    async (s) => {
      await verified(true);
      const { user, person } = await local();
      const before = await w.identity.session(user.email, user.password);
      const { status } = await w.identity.signIn(s === 'address' ? user.email : person.uid, person.password);
      await verified(false);
      expect(status).toBe(200);
      expect(await w.account(user.email)).toMatchObject({
        uuid: user.id,
        auth_type: 'ldap',
        ldap_uid: person.uid,
        password_hash: null,
      });
      expect(await w.identity.resolve(before.accessToken)).toBeNull();
      expect((await w.identity.signIn(user.email, user.password)).status).toBe(401);
      // A linked account stays linked, independent of later assertions of the directory.
      expect((await w.identity.signIn(person.uid, person.password)).status).toBe(200);
    },
  );

  it('is never linked to a super_admin, who keeps signing in here', async () => {
    await verified(true);
    const { user, person } = await local({ role: 'super_admin' });
    const byName = await w.identity.signIn(person.uid, person.password);
    const byAddress = await w.identity.signIn(user.email, person.password);
    const own = await w.identity.signIn(user.email, user.password);
    await w.backends.sql.query(`update "user" set role = 'user' where uuid = $1`, [user.id]);
    await verified(false);
    expect([byName.status, byAddress.status, own.status]).toEqual([401, 401, 200]);
    expect((await w.audited(person.uid)).map((r) => r.error_code)).toEqual([
      'ACCOUNT_LINK_REFUSED',
      'ACCOUNT_LINK_REFUSED',
    ]);
  });
});

describe('the accepted password', () => {
  it('a local account needs local_enabled, except a super_admin', async () => {
    const [user, boss] = [await addUser(w.backends.sql), await addUser(w.backends.sql)];
    await w.backends.sql.query(`update "user" set role = 'super_admin' where uuid = $1`, [boss.id]);
    await w.set('local', { local_enabled: false });
    const [refused, let_in] = [
      await w.identity.signIn(user.email, user.password),
      await w.identity.signIn(boss.email, boss.password),
    ];
    const methods = await w.identity.ask('/api/auth/methods');
    await w.set('local', { local_enabled: true });
    await w.backends.sql.query(`update "user" set role = 'user' where uuid = $1`, [boss.id]);
    expect([refused.status, let_in.status]).toEqual([401, 200]);
    expect(methods.body).toMatchObject({ methods: ['ldap'], local_enabled: false, ldap_enabled: true });
    expect((await w.identity.signIn(user.email, user.password)).status).toBe(200);
  });

  it.each([
    ['oidc', true, 200],
    ['oidc', false, 401],
    ['pki', true, 200],
    ['pki', false, 401],
    ['proxy', true, 401],
    ['proxy', false, 401],
    ['ldap', false, 401],
  ])(
    'an account of %s with allow_local_fallback %s and a hash: %i',
    async (auth_type, allow_local_fallback, status) => {
      const user = await addUser(w.backends.sql, { auth_type, allow_local_fallback });
      expect((await w.identity.signIn(user.email, user.password)).status).toBe(status);
    },
  );

  it('allow_local_fallback on a directory account is rejected when it is written', async () => {
    await expect(addUser(w.backends.sql, { auth_type: 'ldap', allow_local_fallback: true })).rejects.toThrow(
      'ck_user_ldap_no_local_fallback',
    );
  });

  it.each([
    ['pending', 'account_pending_approval'],
    ['rejected', 'account_rejected'],
  ])(
    'no password is accepted while the account is %s: only the correct one gets the state as response',
    async (state, code) => {
      const user = await addUser(w.backends.sql, { approval_status: state });
      const right = await w.identity.signIn(user.email, user.password);
      expect({ status: right.status, code: right.body['code'] }).toEqual({ status: 403, code });
      const wrong = await w.identity.signIn(user.email, 'wrong');
      const unknown = await w.identity.signIn('unknown@example.org', 'wrong');
      expect([wrong.status, withoutId(wrong.body)]).toEqual([401, withoutId(unknown.body)]);
    },
  );
});

describe('a session above the limit', () => {
  it('is reported after the correct password of either account, and is no failed sign-in', async () => {
    await w.set('session', { max_concurrent_sessions: 1, concurrent_session_policy: 'reject' });
    const user = await addUser(w.backends.sql);
    const person = await w.person();
    const answers = [];
    for (const [name, password] of [
      [user.email, user.password],
      [person.uid, person.password],
    ] as const)
      for (let i = 0; i < 8; i++) answers.push((await w.identity.signIn(name, password)).status);
    const wrong = await w.identity.signIn(person.uid, 'wrong');
    await w.set('session', { max_concurrent_sessions: 0, concurrent_session_policy: 'terminate_oldest' });
    const expected = [200, ...Array.from({ length: 7 }, () => 429)];
    expect(answers).toEqual([...expected, ...expected]);
    expect(wrong.status).toBe(401);
    expect((await w.identity.signIn(person.uid, person.password)).status).toBe(200);
  });
});

describe('GET /api/auth/methods', () => {
  it('follows the settings immediately', async () => {
    expect((await w.identity.ask('/api/auth/methods')).body).toEqual({
      methods: ['local', 'ldap'],
      local_enabled: true,
      allow_registration: false,
      ldap_enabled: true,
      oidc_enabled: false,
      pki_enabled: false,
      proxy_enabled: false,
      oidc_display_name: 'Single sign-on',
      keycloak_enabled: false,
    });
    await w.set('ldap', { ldap_enabled: false });
    await w.set('local', { allow_registration: true });
    const { body } = await w.identity.ask('/api/auth/methods');
    await w.set('ldap', { ldap_enabled: true });
    await w.set('local', { allow_registration: false });
    expect(body).toMatchObject({ methods: ['local'], ldap_enabled: false, allow_registration: true });
  });
});
