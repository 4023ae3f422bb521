import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from '@jest/globals';
import type { StartedFlow } from '../../test/oidc-browser.ts';
import { startScriptedSignIn } from '../../test/scripted-sign-in.ts';

const world = await startScriptedSignIn();
const { caller } = await world.identity.session();
const mapping = { source: 'oidc', claim_value: 'Bosses', grants_role: 'admin' };
expect((await world.identity.ask('/api/admin/group-mappings', { caller, json: mapping })).status).toBe(201);

type Claims = Record<string, unknown>;

async function setAdminRoles(value: string | null): Promise<void> {
  const json = { oidc_admin_role: value };
  const { status } = await world.identity.ask('/api/admin/auth-config/oidc', { method: 'PUT', json, caller });
  expect(status).toBe(200);
}

async function signIn(person: Claims, claims: Claims): Promise<void> {
  const { provider } = world;
  // The user info has no roles.
  provider.userInfo = { body: { sub: person['sub'] } };
  const token = (flow: StartedFlow) =>
    provider.answer(
      provider.sign(provider.claims(flow.nonce, { groups: undefined, realm_access: undefined, ...person, ...claims })),
    );
  expect((await world.signInWith(token)).status).toBe(200);
}

async function accountOf({ sub }: Claims) {
  const [row] = await world.database.rows<{ role: string; sessions: number; changes: number }>(
    `select u.role,
       (select count(*)::int from refresh_token t where t.user_id = u.uuid and t.revoked_at is null) as sessions,
       (select count(*)::int from audit_log a where a.user_id = u.uuid and a.event_type = 'ADMIN_ROLE_CHANGE'
          and a.actor = 'idp_login' and a.details ->> 'to' = 'user') as changes
     from "user" u where u.oidc_subject = $1`,
    [sub],
  );
  return row;
}

async function lastSignIn({ sub }: Claims): Promise<Record<string, unknown>> {
  const [row] = await world.database.rows<{ details: Record<string, unknown> }>(
    `select a.details from audit_log a join "user" u on u.uuid = a.user_id
     where u.oidc_subject = $1 and a.event_type = 'auth.login.success' order by a.time desc limit 1`,
    [sub],
  );
  return row?.details ?? {};
}

/** A new administrator by the mapping, whose token has no roles claim. */
async function newBoss(): Promise<Claims> {
  const id = randomUUID();
  const person = { sub: id, email: `${id}@example.org` };
  await signIn(person, { groups: ['Bosses'] });
  expect(await accountOf(person)).toEqual({ role: 'admin', sessions: 1, changes: 0 });
  return person;
}

const without: [string, Claims][] = [
  ['absent', {}],
  ['null', { realm_access: null }],
  ['without roles in it', { realm_access: {} }],
  ['of another type', { realm_access: { roles: 7 } }],
  ['partly no text', { realm_access: { roles: ['x', 7] } }],
  ['left out for its length', { _claim_names: { realm_access: 'src1' } }],
];

describe('an administrator who leaves the mapped group, with a roles claim that is unusable', () => {
  describe.each<[string, string | null]>([
    ['no admin role was ever set', null],
    ['the admin roles are cleared', ''],
  ])('while %s', (_name, roles) => {
    beforeAll(() => setAdminRoles(roles));
    it.each(without)('becomes a user, and the earlier sessions end: %s', async (_claim, claims) => {
      const boss = await newBoss();
      await signIn(boss, { groups: [], ...claims });
      expect(await accountOf(boss)).toEqual({ role: 'user', sessions: 1, changes: 1 });
      expect(await lastSignIn(boss)).toEqual({ method: 'oidc' });
    });
    it('stays administrator while the groups are unknown, too', async () => {
      const boss = await newBoss();
      await signIn(boss, {});
      expect(await accountOf(boss)).toMatchObject({ role: 'admin', changes: 0 });
    });
  });

  describe.each(['overtone-admin', 'admin'])('while the admin role %s is set', (role) => {
    beforeAll(() => setAdminRoles(role));
    it.each(without)('stays administrator with a warning in the audit log: %s', async (_claim, claims) => {
      const boss = await newBoss();
      await signIn(boss, { groups: [], ...claims });
      expect(await accountOf(boss)).toMatchObject({ role: 'admin', changes: 0 });
      expect(await lastSignIn(boss)).toMatchObject({
        method: 'oidc',
        warning: 'admin_roles_unknown',
        roles_claim: 'realm_access.roles',
        role: 'admin',
      });
    });
    it('becomes a user, and the earlier sessions end, once the claim is present without the role', async () => {
      const boss = await newBoss();
      await signIn(boss, { groups: [], realm_access: { roles: [] } });
      expect(await accountOf(boss)).toEqual({ role: 'user', sessions: 1, changes: 1 });
      expect(await lastSignIn(boss)).toEqual({ method: 'oidc' });
    });
    it('stays administrator by the role alone', async () => {
      const boss = await newBoss();
      await signIn(boss, { groups: [], realm_access: { roles: [role] } });
      expect(await accountOf(boss)).toMatchObject({ role: 'admin', changes: 0 });
    });
  });
});

describe('the connection diagnosis', () => {
  const adminRoles = async () => {
    const { body } = await world.identity.ask('/api/admin/auth-config/oidc/test', { json: {}, caller });
    const steps = body['steps'] as { code: string; ok: boolean; evidence: string; advice: string }[];
    return steps.find((step) => step.code === 'admin_roles');
  };
  it('has no warning while no admin role is set', async () => {
    await setAdminRoles(null);
    expect(await adminRoles()).toMatchObject({ ok: true, advice: '' });
  });
  it('warns of an admin role whose claim the last sign-in did not have', async () => {
    await setAdminRoles('overtone-admin');
    await newBoss();
    const step = await adminRoles();
    expect(step).toMatchObject({ ok: true });
    expect(step?.evidence).toContain('realm_access.roles');
    expect(step?.evidence).toContain('last sign-in');
    expect(step?.advice).toContain('keep');
  });
  it('has no warning once the last sign-in had the claim', async () => {
    await setAdminRoles('overtone-admin');
    const id = randomUUID();
    await signIn({ sub: id, email: `${id}@example.org` }, { groups: [], realm_access: { roles: [] } });
    expect(await adminRoles()).toMatchObject({ ok: true, advice: '' });
  });
});
