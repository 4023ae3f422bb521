import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { groupLdif } from '@overtone/testkit';
import { startDirectoryWorld, type DirectoryWorld } from '../../test/directory-world.ts';
import { rowsHash } from '../../test/rows-hash.ts';

let w: DirectoryWorld;
let staff: string;
let heads: string;
beforeAll(async () => {
  w = await startDirectoryWorld();
  const team = await group('team', [w.slapd.bindDn]);
  staff = await group('staff', [team]);
  heads = await group('heads', [w.slapd.bindDn]);
  await w.set('ldap', { ldap_user_groups: staff, ldap_admin_groups: heads, ldap_recursive_groups: true });
});
afterAll(() => w.stop());

async function group(cn: string, members: string[]) {
  await w.slapd.apply(groupLdif(cn, members));
  return `cn=${cn},${w.slapd.groups}`;
}
let teams = 0;
/** Adds a person to a new team nested in the staff group. */
async function admit(dn: string, into = 'staff') {
  const team = await group(`team${(teams += 1)}`, [dn]);
  await w.slapd.apply(`dn: cn=${into},${w.slapd.groups}\nchangetype: modify\nadd: member\nmember: ${team}\n\n`);
  return team;
}

type Explanation = {
  verdict: string;
  reason: string;
  account: Record<string, unknown> | null;
  evidence: Record<string, string>;
  refusals: Record<string, unknown>[];
};

async function why(login: string): Promise<Explanation> {
  const path = `/api/admin/sign-in/explanation?login=${encodeURIComponent(login)}`;
  const { status, body } = await w.identity.ask(path, { caller: w.admin });
  expect(status).toBe(200);
  return body as unknown as Explanation;
}

describe('the explanation of a sign-in', () => {
  it('names the group path that admits the person', async () => {
    const p = await w.person();
    const team = await admit(p.dn);
    const explanation = await why(p.uid);
    expect(explanation).toMatchObject({ verdict: 'admitted', account: null, refusals: [] });
    expect(explanation.evidence).toMatchObject({ dn: p.dn, uid: p.uid, groups: `${p.uid} → ${team} → ${staff}` });
  });

  it('names the reason for the role of an administrator', async () => {
    const p = await w.person();
    await admit(p.dn);
    const team = await admit(p.dn, 'heads');
    expect((await w.identity.signIn(p.uid, p.password)).status).toBe(200);
    const explanation = await why(p.email);
    expect(explanation).toMatchObject({
      verdict: 'admin',
      account: { email: p.email, role: 'admin', auth_type: 'ldap' },
    });
    expect(explanation.evidence['groups']).toContain(`${p.uid} → ${team} → ${heads}`);
  });

  it('names the last refused sign-ins of a login without an account, newest first, with their reasons', async () => {
    const p = await w.person();
    await w.identity.signIn(p.uid, 'wrong');
    await w.identity.signIn(p.email.toUpperCase(), p.password);
    const explanation = await why(p.uid);
    expect(explanation).toMatchObject({
      verdict: 'refused',
      reason: 'They are in none of the required groups.',
      account: null,
      evidence: { groups: 'none that a mapping uses' },
    });
    expect(explanation.refusals).toMatchObject([
      { code: 'NOT_ADMITTED', reason: 'The directory does not admit them.', method: 'ldap' },
      { code: 'INVALID_CREDENTIALS', detail: 'Invalid LDAP credentials' },
    ]);
  });

  it('names the refused sign-ins under every name of an account', async () => {
    const p = await w.person();
    await admit(p.dn);
    expect((await w.identity.signIn(p.uid, p.password)).status).toBe(200);
    await w.identity.signIn(p.uid, 'wrong');
    await w.identity.signIn(p.email, 'wrong');
    expect((await why(p.uid)).refusals).toHaveLength(2);
    expect((await why(p.email)).refusals).toHaveLength(2);
  });

  it('names the reason when the sweep disabled an account', async () => {
    const p = await w.person();
    await admit(p.dn);
    const { caller } = await w.identity.session(p.uid, p.password);
    await w.backends.sql.query(
      `update "user" set is_active = false, disabled_by = 'directory', disabled_at = now() where uuid = $1`,
      [caller.userId],
    );
    await w.backends.sql.query(
      `insert into audit_log (event_type, outcome, actor, user_id, username, details)
       values ('auth.account.disabled', 'success', 'directory_sync', $1, $2,
               '{"reason":"absent_from_directory","evidence":{"directory_id":"entryUUID:1"}}')`,
      [caller.userId, p.email],
    );
    expect(await why(p.uid)).toMatchObject({
      verdict: 'disabled',
      reason: 'The sweep of the directory disabled the account.',
      evidence: { disabled_because: 'absent_from_directory', then_directory_id: 'entryUUID:1', uid: p.uid },
    });
  });

  it('is refused for an unknown login', async () => {
    expect(await why('unknown-login')).toMatchObject({ verdict: 'refused', account: null, evidence: {}, refusals: [] });
  });

  it('agrees with the sign-in that follows', async () => {
    const [inside, outside] = [await w.person(), await w.person()];
    await admit(inside.dn);
    for (const p of [inside, outside]) {
      const { verdict } = await why(p.uid);
      const { status } = await w.identity.signIn(p.uid, p.password);
      expect([verdict, status]).toEqual(p === inside ? ['admitted', 200] : ['refused', 401]);
    }
  });

  it('writes nothing', async () => {
    const p = await w.person();
    const before = await rowsHash(w.backends.sql);
    await why(p.uid);
    expect(await rowsHash(w.backends.sql)).toBe(before);
  });

  it('is for a super_admin only', async () => {
    const caller = { ...w.admin, role: 'admin' as const };
    const { status } = await w.identity.ask('/api/admin/sign-in/explanation?login=x', { caller });
    expect(status).toBe(403);
  });
});
