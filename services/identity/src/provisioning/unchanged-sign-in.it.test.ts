import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { client, startProvisioningWorld } from '../../test/provisioning-world.ts';
import { roleIn } from '../../test/real-sessions.ts';
import type { Assertion } from './provisioning.ts';

const world = await startProvisioningWorld();

const sources = ['ldap', 'oidc', 'pki', 'proxy'] as const;
type Rows = Record<string, unknown>;

/** The rows that a sign-in writes, without random values and times. */
async function written(userId: string): Promise<{ user: Rows; token: Rows; audit: Rows }> {
  const one = async (text: string): Promise<Rows> => {
    const { rows } = await world.pool.query<{ row: Rows }>(text, [userId]);
    return Object.fromEntries(
      Object.entries(rows[0]?.row ?? {}).map(([key, value]) => [
        key,
        /_at$|^time$|uuid|_id$|hash/.test(key) ? typeof value : value,
      ]),
    );
  };
  return {
    user: await one('select to_jsonb(u) as row from "user" u where uuid = $1'),
    token: await one(
      'select to_jsonb(t) as row from refresh_token t where user_id = $1 order by created_at desc limit 1',
    ),
    audit: await one('select to_jsonb(a) as row from audit_log a where user_id = $1 order by time desc limit 1'),
  };
}

async function createAccount(source: Assertion['source']): Promise<{ a: Assertion; userId: string }> {
  const assertion = world.assertion({ source });
  const signedIn = await world.provisioning.trySignIn(assertion, client);
  return { a: assertion, userId: signedIn.userId ?? '' };
}

describe('a repeated sign-in without changes', () => {
  it.each(sources)('performance contract: needs no transaction: %s', async (source) => {
    const { a: assertion, userId } = await createAccount(source);
    const before = world.transactions();
    const signedIn = await world.provisioning.trySignIn(assertion, client);
    expect(signedIn).toMatchObject({ outcome: 'signed_in', userId });
    expect(world.transactions()).toBe(before);
    expect(await world.liveSessions(userId)).toBe(2);
  });

  it.each(sources)('writes the same rows as a sign-in with a transaction: %s', async (source) => {
    const { a: assertion, userId } = await createAccount(source);
    await world.provisioning.trySignIn(assertion, client);
    const quick = await written(userId);
    world.set({ max_concurrent_sessions: 100 });
    const before = world.transactions();
    await world.provisioning.trySignIn(assertion, client);
    world.set({ max_concurrent_sessions: 0 });
    expect(world.transactions()).toBe(before + 1);
    expect(await written(userId)).toEqual(quick);
  });

  const news: Record<string, (assertion: Assertion) => Partial<Assertion>> = {
    'another name': () => ({ name: 'Another Name' }),
    'another address': () => ({ email: `new-${randomUUID()}@example.org` }),
    'another login': () => ({ login: `renamed-${randomUUID()}` }),
  };
  it.each(Object.entries(news))('updates the account when the source has %s', async (_what, more) => {
    const { a: assertion, userId } = await createAccount('ldap');
    const changed = { ...assertion, ...more(assertion) };
    const before = world.transactions();
    expect(await world.provisioning.trySignIn(changed, client)).toMatchObject({ outcome: 'signed_in', userId });
    expect(world.transactions()).toBe(before + 1);
    const user = await world.db.user.findUniqueOrThrow({ where: { id: userId } });
    expect(user).toMatchObject({ fullName: changed.name, email: changed.email, ldapUid: changed.login });
  });

  it.each([
    ['disabled', { isActive: false }, 'INACTIVE_USER'],
    ['waiting', { approvalStatus: 'pending' }, 'ACCOUNT_PENDING_APPROVAL'],
    ['rejected', { approvalStatus: 'rejected' }, 'ACCOUNT_REJECTED'],
  ])('is refused while the account is %s', async (_what, data, errorCode) => {
    const { a: assertion, userId } = await createAccount('oidc');
    await world.db.user.update({ where: { id: userId }, data });
    expect(await world.provisioning.trySignIn(assertion, client)).toMatchObject({ outcome: 'refused', errorCode });
    expect(await world.liveSessions(userId)).toBe(1);
  });

  it('has the current role of the account', async () => {
    const { a: assertion, userId } = await createAccount('proxy');
    await world.db.user.update({ where: { id: userId }, data: { role: 'super_admin' } });
    const signedIn = await world.provisioning.trySignIn(assertion, client);
    expect(signedIn.outcome === 'signed_in' && roleIn(signedIn.issued.accessToken)).toBe('super_admin');
  });
});
