import { describe, expect, it } from '@jest/globals';
import { startDirectoryWorld } from '../../test/directory-world.ts';
import { startLineTo } from '../../test/line-to.ts';
import { addUser } from '../../test/running-identity.ts';

// Below the limit of the directory, which is three, as recommended.
const world = await startDirectoryWorld({ ACCOUNT_LOCKOUT_THRESHOLD: '2' });
const line = await startLineTo(world.slapd.port);
await world.ask({ ldap_server: line.url });

async function fail(...names: string[]) {
  for (const name of names) expect((await world.identity.signIn(name, 'wrong')).status).toBe(401);
}

async function lockedMinutes(ldapUid: string) {
  const { rows } = await world.backends.sql.query<{ minutes: number | null }>(
    `select round(extract(epoch from locked_until - now()) / 60)::int as minutes from "user" where ldap_uid = $1`,
    [ldapUid],
  );
  return rows[0]?.minutes;
}

describe('the lockout of a directory account', () => {
  it('counts both spellings together', async () => {
    const person = await world.person();
    await world.identity.signIn(person.uid, person.password);
    await fail(person.uid, person.email);
    expect(await lockedMinutes(person.uid)).toBe(15);
    for (const name of [person.uid, person.email, person.uid.toUpperCase()])
      expect((await world.identity.signIn(name, person.password)).status).toBe(401);
  });

  it('counts both spellings together before there is an account', async () => {
    const person = await world.person();
    await fail(person.uid, person.email.toUpperCase());
    for (const name of [person.email, person.uid])
      expect((await world.identity.signIn(name, person.password)).status).toBe(401);
    expect(await world.account(person.email)).toBeUndefined();
    expect((await world.audited(person.uid)).at(-1)).toMatchObject({ error_code: 'ACCOUNT_LOCKED' });
  });

  it('is lifted for both spellings when it began before there was an account', async () => {
    const person = await world.person();
    await fail(person.uid, person.email);
    const { sql } = world.backends;
    const fields = { email: person.email, ldap_uid: person.uid, auth_type: 'ldap', password_hash: null };
    const { id } = await addUser(sql, fields);
    const unlock = { method: 'POST', caller: world.admin };
    expect((await world.identity.ask(`/api/admin/users/${id}/unlock`, unlock)).status).toBe(200);
    const names = [person.uid, person.email].map((name) => `name:${name}`);
    const { rowCount } = await sql.query('select from login_lockout where login_key = any($1)', [names]);
    expect(rowCount).toBe(0);
  });

  it('sends no directory request while locked, with and without an account', async () => {
    const [known, unknown] = [await world.person(), await world.person()];
    await world.identity.signIn(known.uid, known.password);
    await fail(known.uid, known.uid, unknown.uid, unknown.uid);
    const before = line.bytes();
    for (const person of [known, unknown])
      for (const name of [person.uid, person.email]) await world.identity.signIn(name, person.password);
    expect(line.bytes()).toBe(before);
  });

  it('stays below the limit of the directory: a hundred wrong sign-ins do not lock the account there', async () => {
    const person = await world.person();
    await world.identity.signIn(person.uid, person.password);
    await Promise.all(
      Array.from({ length: 100 }, (_, i) => world.identity.signIn(i % 2 ? person.uid : person.email, 'wrong')),
    );
    // The directory locks after three failures; the correct password still works there.
    await world.backends.sql.query(`update "user" set locked_until = null, failed_logins = 0 where ldap_uid = $1`, [
      person.uid,
    ]);
    expect((await world.identity.signIn(person.uid, person.password)).status).toBe(200);
  });

  it('is shared by an account and the other directory names of its owner', async () => {
    const person = await world.person(['employeeNumber: 4711', 'givenName: x']);
    await world.identity.signIn(person.uid, person.password);
    await world.set('ldap', { ldap_user_search_filter: '(|({username_attr}={username})(employeeNumber={username}))' });
    await fail('4711', person.uid);
    expect(await lockedMinutes(person.uid)).toBe(15);
    expect((await world.identity.signIn('4711', person.password)).status).toBe(401);
    await world.set('ldap', { ldap_user_search_filter: '({username_attr}={username})' });
  });

  it('resets the count after the correct password', async () => {
    const person = await world.person();
    for (let i = 0; i < 3; i++) {
      await fail(person.uid);
      expect((await world.identity.signIn(person.email, person.password)).status).toBe(200);
    }
  });

  it('does not reset the count of an account for another person with its address in the directory', async () => {
    const victim = await addUser(world.backends.sql);
    const person = await world.person([`mail: ${victim.email}`]);
    await fail(victim.email);
    expect((await world.identity.signIn(victim.email, person.password)).status).toBe(401);
    expect((await world.audited(person.uid)).at(-1)).toMatchObject({ error_code: 'ACCOUNT_LINK_REFUSED' });
    const { rows } = await world.backends.sql.query(
      'select locked_until > now() as locked from "user" where uuid = $1',
      [victim.id],
    );
    expect(rows).toEqual([{ locked: true }]);
  });

  it('limits concurrent attempts at many names like sequential ones', async () => {
    const person = await world.person();
    await Promise.all(
      Array.from({ length: 30 }, (_, i) => world.identity.signIn(i % 2 ? person.uid : person.email, 'wrong')),
    );
    expect((await world.identity.signIn(person.uid, person.password)).status).toBe(401);
    const { rows } = await world.backends.sql.query<{ n: number }>(
      `select count(*)::int as n from audit_log where username in ($1, $2) and error_code = 'INVALID_CREDENTIALS'`,
      [person.uid, person.email],
    );
    expect(rows[0]?.n).toBeLessThanOrEqual(2);
  });
});

describe('an empty password', () => {
  it('sends no directory request for a known or unknown name, and does not count as a failure', async () => {
    const person = await world.person();
    await world.identity.signIn(person.uid, person.password);
    const before = line.bytes();
    for (const name of [person.uid, person.email, 'another value', ''])
      for (const empty of ['', ' ', '\t']) {
        const { status, body } = await world.identity.signIn(name, empty);
        expect({ status, code: body['code'] }).toEqual({ status: 401, code: 'invalid_credentials' });
      }
    expect((await world.identity.ask('/api/auth/token', { form: { username: person.uid } })).status).toBe(422);
    expect(line.bytes()).toBe(before);
    expect((await world.identity.signIn(person.uid, person.password)).status).toBe(200);
  });
});

describe('lockout settings', () => {
  const minutesAfterFailures = async (count: number) => {
    const person = await world.person();
    await world.identity.signIn(person.uid, person.password);
    await fail(...Array.from({ length: count }, () => person.uid));
    return lockedMinutes(person.uid);
  };

  it('account_lockout_threshold applies from the next sign-in on', async () => {
    await world.set('lockout', { account_lockout_threshold: 1 });
    expect(await minutesAfterFailures(1)).toBe(15);
    const stranger = await world.person();
    await fail(stranger.uid);
    expect((await world.identity.signIn(stranger.uid, stranger.password)).status).toBe(401);
    await world.set('lockout', { account_lockout_threshold: 2 });
    expect(await minutesAfterFailures(1)).toBeNull();
  });

  it('account_lockout_duration_minutes and account_lockout_max_duration_minutes set its length', async () => {
    await world.set('lockout', { account_lockout_duration_minutes: 7 });
    expect(await minutesAfterFailures(2)).toBe(7);
    await world.set('lockout', { account_lockout_duration_minutes: 7, account_lockout_max_duration_minutes: 10 });
    const local = await addUser(world.backends.sql);
    const lengths: unknown[] = [];
    for (let i = 0; i < 3; i++) {
      await fail(local.email, local.email);
      const { rows } = await world.backends.sql.query<{ minutes: number }>(
        `update "user" t set locked_until = now() from "user" before where t.uuid = $1 and before.uuid = t.uuid
         returning round(extract(epoch from before.locked_until - now()) / 60)::int as minutes`,
        [local.id],
      );
      lengths.push(rows[0]?.minutes);
    }
    expect(lengths).toEqual([7, 10, 10]);
    await world.set('lockout', { account_lockout_duration_minutes: 15, account_lockout_max_duration_minutes: 1440 });
  });

  it('account_lockout_progressive off keeps every lock the same', async () => {
    await world.set('lockout', { account_lockout_progressive: false });
    const person = await world.person();
    await world.identity.signIn(person.uid, person.password);
    for (let i = 0; i < 3; i++) {
      await fail(person.uid, person.uid);
      expect(await lockedMinutes(person.uid)).toBe(15);
      await world.backends.sql.query(`update "user" set locked_until = now() where ldap_uid = $1`, [person.uid]);
    }
    await world.set('lockout', { account_lockout_progressive: true });
  });

  it('locks no account with account_lockout_enabled off', async () => {
    await world.set('lockout', { account_lockout_enabled: false });
    const local = await addUser(world.backends.sql);
    await fail(...Array.from({ length: 5 }, () => local.email));
    expect((await world.identity.signIn(local.email, local.password)).status).toBe(200);
    await world.set('lockout', { account_lockout_enabled: true });
  });
});
