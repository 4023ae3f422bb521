import { describe, expect, it } from '@jest/globals';
import { waitFor } from '@overtone/testkit';
import { stopAfterFile } from '@overtone/testkit/cleanup';
import { startOidcProvider, type OidcProvider } from '@overtone/testkit/oidc';
import { codeOf, type Session } from '../../test/administration.ts';
import { createBrowser } from '../../test/oidc-browser.ts';
import { addUser, collectEvents, setUpIdentity, type Answer } from '../../test/running-identity.ts';

const callbackUrl = 'http://localhost:8080/login';
const users = Object.fromEntries(
  ['una', 'vic', 'boss', 'root', 'ada', 'taken', 'nomail', 'swapped', 'off'].map((sub) => [
    sub,
    { email: `${sub}@example.org`, email_verified: true, name: sub },
  ]),
);
const options = { redirectUris: [callbackUrl], users };
const old = await stopAfterFile(startOidcProvider(options));
const renamed = await stopAfterFile(startOidcProvider(options));

const { backends, identity } = await setUpIdentity({
  OIDC_ENABLED: 'true',
  OIDC_DISCOVERY_URL: old.issuer,
  OIDC_CLIENT_ID: old.clientId,
  OIDC_CLIENT_SECRET: old.clientSecret,
  OIDC_CALLBACK_URL: callbackUrl,
  OIDC_SCOPES: 'openid email profile',
  SIGN_IN_REFUSAL_MS: '0',
});
const root = await identity.session();
const updated = collectEvents(backends.bus, 'evt.identity.user.updated.v1');

function ask(path: string, json?: unknown, by: Session = root, headers: Record<string, string> = {}) {
  return identity.ask(`/api/admin/auth-config/oidc/issuers${path}`, {
    caller: by.caller,
    headers,
    ...(json === undefined ? {} : { json }),
  });
}

/** A sign-in at the provider of the settings. */
async function signIn(user: string, provider: OidcProvider): Promise<Answer> {
  const browser = createBrowser(identity);
  const { url } = await browser.begin();
  const back = await provider.signIn(url.href, user);
  return browser.back(Object.fromEntries(back.searchParams));
}

async function pointAt({ issuer, clientSecret }: OidcProvider): Promise<void> {
  const answer = await identity.ask('/api/admin/auth-config/oidc', {
    method: 'PUT',
    caller: root.caller,
    json: { oidc_discovery_url: issuer, oidc_client_secret: clientSecret },
  });
  expect(answer.status).toBe(200);
}

type Started = { cookie: string; callback: Record<string, string> };
async function startTest(user: string, provider: OidcProvider, from: OidcProvider, by = root): Promise<Started> {
  const started = await ask('/test', { from: from.issuer }, by);
  expect(started.status).toBe(200);
  const back = await provider.signIn(String(started.body['authorization_url']), user);
  const { code, state, iss, error } = Object.fromEntries(back.searchParams);
  const callback = Object.fromEntries(
    Object.entries({ code, state, iss, error }).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
  return { cookie: String(started.cookies.at(-1)).split(';')[0] ?? '', callback };
}

async function test(user: string, provider: OidcProvider, from: OidcProvider, by = root): Promise<Answer> {
  const { cookie, callback } = await startTest(user, provider, from, by);
  return ask('/test/callback', callback, by, { cookie });
}

function move(tested: Answer, changes: Record<string, unknown> = {}, by = root): Promise<Answer> {
  const { proof, to, accounts } = tested.body;
  return ask('/move', { proof, confirm_issuer: to, accounts, ...changes }, by);
}

async function issuerOfAccount(subject: string): Promise<string | undefined> {
  const { rows } = await backends.sql.query<{ issuer: string }>(
    `select oidc_issuer as issuer from "user" where oidc_subject = $1 and email not like 'other%'`,
    [subject],
  );
  return rows[0]?.issuer;
}

async function audited(
  event: string,
): Promise<{ outcome: string; username: string; details: Record<string, unknown> }[]> {
  const sql = 'select outcome, username, details from audit_log where event_type = $1 order by time';
  return (await backends.sql.query<Awaited<ReturnType<typeof audited>>[number]>(sql, [event])).rows;
}

const sessions: Record<string, Answer> = {};
for (const user of Object.keys(users)) sessions[user] = await signIn(user, old);
const ids = new Map(
  (
    await backends.sql.query<{ id: string; sub: string }>('select uuid as id, oidc_subject as sub from "user"')
  ).rows.map(({ id, sub }) => [sub, id]),
);
await backends.sql.query(`update "user" set role = 'super_admin' where oidc_subject in ('boss', 'root')`);
await backends.sql.query(`update "user" set is_active = false where oidc_subject = 'off'`);
await backends.sql.query(`update "user" set role = 'admin' where oidc_subject = 'ada'`);
// A first sign-in after the change of the address has created a second account of this person.
const second = {
  ...(await addUser(backends.sql, { email: 'other-taken@example.org' })),
  email: 'other-taken@example.org',
};
await backends.sql.query(
  `update "user" set auth_type = 'oidc', oidc_issuer = $1, oidc_subject = 'taken' where uuid = $2`,
  [renamed.issuer, second.id],
);

describe('accounts of a provider whose address has changed', () => {
  it('cannot sign in, and the audit log names the earlier address', async () => {
    await pointAt(renamed);
    expect((await signIn('una', renamed)).status).toBe(401);
    const [refused] = (await audited('auth.login.failure')).slice(-1);
    expect(refused?.details).toMatchObject({
      reason: `it is linked at the earlier address ${old.issuer} of the provider`,
    });
  });

  it('are counted by issuer', async () => {
    expect((await ask('')).body).toEqual({
      current: renamed.issuer,
      issuers: [
        { issuer: old.issuer, accounts: 9, super_admins: 2, is_current: false },
        { issuer: renamed.issuer, accounts: 1, super_admins: 0, is_current: true },
      ],
    });
  });

  it('can be moved by a super_admin only', async () => {
    const person = await addUser(backends.sql, { role: 'admin' });
    const admin = await identity.session(person.email, person.password);
    expect((await ask('', undefined, admin)).status).toBe(403);
    expect((await ask('/test', { from: old.issuer }, admin)).status).toBe(403);
    expect((await ask('/test/callback', {}, admin)).status).toBe(403);
    expect((await ask('/move', { proof: 'x', confirm_issuer: 'x', accounts: 0 }, admin)).status).toBe(403);
  });
});

describe('a test sign-in is refused', () => {
  it('when no account is linked to the issuer', async () => {
    expect((await ask('/test', { from: 'https://unknown.example.org' })).status).toBe(404);
  });
  it('when the subject is unknown at the old issuer', async () => {
    renamed.users.set('stranger', { email: 'una@example.org' });
    expect(codeOf(await test('stranger', renamed, old))).toEqual([409, 'issuer_subject_unknown']);
  });
  it('when the same subject has another address: another provider may number its people in the same way', async () => {
    renamed.users.set('swapped', { email: 'someone.else@example.org' });
    expect(codeOf(await test('swapped', renamed, old))).toEqual([409, 'issuer_person_differs']);
  });
  it('when the provider names no address', async () => {
    renamed.users.set('nomail', { name: 'nomail' });
    expect(codeOf(await test('nomail', renamed, old))).toEqual([409, 'issuer_person_differs']);
  });
  it('when another account has the subject at the new issuer', async () => {
    expect(codeOf(await test('taken', renamed, old))).toEqual([409, 'issuer_subject_taken']);
  });
  it('when it is the account of another super_admin', async () => {
    expect(codeOf(await test('boss', renamed, old))).toEqual([409, 'issuer_super_admin']);
  });
  it('when the account is disabled', async () => {
    expect(codeOf(await test('off', renamed, old))).toEqual([409, 'issuer_test_failed']);
  });
  it('when the provider refuses the person', async () => {
    expect(codeOf(await test('nobody', renamed, old))).toEqual([409, 'issuer_test_failed']);
  });
  it('when the provider still has the old address', async () => {
    await pointAt(old);
    expect(codeOf(await test('una', old, old))).toEqual([409, 'issuer_unchanged']);
    await pointAt(renamed);
  });
  it('when it is completed without its cookie, twice, or by another administrator', async () => {
    const once = await startTest('una', renamed, old);
    expect(codeOf(await ask('/test/callback', once.callback))).toEqual([409, 'issuer_test_failed']);
    const person = await addUser(backends.sql, { role: 'super_admin' });
    const other = await identity.session(person.email, person.password);
    const foreign = await ask('/test/callback', once.callback, other, { cookie: once.cookie });
    expect(codeOf(foreign)).toEqual([409, 'issuer_test_failed']);
    const again = await ask('/test/callback', once.callback, root, { cookie: once.cookie });
    expect(codeOf(again)).toEqual([409, 'issuer_test_failed']);
  });
  it('with its reason in the audit log', async () => {
    const records = (await audited('admin.issuer.test')).filter(({ outcome }) => outcome === 'failure');
    expect(records.map(({ details }) => details['code'])).toEqual(
      expect.arrayContaining(['issuer_subject_unknown', 'issuer_person_differs', 'issuer_super_admin']),
    );
  });
});

describe('a test sign-in', () => {
  it('opens no session as a sign-in', async () => {
    const { cookie, callback } = await startTest('una', renamed, old);
    const query = new URLSearchParams(callback).toString();
    const answer = await identity.ask(`/api/auth/oidc/callback?${query}`, { headers: { cookie } });
    expect(answer.status).toBe(401);
    expect((await audited('auth.login.failure')).at(-1)?.details).toMatchObject({ reason: 'test_sign_in' });
  });

  it('does not replace a sign-in: the callback of a sign-in proves nothing', async () => {
    const browser = createBrowser(identity);
    const { url, cookie } = await browser.begin();
    const back = await renamed.signIn(url.href, 'una');
    const { code = '', state = '' } = Object.fromEntries(back.searchParams);
    const answer = await ask('/test/callback', { code, state }, root, { cookie: cookie.split(';')[0] ?? '' });
    expect(codeOf(answer)).toEqual([409, 'issuer_test_failed']);
  });

  it('returns what would move and what would stay, and changes nothing', async () => {
    const tested = await test('una', renamed, old);
    expect(tested).toMatchObject({ status: 200 });
    expect(tested.cookies).toEqual([expect.stringContaining('Max-Age=0')]);
    const { proof, ...preview } = tested.body;
    expect(proof).toEqual(expect.any(String));
    expect(preview).toEqual({
      from: old.issuer,
      to: renamed.issuer,
      tester: { uuid: ids.get('una'), email: 'una@example.org' },
      accounts: 6,
      left: [
        { uuid: ids.get('boss'), email: 'boss@example.org', reason: 'super_admin', taken_by: null },
        { uuid: ids.get('root'), email: 'root@example.org', reason: 'super_admin', taken_by: null },
        { uuid: ids.get('taken'), email: 'taken@example.org', reason: 'subject_taken', taken_by: second.email },
      ],
      left_total: 3,
    });
    expect(await issuerOfAccount('una')).toBe(old.issuer);
  });
});

describe('a move is refused', () => {
  it('without a valid test, with another address typed, or with another number of accounts', async () => {
    const tested = await test('una', renamed, old);
    expect(codeOf(await move(tested, { proof: 'made-up' }))).toEqual([409, 'issuer_test_expired']);
    expect(codeOf(await move(tested, { confirm_issuer: old.issuer }))).toEqual([400, 'confirmation_mismatch']);
    expect(codeOf(await move(tested, { accounts: 5 }))).toEqual([409, 'issuer_accounts_changed']);
    const person = await addUser(backends.sql, { role: 'super_admin' });
    const other = await identity.session(person.email, person.password);
    expect(codeOf(await move(tested, {}, other))).toEqual([409, 'issuer_test_expired']);
    await pointAt(old);
    expect(codeOf(await move(tested))).toEqual([409, 'issuer_test_expired']);
    await pointAt(renamed);
    expect(await issuerOfAccount('una')).toBe(old.issuer);
  });
});

describe('a move', () => {
  it('takes the accounts of the old issuer, ends their sessions, and is audited and published', async () => {
    const count = updated.length;
    const done = await move(await test('una', renamed, old));
    expect(done).toMatchObject({ status: 200, body: { accounts: 6 } });
    for (const subject of ['una', 'vic', 'ada', 'off', 'swapped', 'nomail'])
      expect(await issuerOfAccount(subject)).toBe(renamed.issuer);
    for (const subject of ['boss', 'root', 'taken']) expect(await issuerOfAccount(subject)).toBe(old.issuer);

    expect(await identity.resolve(String(sessions['vic']?.body['access_token']))).toBeNull();
    expect(await identity.resolve(String(sessions['taken']?.body['access_token']))).not.toBeNull();
    const [summary] = await audited('admin.issuer.move');
    expect(summary?.details).toMatchObject({ from: old.issuer, to: renamed.issuer, accounts: 6 });
    const links = (await audited('auth.account.linked')).filter(({ details }) => details['issuer'] === renamed.issuer);
    expect(links).toHaveLength(6);
    expect(links.find(({ username }) => username === 'vic@example.org')?.details).toMatchObject({
      subject: 'vic',
      earlier_issuer: old.issuer,
    });
    await waitFor(() => updated.length >= count + 6);
  });

  it('lets people sign in to the same account', async () => {
    const answer = await signIn('vic', renamed);
    expect(answer.status).toBe(200);
    const resolved = await identity.resolve(String(answer.body['access_token']));
    expect(resolved).toMatchObject({ userId: ids.get('vic') });
  });

  it('of a super_admin follows a test by its owner', async () => {
    await backends.sql.query(
      `update "user" set password_hash = (select password_hash from "user" where email = $1),
      allow_local_fallback = true where oidc_subject = 'boss'`,
      [second.email],
    );
    const boss = await identity.session('boss@example.org', second.password);
    const tested = await test('boss', renamed, old, boss);
    expect(tested.body).toMatchObject({ accounts: 1, left_total: 2 });
    expect((await move(tested, {}, boss)).body).toMatchObject({ accounts: 1 });
    expect([await issuerOfAccount('boss'), await issuerOfAccount('root')]).toEqual([renamed.issuer, old.issuer]);
    // The owner's session continues.
    expect(await identity.resolve(boss.accessToken)).not.toBeNull();
  });

  it('can be reversed in the same way', async () => {
    await pointAt(old);
    const tested = await test('una', old, renamed);
    expect(tested.body).toMatchObject({ from: renamed.issuer, to: old.issuer });
    expect((await move(tested)).status).toBe(200);
    expect(await issuerOfAccount('vic')).toBe(old.issuer);
    expect((await signIn('una', old)).status).toBe(200);
  });

  it('takes more accounts than one transaction', async () => {
    await backends.sql.query(
      `insert into "user" (email, auth_type, oidc_issuer, oidc_subject)
       select 'many-' || n || '@example.org', 'oidc', $1, 'many-' || n from generate_series(1, 1201) n`,
      [old.issuer],
    );
    await pointAt(renamed);
    const tested = await test('vic', renamed, old);
    expect((await move(tested)).body).toMatchObject({ accounts: tested.body['accounts'] });
    const { rows } = await backends.sql.query<{ n: number }>(
      `select count(*)::int as n from "user" where oidc_issuer = $1 and email like 'many-%'`,
      [renamed.issuer],
    );
    expect(rows[0]?.n).toBe(1201);
  });
});
