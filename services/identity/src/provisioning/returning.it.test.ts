import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { client, startProvisioningWorld, type ProvisioningWorld } from '../../test/provisioning-world.ts';
import { roleIn } from '../../test/real-sessions.ts';
import type { Assertion } from './provisioning.ts';

let w: ProvisioningWorld;
beforeAll(async () => {
  w = await startProvisioningWorld();
});
afterAll(() => w.stop());

const sources = ['ldap', 'oidc', 'pki', 'proxy'] as const;
type Rows = Record<string, unknown>;

/** What a sign-in writes, without what is drawn or told by the clock. */
const written = async (userId: string): Promise<{ user: Rows; token: Rows; audit: Rows }> => {
  const one = async (text: string): Promise<Rows> => {
    const { rows } = await w.pool.query<{ row: Rows }>(text, [userId]);
    return Object.fromEntries(
      Object.entries(rows[0]?.row ?? {}).map(([k, v]) => [k, /_at$|^time$|uuid|_id$|hash/.test(k) ? typeof v : v]),
    );
  };
  return {
    user: await one('select to_jsonb(u) as row from "user" u where uuid = $1'),
    token: await one(
      'select to_jsonb(t) as row from refresh_token t where user_id = $1 order by created_at desc limit 1',
    ),
    audit: await one('select to_jsonb(a) as row from audit_log a where user_id = $1 order by time desc limit 1'),
  };
};
const somebody = async (source: Assertion['source']): Promise<{ a: Assertion; userId: string }> => {
  const a = w.assertion({ source });
  const entered = await w.provisioning.enter(a, client);
  return { a, userId: entered.userId ?? '' };
};

describe('somebody who returns, and about whom nothing is new', () => {
  it.each(sources)('needs no transaction that holds the account: %s', async (source) => {
    const { a, userId } = await somebody(source);
    const before = w.transactions();
    const entered = await w.provisioning.enter(a, client);
    expect(entered).toMatchObject({ outcome: 'entered', userId });
    expect(w.transactions()).toBe(before);
    expect(await w.liveSessions(userId)).toBe(2);
  });

  it.each(sources)('leaves the same rows as a sign-in that holds the account: %s', async (source) => {
    const { a, userId } = await somebody(source);
    await w.provisioning.enter(a, client);
    const quick = await written(userId);
    w.set({ max_concurrent_sessions: 100 });
    const before = w.transactions();
    await w.provisioning.enter(a, client);
    w.set({ max_concurrent_sessions: 0 });
    expect(w.transactions()).toBe(before + 1);
    expect(await written(userId)).toEqual(quick);
  });

  const news: Record<string, (a: Assertion) => Partial<Assertion>> = {
    'another name': () => ({ name: 'Somebody Else' }),
    'another address': () => ({ email: `new-${randomUUID()}@example.org` }),
    'another login': () => ({ login: `renamed-${randomUUID()}` }),
  };
  it.each(Object.entries(news))('is brought up to date when the source has %s', async (_what, more) => {
    const { a, userId } = await somebody('ldap');
    const changed = { ...a, ...more(a) };
    const before = w.transactions();
    expect(await w.provisioning.enter(changed, client)).toMatchObject({ outcome: 'entered', userId });
    expect(w.transactions()).toBe(before + 1);
    const user = await w.db.user.findUniqueOrThrow({ where: { id: userId } });
    expect(user).toMatchObject({ fullName: changed.name, email: changed.email, ldapUid: changed.login });
  });

  it.each([
    ['disabled', { isActive: false }, 'INACTIVE_USER'],
    ['waiting', { approvalStatus: 'pending' }, 'ACCOUNT_PENDING_APPROVAL'],
    ['rejected', { approvalStatus: 'rejected' }, 'ACCOUNT_REJECTED'],
  ])('is refused while the account is %s', async (_what, data, errorCode) => {
    const { a, userId } = await somebody('oidc');
    await w.db.user.update({ where: { id: userId }, data });
    expect(await w.provisioning.enter(a, client)).toMatchObject({ outcome: 'refused', errorCode });
    expect(await w.liveSessions(userId)).toBe(1);
  });

  it('comes in with the role that the account has now', async () => {
    const { a, userId } = await somebody('proxy');
    await w.db.user.update({ where: { id: userId }, data: { role: 'super_admin' } });
    const entered = await w.provisioning.enter(a, client);
    expect(entered.outcome === 'entered' && roleIn(entered.issued.accessToken)).toBe('super_admin');
  });
});
