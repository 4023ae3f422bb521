import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startDirectoryWorld, type DirectoryWorld } from '../../test/directory-world.ts';
import { startLineTo } from '../../test/line-to.ts';
import { addUser } from '../../test/running-identity.ts';

let w: DirectoryWorld;
let line: Awaited<ReturnType<typeof startLineTo>>;
beforeAll(async () => {
  // Below the limit of the directory, which is three, as recommended.
  w = await startDirectoryWorld({ ACCOUNT_LOCKOUT_THRESHOLD: '2' });
  line = await startLineTo(w.slapd.port);
  await w.ask({ ldap_server: line.url });
});
afterAll(async () => {
  await line.stop();
  await w.stop();
});

async function fail(...names: string[]) {
  for (const name of names) expect((await w.identity.signIn(name, 'wrong')).status).toBe(401);
}

async function lockedMinutes(ldapUid: string) {
  const { rows } = await w.backends.sql.query<{ minutes: number | null }>(
    `select round(extract(epoch from locked_until - now()) / 60)::int as minutes from "user" where ldap_uid = $1`,
    [ldapUid],
  );
  return rows[0]?.minutes;
}

describe('the lockout of a directory account', () => {
  it('counts both spellings together', async () => {
    const p = await w.person();
    await w.identity.signIn(p.uid, p.password);
    await fail(p.uid, p.email);
    expect(await lockedMinutes(p.uid)).toBe(15);
    for (const name of [p.uid, p.email, p.uid.toUpperCase()])
      expect((await w.identity.signIn(name, p.password)).status).toBe(401);
  });

  it('counts both spellings together before there is an account', async () => {
    const p = await w.person();
    await fail(p.uid, p.email.toUpperCase());
    for (const name of [p.email, p.uid]) expect((await w.identity.signIn(name, p.password)).status).toBe(401);
    expect(await w.account(p.email)).toBeUndefined();
    expect((await w.audited(p.uid)).at(-1)).toMatchObject({ error_code: 'ACCOUNT_LOCKED' });
  });

  it('sends no directory request while locked, with and without an account', async () => {
    const [known, unknown] = [await w.person(), await w.person()];
    await w.identity.signIn(known.uid, known.password);
    await fail(known.uid, known.uid, unknown.uid, unknown.uid);
    const before = line.bytes();
    for (const p of [known, unknown]) for (const name of [p.uid, p.email]) await w.identity.signIn(name, p.password);
    expect(line.bytes()).toBe(before);
  });

  it('stays below the limit of the directory: a hundred wrong sign-ins do not lock the account there', async () => {
    const p = await w.person();
    await w.identity.signIn(p.uid, p.password);
    await Promise.all(Array.from({ length: 100 }, (_, i) => w.identity.signIn(i % 2 ? p.uid : p.email, 'wrong')));
    // The directory locks after three failures; the correct password still works there.
    await w.backends.sql.query(`update "user" set locked_until = null, failed_logins = 0 where ldap_uid = $1`, [p.uid]);
    expect((await w.identity.signIn(p.uid, p.password)).status).toBe(200);
  });

  it('is shared by an account and the other directory names of its owner', async () => {
    const p = await w.person(['employeeNumber: 4711', 'givenName: x']);
    await w.identity.signIn(p.uid, p.password);
    await w.set('ldap', { ldap_user_search_filter: '(|({username_attr}={username})(employeeNumber={username}))' });
    await fail('4711', p.uid);
    expect(await lockedMinutes(p.uid)).toBe(15);
    expect((await w.identity.signIn('4711', p.password)).status).toBe(401);
    await w.set('ldap', { ldap_user_search_filter: '({username_attr}={username})' });
  });

  it('resets the count after the correct password', async () => {
    const p = await w.person();
    for (let i = 0; i < 3; i++) {
      await fail(p.uid);
      expect((await w.identity.signIn(p.email, p.password)).status).toBe(200);
    }
  });

  it('does not reset the count of an account for another person with its address in the directory', async () => {
    const victim = await addUser(w.backends.sql);
    const p = await w.person([`mail: ${victim.email}`]);
    await fail(victim.email);
    expect((await w.identity.signIn(victim.email, p.password)).status).toBe(401);
    expect((await w.audited(p.uid)).at(-1)).toMatchObject({ error_code: 'ACCOUNT_LINK_REFUSED' });
    const { rows } = await w.backends.sql.query('select locked_until > now() as locked from "user" where uuid = $1', [
      victim.id,
    ]);
    expect(rows).toEqual([{ locked: true }]);
  });

  it('limits concurrent attempts at many names like sequential ones', async () => {
    const p = await w.person();
    await Promise.all(Array.from({ length: 30 }, (_, i) => w.identity.signIn(i % 2 ? p.uid : p.email, 'wrong')));
    expect((await w.identity.signIn(p.uid, p.password)).status).toBe(401);
    const { rows } = await w.backends.sql.query<{ n: number }>(
      `select count(*)::int as n from audit_log where username in ($1, $2) and error_code = 'INVALID_CREDENTIALS'`,
      [p.uid, p.email],
    );
    expect(rows[0]?.n).toBeLessThanOrEqual(2);
  });
});

describe('an empty password', () => {
  it('sends no directory request for a known or unknown name, and does not count as a failure', async () => {
    const p = await w.person();
    await w.identity.signIn(p.uid, p.password);
    const before = line.bytes();
    for (const name of [p.uid, p.email, 'another value', ''])
      for (const empty of ['', ' ', '\t']) {
        const { status, body } = await w.identity.signIn(name, empty);
        expect({ status, code: body['code'] }).toEqual({ status: 401, code: 'invalid_credentials' });
      }
    expect((await w.identity.ask('/api/auth/token', { form: { username: p.uid } })).status).toBe(422);
    expect(line.bytes()).toBe(before);
    expect((await w.identity.signIn(p.uid, p.password)).status).toBe(200);
  });
});

describe('lockout settings', () => {
  const minutesAfterFailures = async (count: number) => {
    const p = await w.person();
    await w.identity.signIn(p.uid, p.password);
    await fail(...Array.from({ length: count }, () => p.uid));
    return lockedMinutes(p.uid);
  };

  it('account_lockout_threshold applies from the next sign-in on', async () => {
    await w.set('lockout', { account_lockout_threshold: 1 });
    expect(await minutesAfterFailures(1)).toBe(15);
    const stranger = await w.person();
    await fail(stranger.uid);
    expect((await w.identity.signIn(stranger.uid, stranger.password)).status).toBe(401);
    await w.set('lockout', { account_lockout_threshold: 2 });
    expect(await minutesAfterFailures(1)).toBeNull();
  });

  it('account_lockout_duration_minutes and account_lockout_max_duration_minutes set its length', async () => {
    await w.set('lockout', { account_lockout_duration_minutes: 7 });
    expect(await minutesAfterFailures(2)).toBe(7);
    await w.set('lockout', { account_lockout_duration_minutes: 7, account_lockout_max_duration_minutes: 10 });
    const local = await addUser(w.backends.sql);
    const lengths: unknown[] = [];
    for (let i = 0; i < 3; i++) {
      await fail(local.email, local.email);
      const { rows } = await w.backends.sql.query<{ minutes: number }>(
        `update "user" t set locked_until = now() from "user" before where t.uuid = $1 and before.uuid = t.uuid
         returning round(extract(epoch from before.locked_until - now()) / 60)::int as minutes`,
        [local.id],
      );
      lengths.push(rows[0]?.minutes);
    }
    expect(lengths).toEqual([7, 10, 10]);
    await w.set('lockout', { account_lockout_duration_minutes: 15, account_lockout_max_duration_minutes: 1440 });
  });

  it('account_lockout_progressive off keeps every lock the same', async () => {
    await w.set('lockout', { account_lockout_progressive: false });
    const p = await w.person();
    await w.identity.signIn(p.uid, p.password);
    for (let i = 0; i < 3; i++) {
      await fail(p.uid, p.uid);
      expect(await lockedMinutes(p.uid)).toBe(15);
      await w.backends.sql.query(`update "user" set locked_until = now() where ldap_uid = $1`, [p.uid]);
    }
    await w.set('lockout', { account_lockout_progressive: true });
  });

  it('locks no account with account_lockout_enabled off', async () => {
    await w.set('lockout', { account_lockout_enabled: false });
    const local = await addUser(w.backends.sql);
    await fail(...Array.from({ length: 5 }, () => local.email));
    expect((await w.identity.signIn(local.email, local.password)).status).toBe(200);
    await w.set('lockout', { account_lockout_enabled: true });
  });
});
