import { describe, expect, it } from '@jest/globals';
import { startDirectoryWorld } from '../../test/directory-world.ts';
import { addUser } from '../../test/running-identity.ts';

const world = await startDirectoryWorld();

async function local(fields: Record<string, unknown> = {}) {
  const user = await addUser(world.backends.sql, fields);
  const person = await world.person([`mail: ${user.email}`]);
  return { user, person };
}

function withoutId(body: Record<string, unknown>) {
  return { ...body, request_id: '' };
}

function verified(ldap_email_verified: boolean) {
  return world.set('ldap', { ldap_email_verified });
}

describe('a directory entry with the address of an account here', () => {
  it.each(['user name', 'address'])('is refused by its %s like a bad password, and audited once', async (spelling) => {
    const { user, person } = await local();
    const name = spelling === 'address' ? user.email : person.uid;
    const refused = await world.identity.signIn(name, person.password);
    const wrong = await world.identity.signIn(name, 'wrong');
    expect(refused.status).toBe(401);
    expect(withoutId(refused.body)).toEqual(withoutId(wrong.body));
    expect([...refused.headers.keys()]).toEqual([...wrong.headers.keys()]);
    expect(
      (await world.audited(person.uid)).filter((record) => record.error_code === 'ACCOUNT_LINK_REFUSED'),
    ).toHaveLength(1);
    expect(await world.account(user.email)).toMatchObject({ auth_type: 'local', ldap_uid: null, directory_id: null });
    // The owner still signs in locally.
    expect((await world.identity.signIn(user.email, user.password)).status).toBe(200);
  });

  it.each(['user name', 'address'])(
    'is linked by its %s when the directory asserts the address verified',
    async (source) => {
      await verified(true);
      const { user, person } = await local();
      const before = await world.identity.session(user.email, user.password);
      const { status } = await world.identity.signIn(source === 'address' ? user.email : person.uid, person.password);
      await verified(false);
      expect(status).toBe(200);
      expect(await world.account(user.email)).toMatchObject({
        uuid: user.id,
        auth_type: 'ldap',
        ldap_uid: person.uid,
        password_hash: null,
      });
      expect(await world.identity.resolve(before.accessToken)).toBeNull();
      expect((await world.identity.signIn(user.email, user.password)).status).toBe(401);
      // A linked account stays linked, independent of later assertions of the directory.
      expect((await world.identity.signIn(person.uid, person.password)).status).toBe(200);
    },
  );

  it('is never linked to a super_admin, who keeps signing in here', async () => {
    await verified(true);
    const { user, person } = await local({ role: 'super_admin' });
    const byName = await world.identity.signIn(person.uid, person.password);
    const byAddress = await world.identity.signIn(user.email, person.password);
    const own = await world.identity.signIn(user.email, user.password);
    await world.backends.sql.query(`update "user" set role = 'user' where uuid = $1`, [user.id]);
    await verified(false);
    expect([byName.status, byAddress.status, own.status]).toEqual([401, 401, 200]);
    expect((await world.audited(person.uid)).map((record) => record.error_code)).toEqual([
      'ACCOUNT_LINK_REFUSED',
      'ACCOUNT_LINK_REFUSED',
    ]);
  });
});

describe('the accepted password', () => {
  it('a local account needs local_enabled, except a super_admin', async () => {
    const [user, boss] = [await addUser(world.backends.sql), await addUser(world.backends.sql)];
    await world.backends.sql.query(`update "user" set role = 'super_admin' where uuid = $1`, [boss.id]);
    await world.set('local', { local_enabled: false });
    const [refused, let_in] = [
      await world.identity.signIn(user.email, user.password),
      await world.identity.signIn(boss.email, boss.password),
    ];
    const methods = await world.identity.ask('/api/auth/methods');
    await world.set('local', { local_enabled: true });
    await world.backends.sql.query(`update "user" set role = 'user' where uuid = $1`, [boss.id]);
    expect([refused.status, let_in.status]).toEqual([401, 200]);
    expect(methods.body).toMatchObject({ methods: ['ldap'], local_enabled: false, ldap_enabled: true });
    expect((await world.identity.signIn(user.email, user.password)).status).toBe(200);
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
      const user = await addUser(world.backends.sql, { auth_type, allow_local_fallback });
      expect((await world.identity.signIn(user.email, user.password)).status).toBe(status);
    },
  );

  it('allow_local_fallback on a directory account is rejected when it is written', async () => {
    await expect(addUser(world.backends.sql, { auth_type: 'ldap', allow_local_fallback: true })).rejects.toThrow(
      'ck_user_ldap_no_local_fallback',
    );
  });

  it.each([
    ['pending', 'account_pending_approval'],
    ['rejected', 'account_rejected'],
  ])(
    'no password is accepted while the account is %s: only the correct one gets the state as response',
    async (state, code) => {
      const user = await addUser(world.backends.sql, { approval_status: state });
      const right = await world.identity.signIn(user.email, user.password);
      expect({ status: right.status, code: right.body['code'] }).toEqual({ status: 403, code });
      const wrong = await world.identity.signIn(user.email, 'wrong');
      const unknown = await world.identity.signIn('unknown@example.org', 'wrong');
      expect([wrong.status, withoutId(wrong.body)]).toEqual([401, withoutId(unknown.body)]);
    },
  );
});

describe('a session above the limit', () => {
  it('is reported after the correct password of either account, and is no failed sign-in', async () => {
    await world.set('session', { max_concurrent_sessions: 1, concurrent_session_policy: 'reject' });
    const user = await addUser(world.backends.sql);
    const person = await world.person();
    const answers = [];
    for (const [name, password] of [
      [user.email, user.password],
      [person.uid, person.password],
    ] as const)
      for (let i = 0; i < 8; i++) answers.push((await world.identity.signIn(name, password)).status);
    const wrong = await world.identity.signIn(person.uid, 'wrong');
    await world.set('session', { max_concurrent_sessions: 0, concurrent_session_policy: 'terminate_oldest' });
    const expected = [200, ...Array.from({ length: 7 }, () => 429)];
    expect(answers).toEqual([...expected, ...expected]);
    expect(wrong.status).toBe(401);
    expect((await world.identity.signIn(person.uid, person.password)).status).toBe(200);
  });
});

describe('GET /api/auth/methods', () => {
  it('follows the settings immediately', async () => {
    expect((await world.identity.ask('/api/auth/methods')).body).toEqual({
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
    await world.set('ldap', { ldap_enabled: false });
    await world.set('local', { allow_registration: true });
    const { body } = await world.identity.ask('/api/auth/methods');
    await world.set('ldap', { ldap_enabled: true });
    await world.set('local', { allow_registration: false });
    expect(body).toMatchObject({ methods: ['local'], ldap_enabled: false, allow_registration: true });
  });
});
