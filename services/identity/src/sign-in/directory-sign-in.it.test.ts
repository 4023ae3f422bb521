import { afterEach, describe, expect, it } from '@jest/globals';
import { groupLdif } from '@overtone/testkit';
import { startDirectoryWorld } from '../../test/directory-world.ts';
import { addUser } from '../../test/running-identity.ts';

const world = await startDirectoryWorld();

const generic = { code: 'invalid_credentials', detail: 'Incorrect username or password' };

describe('a directory account', () => {
  it('is created on first successful login, with auth_type ldap', async () => {
    const person = await world.person();
    expect((await world.identity.signIn(person.uid, person.password)).status).toBe(200);
    expect(await world.account(person.email)).toMatchObject({
      auth_type: 'ldap',
      ldap_uid: person.uid,
      directory_id: expect.stringContaining('entryUUID:'),
      role: 'user',
      is_active: true,
      approval_status: 'approved',
      password_hash: null,
      full_name: `Person ${person.uid}`,
    });
    expect(await world.audited(person.email)).toEqual([
      { event_type: 'auth.login.success', error_code: null, details: { method: 'ldap' } },
    ]);
  });

  it('signs in by directory username or e-mail address, in any spelling, to one account', async () => {
    const person = await world.person();
    for (const name of [person.email, person.uid, person.uid.toUpperCase(), ` ${person.email.toUpperCase()} `])
      expect((await world.identity.signIn(name, person.password)).status).toBe(200);
    const { rows } = await world.backends.sql.query('select 1 from "user" where ldap_uid = $1', [person.uid]);
    expect(rows).toHaveLength(1);
  });

  it('is pending under require_account_approval until it is approved', async () => {
    await world.set('local', { require_account_approval: true });
    const person = await world.person();
    const { status, body } = await world.identity.signIn(person.uid, person.password);
    expect({ status, code: body['code'] }).toEqual({ status: 403, code: 'account_pending_approval' });
    const wrong = await world.identity.signIn(person.uid, 'wrong');
    expect(wrong).toMatchObject({ status: 401, body: generic });
    const account = await world.account(person.email);
    expect(account).toMatchObject({ approval_status: 'pending', auth_type: 'ldap' });
    expect((await world.audited(person.uid)).map((record) => record.error_code)).toContain('ACCOUNT_PENDING_APPROVAL');
    await world.backends.sql.query(`update "user" set approval_status = 'approved' where uuid = $1`, [
      account?.['uuid'],
    ]);
    expect((await world.identity.signIn(person.uid, person.password)).status).toBe(200);
    await world.set('local', { require_account_approval: false });
  });

  it('is counted as a sign-up of method ldap', async () => {
    const person = await world.person();
    await world.identity.signIn(person.uid, person.password);
    const metrics = await (await fetch(`${world.identity.internal}/metrics`)).text();
    expect(metrics).toMatch(/user_signups_total\{method="ldap"\} [1-9]/);
  });

  it('is created once by twenty concurrent sign-ins, by both spellings', async () => {
    const person = await world.person();
    const all = await Promise.all(
      Array.from({ length: 20 }, (_, i) => world.identity.signIn(i % 2 ? person.uid : person.email, person.password)),
    );
    expect(all.filter((answer) => answer.status !== 200)).toEqual([]);
    const { rows } = await world.backends.sql.query('select 1 from "user" where ldap_uid = $1', [person.uid]);
    expect(rows).toHaveLength(1);
  });

  it('never signs in with a local password, even with a hash in its row', async () => {
    const person = await world.person();
    await world.identity.signIn(person.uid, person.password);
    const local = await addUser(world.backends.sql);
    await world.backends.sql.query(
      `update "user" set password_hash = (select password_hash from "user" where uuid = $1) where ldap_uid = $2`,
      [local.id, person.uid],
    );
    expect((await world.identity.signIn(person.uid, local.password)).status).toBe(401);
    await world.set('ldap', { ldap_enabled: false });
    expect((await world.identity.signIn(person.uid, local.password)).status).toBe(401);
    expect((await world.identity.signIn(person.uid, person.password)).status).toBe(401);
    await world.set('ldap', { ldap_enabled: true });
    expect((await world.identity.signIn(person.uid, person.password)).status).toBe(200);
  });
});

describe('admission', () => {
  const only = (...groups: string[]) => world.set('ldap', { ldap_user_groups: groups.join(';') });
  const group = async (cn: string, members: string[]) => {
    await world.slapd.apply(groupLdif(cn, members));
    return `cn=${cn},${world.slapd.groups}`;
  };
  afterEach(() => world.set('ldap', { ldap_user_groups: '', ldap_recursive_groups: false }));

  it('refuses an authenticated person without a required group like a wrong password', async () => {
    const [inside, outside] = [await world.person(), await world.person()];
    await only(`CN=Staff,${world.slapd.groups.toUpperCase()}`, await group('other', [world.slapd.bindDn]));
    await group('staff', [inside.dn]);
    expect((await world.identity.signIn(inside.uid, inside.password)).status).toBe(200);
    const { status, body } = await world.identity.signIn(outside.uid, outside.password);
    expect({ status, body }).toMatchObject({ status: 401, body: generic });
    expect((await world.audited(outside.uid)).map((record) => record.error_code)).toEqual(['NOT_ADMITTED']);
    expect(await world.account(outside.email)).toBeUndefined();
  });

  it('counts nested groups only when ldap_recursive_groups is on', async () => {
    const person = await world.person();
    const outer = await group('outer', [await group('inner', [person.dn])]);
    await only(outer);
    expect((await world.identity.signIn(person.uid, person.password)).status).toBe(401);
    await world.set('ldap', { ldap_recursive_groups: true });
    expect((await world.identity.signIn(person.uid, person.password)).status).toBe(200);
  });

  it('does not count a refusal as a failed password', async () => {
    const person = await world.person();
    await only(await group('closed', [world.slapd.bindDn]));
    for (let i = 0; i < 7; i++) await world.identity.signIn(person.uid, person.password);
    await only();
    expect((await world.identity.signIn(person.uid, person.password)).status).toBe(200);
  });
});

describe('roles and groups at sign-in', () => {
  it('promotes by ldap_admin_users and demotes when it goes: sessions revoked, ADMIN_ROLE_CHANGE by idp_login', async () => {
    const person = await world.person();
    const first = await world.identity.session(person.uid, person.password);
    expect(first.caller.role).toBe('user');
    await world.set('ldap', { ldap_admin_users: person.uid });
    const second = await world.identity.session(person.uid, person.password);
    expect(second.caller.role).toBe('admin');
    expect(await world.identity.resolve(first.accessToken)).toBeNull();
    await world.set('ldap', { ldap_admin_users: '' });
    const third = await world.identity.session(person.uid, person.password);
    expect(third.caller.role).toBe('user');
    expect(await world.identity.resolve(second.accessToken)).toBeNull();
    expect(await world.identity.resolve(third.accessToken)).toMatchObject({ role: 'user' });
    const { rows } = await world.backends.sql.query<{ actor: string }>(
      `select actor from audit_log where event_type = 'ADMIN_ROLE_CHANGE' and user_id = $1`,
      [first.caller.userId],
    );
    expect(rows.map((row) => row.actor)).toEqual(['idp_login', 'idp_login']);
  });

  it('never demotes a super_admin', async () => {
    const person = await world.person();
    const { caller } = await world.identity.session(person.uid, person.password);
    await world.backends.sql.query(`update "user" set role = 'super_admin' where uuid = $1`, [caller.userId]);
    const again = await world.identity.session(person.uid, person.password);
    await world.backends.sql.query(`update "user" set role = 'user' where uuid = $1`, [caller.userId]);
    expect(again.caller.role).toBe('super_admin');
  });

  it('adds a person to a mapped group with source ldap and removes them again, manual rows untouched', async () => {
    const person = await world.person();
    const dn = `cn=mapped,${world.slapd.groups}`;
    await world.slapd.apply(groupLdif('mapped', [person.dn]));
    const idOf = async (text: string, values: unknown[]) =>
      (await world.backends.sql.query<{ uuid: string }>(`${text} returning uuid`, values)).rows[0]?.uuid;
    const [mapped, byHand] = [
      await idOf('insert into user_group (name) values ($1)', ['Mapped']),
      await idOf('insert into user_group (name) values ($1)', ['By hand']),
    ];
    const mapping = await idOf(`insert into group_mapping (source, claim_value, group_id) values ('ldap', $1, $2)`, [
      dn.toUpperCase(),
      mapped,
    ]);
    const { caller } = await world.identity.session(person.uid, person.password);
    await world.backends.sql.query('insert into user_group_member (group_id, user_id) values ($1, $2)', [
      byHand,
      caller.userId,
    ]);
    const memberships = async () =>
      (
        await world.backends.sql.query<{ group_id: string; source: string }>(
          'select group_id, source from user_group_member where user_id = $1 order by source',
          [caller.userId],
        )
      ).rows;
    expect(await memberships()).toEqual([
      { group_id: mapped, source: 'ldap' },
      { group_id: byHand, source: 'manual' },
    ]);
    await world.backends.sql.query('delete from group_mapping where uuid = $1', [mapping]);
    await world.identity.signIn(person.uid, person.password);
    expect(await memberships()).toEqual([{ group_id: byHand, source: 'manual' }]);
  });
});

describe('the identity of an entry', () => {
  it('is decided by the immutable id: a recreated entry with an old name is refused and reported', async () => {
    const person = await world.person();
    const { caller } = await world.identity.session(person.uid, person.password);
    const before = await world.account(person.email);
    await world.slapd.apply(`dn: ${person.dn}\nchangetype: delete\n`);
    await world.person([], person.uid);
    const { status, body } = await world.identity.signIn(person.uid, person.password);
    expect({ status, body }).toMatchObject({ status: 401, body: generic });
    expect((await world.audited(person.uid)).at(-1)).toMatchObject({
      error_code: 'IDENTITY_CONFLICT',
      details: { reason: expect.stringContaining('identity_conflict') },
    });
    expect(await world.account(person.email)).toEqual({ ...before, failed_logins: 1 });
    expect(caller.userId).toBe(before?.['uuid']);
  });

  it('follows a renamed entry, its address and its name', async () => {
    const person = await world.person();
    const { caller } = await world.identity.session(person.uid, person.password);
    const renamed = `${person.uid}-new`;
    await world.slapd.apply(`dn: ${person.dn}\nchangetype: modrdn\nnewrdn: uid=${renamed}\ndeleteoldrdn: 1\n`);
    await world.slapd.apply(
      `dn: uid=${renamed},${world.slapd.people}\nchangetype: modify\nreplace: mail\nmail: ${renamed}@example.org\n-\nreplace: cn\ncn: New Name\n`,
    );
    expect((await world.identity.session(renamed, person.password)).caller.userId).toBe(caller.userId);
    expect(await world.account(`${renamed}@example.org`)).toMatchObject({
      uuid: caller.userId,
      ldap_uid: renamed,
      full_name: 'New Name',
    });
  });

  it('never takes the address of another account', async () => {
    const other = await addUser(world.backends.sql);
    const person = await world.person();
    const { caller } = await world.identity.session(person.uid, person.password);
    await world.slapd.apply(`dn: ${person.dn}\nchangetype: modify\nreplace: mail\nmail: ${other.email}\n`);
    expect((await world.identity.session(person.uid, person.password)).caller.userId).toBe(caller.userId);
    expect(await world.account(person.email)).toMatchObject({ uuid: caller.userId });
    expect(await world.account(other.email)).toMatchObject({ uuid: other.id });
  });

  it('adds the id once to an account that has only a name', async () => {
    const person = await world.person();
    const made = await addUser(world.backends.sql, { auth_type: 'ldap', ldap_uid: person.uid.toUpperCase() });
    await world.backends.sql.query('update "user" set email = $1 where uuid = $2', [person.email, made.id]);
    expect((await world.identity.session(person.uid, person.password)).caller.userId).toBe(made.id);
    expect(await world.account(person.email)).toMatchObject({ directory_id: expect.stringContaining('entryUUID:') });
    await world.slapd.apply(`dn: ${person.dn}\nchangetype: delete\n`);
    await world.person([], person.uid);
    expect((await world.identity.signIn(person.uid, person.password)).status).toBe(401);
  });

  it('is refused when a name is the address of one account and the user name of another', async () => {
    const one = await addUser(world.backends.sql);
    const person = await world.person([], `twice${Date.now()}`);
    await world.identity.signIn(person.uid, person.password);
    await world.backends.sql.query('update "user" set ldap_uid = $1 where ldap_uid = $2', [one.email, person.uid]);
    expect((await world.identity.signIn(one.email, one.password)).status).toBe(401);
    expect((await world.audited(one.email)).at(-1)).toMatchObject({ error_code: 'AMBIGUOUS_NAME' });
  });
});

describe('an account that was disabled here', () => {
  it('stays disabled after sign-ins of its owner, and only the owner gets this state as response', async () => {
    const person = await world.person();
    await world.identity.signIn(person.uid, person.password);
    await world.backends.sql.query('update "user" set is_active = false where ldap_uid = $1', [person.uid]);
    expect((await world.identity.signIn(person.uid, 'wrong')).body).toMatchObject(generic);
    for (let i = 0; i < 6; i++) {
      const { status, body, cookies } = await world.identity.signIn(person.email, person.password);
      expect({ status, code: body['code'], cookies }).toEqual({ status: 403, code: 'account_disabled', cookies: [] });
    }
    expect(await world.account(person.email)).toMatchObject({ is_active: false });
  });
});

describe('a name that two entries of the directory have', () => {
  it('is refused, as the address of both or as the address of one and the user name of the other', async () => {
    const one = await world.person();
    const twin = await world.person([`mail: ${one.email}`]);
    const named = await world.person();
    const other = await world.person([], named.email);
    for (const [name, password] of [
      [one.email, one.password],
      [one.email, twin.password],
      [named.email, named.password],
      [named.email, other.password],
    ] as const) {
      const { status, body } = await world.identity.signIn(name, password);
      expect({ status, body }).toMatchObject({ status: 401, body: generic });
    }
    expect(await world.account(one.email)).toBeUndefined();
    expect((await world.identity.signIn(one.uid, one.password)).status).toBe(200);
  });
});

describe('a directory account after a restore of the database', () => {
  it('is refused, with the reason for its verified owner only, until a directory sync run has completed', async () => {
    const restored = await startDirectoryWorld();
    const person = await restored.person();
    const { sql } = restored.backends;
    await sql.query(`insert into restore_record (backup_name) values ('overtone-1')`);
    expect(await restored.identity.signIn(person.uid, person.password)).toMatchObject({
      status: 403,
      body: { code: 'directory_check_pending' },
    });
    expect(await restored.identity.signIn(person.uid, 'wrong')).toMatchObject({ status: 401, body: generic });
    expect((await restored.audited(person.uid)).map((record) => record.error_code)).toContain(
      'DIRECTORY_CHECK_PENDING',
    );
    await sql.query('update restore_record set directory_checked_at = now()');
    expect((await restored.identity.signIn(person.uid, person.password)).status).toBe(200);
  });
});

describe('missing or ambiguous data of a directory', () => {
  it('is audited with the reasons of the specification, and not in the response', async () => {
    const person = await world.person();
    const noMail = await world.person();
    await world.slapd.apply(`dn: ${noMail.dn}\nchangetype: modify\ndelete: mail\n`);
    const reasonOf = async (name: string, password: string) => {
      const { status, body } = await world.identity.signIn(name, password);
      expect({ status, body }).toMatchObject({ status: 401, body: generic });
      return (await world.audited(name)).at(-1);
    };
    expect(await reasonOf('unknown-login', 'x')).toMatchObject({
      error_code: 'INVALID_CREDENTIALS',
      details: { reason: expect.stringContaining('User not found in LDAP') },
    });
    expect(await reasonOf(noMail.uid, noMail.password)).toMatchObject({
      error_code: 'INVALID_CREDENTIALS',
      details: { reason: expect.stringContaining('User has no email attribute') },
    });
    await world.set('ldap', { ldap_bind_password: 'wrong' });
    const unknown = await reasonOf(person.uid, person.password);
    await world.set('ldap', { ldap_bind_password: world.slapd.bindPassword });
    expect(unknown).toMatchObject({
      error_code: 'DIRECTORY_UNAVAILABLE',
      details: { reason: expect.stringContaining('Failed to bind to LDAP server') },
    });
    expect((await world.identity.signIn(person.uid, person.password)).status).toBe(200);
  });

  it('does not count as a failure: an outage locks no account', async () => {
    const person = await world.person();
    await world.identity.signIn(person.uid, person.password);
    await world.ask({ ldap_port: 1, ldap_server: '127.0.0.1' });
    for (let i = 0; i < 7; i++) expect((await world.identity.signIn(person.uid, person.password)).status).toBe(401);
    await world.ask({ ldap_port: 636, ldap_server: world.slapd.url });
    expect((await world.identity.signIn(person.uid, person.password)).status).toBe(200);
  });

  it('does not stop local sign-ins', async () => {
    const local = await addUser(world.backends.sql);
    await world.ask({ ldap_port: 1, ldap_server: '127.0.0.1' });
    expect((await world.identity.signIn(local.email, local.password)).status).toBe(200);
    expect((await world.identity.signIn(local.email, 'wrong')).status).toBe(401);
    await world.ask({ ldap_port: 636, ldap_server: world.slapd.url });
  });
});

describe('an empty password', () => {
  it.each(['', ' ', '\t\n'])('%j is refused like a wrong one, without a directory request', async (password) => {
    const person = await world.person();
    const { status, body } = await world.identity.signIn(person.uid, password);
    expect({ status, body }).toMatchObject({ status: 401, body: generic });
    expect((await world.audited(person.uid)).at(-1)).toMatchObject({ details: { reason: 'empty' } });
  });
});
