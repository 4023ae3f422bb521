import { describe, expect, it } from '@jest/globals';
import { groupLdif } from '@overtone/testkit';
import { startDirectoryWorld } from '../../test/directory-world.ts';
import { rowsHash } from '../../test/rows-hash.ts';

const world = await startDirectoryWorld();
const team = await group('team', [world.slapd.bindDn]);
const staff = await group('staff', [team]);
const heads = await group('heads', [world.slapd.bindDn]);
await world.set('ldap', { ldap_user_groups: staff, ldap_admin_groups: heads, ldap_recursive_groups: true });

async function group(cn: string, members: string[]) {
  await world.slapd.apply(groupLdif(cn, members));
  return `cn=${cn},${world.slapd.groups}`;
}
let teams = 0;
/** Adds a person to a new team nested in the staff group. */
async function admit(dn: string, into = 'staff') {
  const team = await group(`team${(teams += 1)}`, [dn]);
  await world.slapd.apply(`dn: cn=${into},${world.slapd.groups}\nchangetype: modify\nadd: member\nmember: ${team}\n\n`);
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
  const { status, body } = await world.identity.ask(path, { caller: world.admin });
  expect(status).toBe(200);
  return body as unknown as Explanation;
}

describe('the explanation of a sign-in', () => {
  it('names the group path that admits the person', async () => {
    const person = await world.person();
    const team = await admit(person.dn);
    const explanation = await why(person.uid);
    expect(explanation).toMatchObject({ verdict: 'admitted', account: null, refusals: [] });
    expect(explanation.evidence).toMatchObject({
      dn: person.dn,
      uid: person.uid,
      groups: `${person.uid} → ${team} → ${staff}`,
    });
  });

  it('names the reason for the role of an administrator', async () => {
    const person = await world.person();
    await admit(person.dn);
    const team = await admit(person.dn, 'heads');
    expect((await world.identity.signIn(person.uid, person.password)).status).toBe(200);
    const explanation = await why(person.email);
    expect(explanation).toMatchObject({
      verdict: 'admin',
      account: { email: person.email, role: 'admin', auth_type: 'ldap' },
    });
    expect(explanation.evidence['groups']).toContain(`${person.uid} → ${team} → ${heads}`);
  });

  it('names the last refused sign-ins of a login without an account, newest first, with their reasons', async () => {
    const person = await world.person();
    await world.identity.signIn(person.uid, 'wrong');
    await world.identity.signIn(person.email.toUpperCase(), person.password);
    const explanation = await why(person.uid);
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
    const person = await world.person();
    await admit(person.dn);
    expect((await world.identity.signIn(person.uid, person.password)).status).toBe(200);
    await world.identity.signIn(person.uid, 'wrong');
    await world.identity.signIn(person.email, 'wrong');
    expect((await why(person.uid)).refusals).toHaveLength(2);
    expect((await why(person.email)).refusals).toHaveLength(2);
  });

  it('names the reason when the directory sync disabled an account', async () => {
    const person = await world.person();
    await admit(person.dn);
    const { caller } = await world.identity.session(person.uid, person.password);
    await world.backends.sql.query(
      `update "user" set is_active = false, disabled_by = 'directory', disabled_at = now() where uuid = $1`,
      [caller.userId],
    );
    await world.backends.sql.query(
      `insert into audit_log (event_type, outcome, actor, user_id, username, details)
       values ('auth.account.disabled', 'success', 'directory_sync', $1, $2,
               '{"reason":"absent_from_directory","evidence":{"directory_id":"entryUUID:1"}}')`,
      [caller.userId, person.email],
    );
    expect(await why(person.uid)).toMatchObject({
      verdict: 'disabled',
      reason: 'The directory sync disabled the account.',
      evidence: { disabled_because: 'absent_from_directory', then_directory_id: 'entryUUID:1', uid: person.uid },
    });
  });

  it('is refused for an unknown login', async () => {
    expect(await why('unknown-login')).toMatchObject({ verdict: 'refused', account: null, evidence: {}, refusals: [] });
  });

  it('agrees with the sign-in that follows', async () => {
    const [inside, outside] = [await world.person(), await world.person()];
    await admit(inside.dn);
    for (const person of [inside, outside]) {
      const { verdict } = await why(person.uid);
      const { status } = await world.identity.signIn(person.uid, person.password);
      expect([verdict, status]).toEqual(person === inside ? ['admitted', 200] : ['refused', 401]);
    }
  });

  it('writes nothing', async () => {
    const person = await world.person();
    const before = await rowsHash(world.backends.sql);
    await why(person.uid);
    expect(await rowsHash(world.backends.sql)).toBe(before);
  });

  it('is for a super_admin only', async () => {
    const caller = { ...world.admin, role: 'admin' as const };
    const { status } = await world.identity.ask('/api/admin/sign-in/explanation?login=x', { caller });
    expect(status).toBe(403);
  });
});
