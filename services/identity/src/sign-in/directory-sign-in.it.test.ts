import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { groupLdif } from '@overtone/testkit';
import { startDirectoryWorld, type DirectoryWorld } from '../../test/directory-world.ts';
import { addUser } from '../../test/running-identity.ts';

let w: DirectoryWorld;
beforeAll(async () => {
  w = await startDirectoryWorld();
});
afterAll(() => w.stop());

const generic = { code: 'invalid_credentials', detail: 'Incorrect username or password' };

describe('a directory account', () => {
  it('is created on first successful login, with auth_type ldap', async () => {
    const p = await w.person();
    expect((await w.identity.signIn(p.uid, p.password)).status).toBe(200);
    expect(await w.account(p.email)).toMatchObject({
      auth_type: 'ldap',
      ldap_uid: p.uid,
      directory_id: expect.stringContaining('entryUUID:'),
      role: 'user',
      is_active: true,
      approval_status: 'approved',
      password_hash: null,
      full_name: `Person ${p.uid}`,
    });
    expect(await w.audited(p.email)).toEqual([
      { event_type: 'auth.login.success', error_code: null, details: { method: 'ldap' } },
    ]);
  });

  it('signs in by directory username or e-mail address, in any spelling, to one account', async () => {
    const p = await w.person();
    for (const name of [p.email, p.uid, p.uid.toUpperCase(), ` ${p.email.toUpperCase()} `])
      expect((await w.identity.signIn(name, p.password)).status).toBe(200);
    const { rows } = await w.backends.sql.query('select 1 from "user" where ldap_uid = $1', [p.uid]);
    expect(rows).toHaveLength(1);
  });

  it('is pending under require_account_approval until it is approved', async () => {
    await w.set('local', { require_account_approval: true });
    const p = await w.person();
    const { status, body } = await w.identity.signIn(p.uid, p.password);
    expect({ status, code: body['code'] }).toEqual({ status: 403, code: 'account_pending_approval' });
    const wrong = await w.identity.signIn(p.uid, 'wrong');
    expect(wrong).toMatchObject({ status: 401, body: generic });
    const account = await w.account(p.email);
    expect(account).toMatchObject({ approval_status: 'pending', auth_type: 'ldap' });
    expect((await w.audited(p.uid)).map((r) => r.error_code)).toContain('ACCOUNT_PENDING_APPROVAL');
    await w.backends.sql.query(`update "user" set approval_status = 'approved' where uuid = $1`, [account?.['uuid']]);
    expect((await w.identity.signIn(p.uid, p.password)).status).toBe(200);
    await w.set('local', { require_account_approval: false });
  });

  it('is counted as a sign-up of method ldap', async () => {
    const p = await w.person();
    await w.identity.signIn(p.uid, p.password);
    const metrics = await (await fetch(`${w.identity.internal}/metrics`)).text();
    expect(metrics).toMatch(/user_signups_total\{method="ldap"\} [1-9]/);
  });

  it('is created once by twenty concurrent sign-ins, by both spellings', async () => {
    const p = await w.person();
    const all = await Promise.all(
      Array.from({ length: 20 }, (_, i) => w.identity.signIn(i % 2 ? p.uid : p.email, p.password)),
    );
    expect(all.filter((a) => a.status !== 200)).toEqual([]);
    const { rows } = await w.backends.sql.query('select 1 from "user" where ldap_uid = $1', [p.uid]);
    expect(rows).toHaveLength(1);
  });

  it('never signs in with a local password, even with a hash in its row', async () => {
    const p = await w.person();
    await w.identity.signIn(p.uid, p.password);
    const local = await addUser(w.backends.sql);
    await w.backends.sql.query(
      `update "user" set password_hash = (select password_hash from "user" where uuid = $1) where ldap_uid = $2`,
      [local.id, p.uid],
    );
    expect((await w.identity.signIn(p.uid, local.password)).status).toBe(401);
    await w.set('ldap', { ldap_enabled: false });
    expect((await w.identity.signIn(p.uid, local.password)).status).toBe(401);
    expect((await w.identity.signIn(p.uid, p.password)).status).toBe(401);
    await w.set('ldap', { ldap_enabled: true });
    expect((await w.identity.signIn(p.uid, p.password)).status).toBe(200);
  });
});

describe('admission', () => {
  const only = (...groups: string[]) => w.set('ldap', { ldap_user_groups: groups.join(';') });
  const group = async (cn: string, members: string[]) => {
    await w.slapd.apply(groupLdif(cn, members));
    return `cn=${cn},${w.slapd.groups}`;
  };
  afterEach(() => w.set('ldap', { ldap_user_groups: '', ldap_recursive_groups: false }));

  it('refuses an authenticated person without a required group like a wrong password', async () => {
    const [inside, outside] = [await w.person(), await w.person()];
    await only(`CN=Staff,${w.slapd.groups.toUpperCase()}`, await group('other', [w.slapd.bindDn]));
    await group('staff', [inside.dn]);
    expect((await w.identity.signIn(inside.uid, inside.password)).status).toBe(200);
    const { status, body } = await w.identity.signIn(outside.uid, outside.password);
    expect({ status, body }).toMatchObject({ status: 401, body: generic });
    expect((await w.audited(outside.uid)).map((r) => r.error_code)).toEqual(['NOT_ADMITTED']);
    expect(await w.account(outside.email)).toBeUndefined();
  });

  it('counts nested groups only when ldap_recursive_groups is on', async () => {
    const p = await w.person();
    const outer = await group('outer', [await group('inner', [p.dn])]);
    await only(outer);
    expect((await w.identity.signIn(p.uid, p.password)).status).toBe(401);
    await w.set('ldap', { ldap_recursive_groups: true });
    expect((await w.identity.signIn(p.uid, p.password)).status).toBe(200);
  });

  it('does not count a refusal as a failed password', async () => {
    const p = await w.person();
    await only(await group('closed', [w.slapd.bindDn]));
    for (let i = 0; i < 7; i++) await w.identity.signIn(p.uid, p.password);
    await only();
    expect((await w.identity.signIn(p.uid, p.password)).status).toBe(200);
  });
});

describe('roles and groups at sign-in', () => {
  it('promotes by ldap_admin_users and demotes when it goes: sessions revoked, ADMIN_ROLE_CHANGE by idp_login', async () => {
    const p = await w.person();
    const first = await w.identity.session(p.uid, p.password);
    expect(first.caller.role).toBe('user');
    await w.set('ldap', { ldap_admin_users: p.uid });
    const second = await w.identity.session(p.uid, p.password);
    expect(second.caller.role).toBe('admin');
    expect(await w.identity.resolve(first.accessToken)).toBeNull();
    await w.set('ldap', { ldap_admin_users: '' });
    const third = await w.identity.session(p.uid, p.password);
    expect(third.caller.role).toBe('user');
    expect(await w.identity.resolve(second.accessToken)).toBeNull();
    expect(await w.identity.resolve(third.accessToken)).toMatchObject({ role: 'user' });
    const { rows } = await w.backends.sql.query<{ actor: string }>(
      `select actor from audit_log where event_type = 'ADMIN_ROLE_CHANGE' and user_id = $1`,
      [first.caller.userId],
    );
    expect(rows.map((r) => r.actor)).toEqual(['idp_login', 'idp_login']);
  });

  it('never demotes a super_admin', async () => {
    const p = await w.person();
    const { caller } = await w.identity.session(p.uid, p.password);
    await w.backends.sql.query(`update "user" set role = 'super_admin' where uuid = $1`, [caller.userId]);
    const again = await w.identity.session(p.uid, p.password);
    await w.backends.sql.query(`update "user" set role = 'user' where uuid = $1`, [caller.userId]);
    expect(again.caller.role).toBe('super_admin');
  });

  it('adds a person to a mapped group with source ldap and removes them again, manual rows untouched', async () => {
    const p = await w.person();
    const dn = `cn=mapped,${w.slapd.groups}`;
    await w.slapd.apply(groupLdif('mapped', [p.dn]));
    const idOf = async (text: string, values: unknown[]) =>
      (await w.backends.sql.query<{ uuid: string }>(`${text} returning uuid`, values)).rows[0]?.uuid;
    const [mapped, byHand] = [
      await idOf('insert into user_group (name) values ($1)', ['Mapped']),
      await idOf('insert into user_group (name) values ($1)', ['By hand']),
    ];
    const mapping = await idOf(`insert into group_mapping (source, claim_value, group_id) values ('ldap', $1, $2)`, [
      dn.toUpperCase(),
      mapped,
    ]);
    const { caller } = await w.identity.session(p.uid, p.password);
    await w.backends.sql.query('insert into user_group_member (group_id, user_id) values ($1, $2)', [
      byHand,
      caller.userId,
    ]);
    const memberships = async () =>
      (
        await w.backends.sql.query<{ group_id: string; source: string }>(
          'select group_id, source from user_group_member where user_id = $1 order by source',
          [caller.userId],
        )
      ).rows;
    expect(await memberships()).toEqual([
      { group_id: mapped, source: 'ldap' },
      { group_id: byHand, source: 'manual' },
    ]);
    await w.backends.sql.query('delete from group_mapping where uuid = $1', [mapping]);
    await w.identity.signIn(p.uid, p.password);
    expect(await memberships()).toEqual([{ group_id: byHand, source: 'manual' }]);
  });
});

describe('the identity of an entry', () => {
  it('is decided by the immutable id: a recreated entry with an old name is refused and reported', async () => {
    const p = await w.person();
    const { caller } = await w.identity.session(p.uid, p.password);
    const before = await w.account(p.email);
    await w.slapd.apply(`dn: ${p.dn}\nchangetype: delete\n`);
    await w.person([], p.uid);
    const { status, body } = await w.identity.signIn(p.uid, p.password);
    expect({ status, body }).toMatchObject({ status: 401, body: generic });
    expect((await w.audited(p.uid)).at(-1)).toMatchObject({
      error_code: 'IDENTITY_CONFLICT',
      details: { reason: expect.stringContaining('identity_conflict') },
    });
    expect(await w.account(p.email)).toEqual({ ...before, failed_logins: 1 });
    expect(caller.userId).toBe(before?.['uuid']);
  });

  it('follows a renamed entry, its address and its name', async () => {
    const p = await w.person();
    const { caller } = await w.identity.session(p.uid, p.password);
    const renamed = `${p.uid}-new`;
    await w.slapd.apply(`dn: ${p.dn}\nchangetype: modrdn\nnewrdn: uid=${renamed}\ndeleteoldrdn: 1\n`);
    await w.slapd.apply(
      `dn: uid=${renamed},${w.slapd.people}\nchangetype: modify\nreplace: mail\nmail: ${renamed}@example.org\n-\nreplace: cn\ncn: New Name\n`,
    );
    expect((await w.identity.session(renamed, p.password)).caller.userId).toBe(caller.userId);
    expect(await w.account(`${renamed}@example.org`)).toMatchObject({
      uuid: caller.userId,
      ldap_uid: renamed,
      full_name: 'New Name',
    });
  });

  it('never takes the address of another account', async () => {
    const other = await addUser(w.backends.sql);
    const p = await w.person();
    const { caller } = await w.identity.session(p.uid, p.password);
    await w.slapd.apply(`dn: ${p.dn}\nchangetype: modify\nreplace: mail\nmail: ${other.email}\n`);
    expect((await w.identity.session(p.uid, p.password)).caller.userId).toBe(caller.userId);
    expect(await w.account(p.email)).toMatchObject({ uuid: caller.userId });
    expect(await w.account(other.email)).toMatchObject({ uuid: other.id });
  });

  it('adds the id once to an account that has only a name', async () => {
    const p = await w.person();
    const made = await addUser(w.backends.sql, { auth_type: 'ldap', ldap_uid: p.uid.toUpperCase() });
    await w.backends.sql.query('update "user" set email = $1 where uuid = $2', [p.email, made.id]);
    expect((await w.identity.session(p.uid, p.password)).caller.userId).toBe(made.id);
    expect(await w.account(p.email)).toMatchObject({ directory_id: expect.stringContaining('entryUUID:') });
    await w.slapd.apply(`dn: ${p.dn}\nchangetype: delete\n`);
    await w.person([], p.uid);
    expect((await w.identity.signIn(p.uid, p.password)).status).toBe(401);
  });

  it('is refused when a name is the address of one account and the user name of another', async () => {
    const one = await addUser(w.backends.sql);
    const p = await w.person([], `twice${Date.now()}`);
    await w.identity.signIn(p.uid, p.password);
    await w.backends.sql.query('update "user" set ldap_uid = $1 where ldap_uid = $2', [one.email, p.uid]);
    expect((await w.identity.signIn(one.email, one.password)).status).toBe(401);
    expect((await w.audited(one.email)).at(-1)).toMatchObject({ error_code: 'AMBIGUOUS_NAME' });
  });
});

describe('an account that was disabled here', () => {
  it('stays disabled after sign-ins of its owner, and only the owner gets this state as response', async () => {
    const p = await w.person();
    await w.identity.signIn(p.uid, p.password);
    await w.backends.sql.query('update "user" set is_active = false where ldap_uid = $1', [p.uid]);
    expect((await w.identity.signIn(p.uid, 'wrong')).body).toMatchObject(generic);
    for (let i = 0; i < 6; i++) {
      const { status, body, cookies } = await w.identity.signIn(p.email, p.password);
      expect({ status, code: body['code'], cookies }).toEqual({ status: 403, code: 'account_disabled', cookies: [] });
    }
    expect(await w.account(p.email)).toMatchObject({ is_active: false });
  });
});

describe('a name that two entries of the directory have', () => {
  it('is refused, as the address of both or as the address of one and the user name of the other', async () => {
    const one = await w.person();
    const twin = await w.person([`mail: ${one.email}`]);
    const named = await w.person();
    const other = await w.person([], named.email);
    for (const [name, password] of [
      [one.email, one.password],
      [one.email, twin.password],
      [named.email, named.password],
      [named.email, other.password],
    ] as const) {
      const { status, body } = await w.identity.signIn(name, password);
      expect({ status, body }).toMatchObject({ status: 401, body: generic });
    }
    expect(await w.account(one.email)).toBeUndefined();
    expect((await w.identity.signIn(one.uid, one.password)).status).toBe(200);
  });
});

describe('missing or ambiguous data of a directory', () => {
  it('is audited with the reasons of the specification, and not in the response', async () => {
    const p = await w.person();
    const noMail = await w.person();
    await w.slapd.apply(`dn: ${noMail.dn}\nchangetype: modify\ndelete: mail\n`);
    const reasonOf = async (name: string, password: string) => {
      const { status, body } = await w.identity.signIn(name, password);
      expect({ status, body }).toMatchObject({ status: 401, body: generic });
      return (await w.audited(name)).at(-1);
    };
    expect(await reasonOf('unknown-login', 'x')).toMatchObject({
      error_code: 'INVALID_CREDENTIALS',
      details: { reason: expect.stringContaining('User not found in LDAP') },
    });
    expect(await reasonOf(noMail.uid, noMail.password)).toMatchObject({
      error_code: 'INVALID_CREDENTIALS',
      details: { reason: expect.stringContaining('User has no email attribute') },
    });
    await w.set('ldap', { ldap_bind_password: 'wrong' });
    const unknown = await reasonOf(p.uid, p.password);
    await w.set('ldap', { ldap_bind_password: w.slapd.bindPassword });
    expect(unknown).toMatchObject({
      error_code: 'DIRECTORY_UNAVAILABLE',
      details: { reason: expect.stringContaining('Failed to bind to LDAP server') },
    });
    expect((await w.identity.signIn(p.uid, p.password)).status).toBe(200);
  });

  it('does not count as a failure: an outage locks no account', async () => {
    const p = await w.person();
    await w.identity.signIn(p.uid, p.password);
    await w.ask({ ldap_port: 1, ldap_server: '127.0.0.1' });
    for (let i = 0; i < 7; i++) expect((await w.identity.signIn(p.uid, p.password)).status).toBe(401);
    await w.ask({ ldap_port: 636, ldap_server: w.slapd.url });
    expect((await w.identity.signIn(p.uid, p.password)).status).toBe(200);
  });

  it('does not stop local sign-ins', async () => {
    const local = await addUser(w.backends.sql);
    await w.ask({ ldap_port: 1, ldap_server: '127.0.0.1' });
    expect((await w.identity.signIn(local.email, local.password)).status).toBe(200);
    expect((await w.identity.signIn(local.email, 'wrong')).status).toBe(401);
    await w.ask({ ldap_port: 636, ldap_server: w.slapd.url });
  });
});

describe('an empty password', () => {
  it.each(['', ' ', '\t\n'])('%j is refused like a wrong one, without a directory request', async (password) => {
    const p = await w.person();
    const { status, body } = await w.identity.signIn(p.uid, password);
    expect({ status, body }).toMatchObject({ status: 401, body: generic });
    expect((await w.audited(p.uid)).at(-1)).toMatchObject({ details: { reason: 'empty' } });
  });
});
