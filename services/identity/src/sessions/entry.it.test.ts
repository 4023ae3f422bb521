import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { client, startProvisioningWorld, type ProvisioningWorld } from '../../test/provisioning-world.ts';
import type { User } from '../generated/client.ts';
import { signInStore } from '../sign-in/sign-in.store.ts';
import type { Arrival } from './sessions.ts';

let w: ProvisioningWorld;
beforeAll(async () => {
  w = await startProvisioningWorld();
});
afterAll(() => w.stop());

/** Somebody as a sign-in has just seen them. */
const seen = async (fields: Partial<User> = {}): Promise<Arrival> => {
  const { email } = await w.user({ passwordHash: 'a hash', ...fields });
  const [user] = await signInStore.meant(w.pool, email);
  if (!user) throw new Error('nobody has this name');
  return {
    user,
    client,
    audit: { event: 'auth.login.success', outcome: 'success', userId: user.id, username: email, client },
    forgives: { locks: false },
  };
};
const left = async ({ user, audit }: Arrival) => ({
  sessions: await w.liveSessions(user.id),
  audited: (await w.audit(audit.username ?? '')).length,
  lastLoginAt: (await w.db.user.findUniqueOrThrow({ where: { id: user.id } })).lastLoginAt,
});

describe('a sign-in that changes nothing of the account', () => {
  it('leaves session, audit record, last sign-in and forgiven failures together', async () => {
    const arrival = await seen({ failedLogins: 3 });
    const issued = await w.sessions.openAsSeen(arrival);
    expect(issued).toMatchObject({ accessToken: expect.any(String), refreshToken: expect.any(String) });
    expect(await left(arrival)).toEqual({ sessions: 1, audited: 1, lastLoginAt: expect.any(Date) });
    expect(await w.db.user.findUniqueOrThrow({ where: { id: arrival.user.id } })).toMatchObject({ failedLogins: 0 });
  });

  it('takes back the lock that it ran into itself', async () => {
    const arrival = await seen({ lockouts: 1, lockedUntil: new Date(Date.now() + 60_000) });
    await w.sessions.openAsSeen({ ...arrival, forgives: { locks: true } });
    expect(await w.db.user.findUniqueOrThrow({ where: { id: arrival.user.id } })).toMatchObject({
      lockouts: 0,
      lockedUntil: null,
    });
  });

  it('is not held up by failures and sign-ins of others meanwhile', async () => {
    const arrival = await seen();
    await w.db.user.update({ where: { id: arrival.user.id }, data: { failedLogins: 2, lastLoginAt: new Date() } });
    expect(await w.sessions.openAsSeen(arrival)).toBeDefined();
  });

  const changes: Record<string, Partial<User>> = {
    'it was disabled': { isActive: false },
    'it was rejected': { approvalStatus: 'rejected' },
    'its password was changed': { passwordHash: 'another hash' },
    'its password was taken away': { passwordHash: null },
    'its role was changed': { role: 'admin' },
    'its groups were changed': { membershipVersion: 1 },
    'it was linked to a directory': { authType: 'ldap', directoryId: 'entryUUID:x' },
    'it has another address': { email: 'other@example.org' },
    'it is to end': { accountExpiresAt: new Date() },
  };
  it.each(Object.entries(changes))('does not take place when meanwhile %s, and leaves nothing', async (_what, data) => {
    const arrival = await seen();
    await w.db.user.update({ where: { id: arrival.user.id }, data });
    expect(await w.sessions.openAsSeen(arrival)).toBeUndefined();
    expect(await left(arrival)).toEqual({ sessions: 0, audited: 0, lastLoginAt: null });
  });

  it('waits for whoever changes the account at the moment, and sees what they did', async () => {
    const arrival = await seen();
    const holder = await w.pool.connect();
    try {
      await holder.query('begin');
      await holder.query('update "user" set is_active = false where uuid = $1', [arrival.user.id]);
      const entering = w.sessions.openAsSeen(arrival);
      await w.waitsForLock();
      await holder.query('commit');
      expect(await entering).toBeUndefined();
    } finally {
      holder.release();
    }
    expect(await left(arrival)).toEqual({ sessions: 0, audited: 0, lastLoginAt: null });
  });

  it('is left to the transaction that counts where sessions are limited', async () => {
    w.set({ max_concurrent_sessions: 5 });
    try {
      expect(await w.sessions.openAsSeen(await seen())).toBeUndefined();
    } finally {
      w.set({ max_concurrent_sessions: 0 });
    }
  });
});
