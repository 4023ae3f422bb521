import { describe, expect, it } from '@jest/globals';
import { client, startProvisioningWorld } from '../../test/provisioning-world.ts';
import type { User } from '../generated/client.ts';
import { signInStore } from '../sign-in/sign-in.store.ts';
import type { SignInCandidate } from './sessions.ts';

const world = await startProvisioningWorld();

/** The account as a sign-in reads it. */
async function seen(fields: Partial<User> = {}): Promise<SignInCandidate> {
  const { email } = await world.user({ passwordHash: 'a hash', ...fields });
  const [user] = await signInStore.findByLoginName(world.pool, email);
  if (!user) throw new Error('no account has this name');
  return {
    user,
    client,
    audit: { event: 'auth.login.success', outcome: 'success', userId: user.id, username: email, client },
    forgives: { locks: false },
  };
}

async function left({ user, audit }: SignInCandidate) {
  return {
    sessions: await world.liveSessions(user.id),
    audited: (await world.audit(audit.username ?? '')).length,
    lastLoginAt: (await world.db.user.findUniqueOrThrow({ where: { id: user.id } })).lastLoginAt,
  };
}

describe('a sign-in that changes nothing of the account', () => {
  it('writes session, audit record and last sign-in, and resets failures, in one statement', async () => {
    const candidate = await seen({ failedLogins: 3 });
    const issued = await world.sessions.openSessionIfUnchanged(candidate);
    expect(issued).toMatchObject({ accessToken: expect.any(String), refreshToken: expect.any(String) });
    expect(await left(candidate)).toEqual({ sessions: 1, audited: 1, lastLoginAt: expect.any(Date) });
    expect(await world.db.user.findUniqueOrThrow({ where: { id: candidate.user.id } })).toMatchObject({
      failedLogins: 0,
    });
  });

  it('removes the lock that the attempt itself caused', async () => {
    const candidate = await seen({ lockouts: 1, lockedUntil: new Date(Date.now() + 60_000) });
    await world.sessions.openSessionIfUnchanged({ ...candidate, forgives: { locks: true } });
    expect(await world.db.user.findUniqueOrThrow({ where: { id: candidate.user.id } })).toMatchObject({
      lockouts: 0,
      lockedUntil: null,
    });
  });

  it('is not blocked by concurrent failures and sign-ins of other accounts', async () => {
    const candidate = await seen();
    await world.db.user.update({
      where: { id: candidate.user.id },
      data: { failedLogins: 2, lastLoginAt: new Date() },
    });
    expect(await world.sessions.openSessionIfUnchanged(candidate)).toBeDefined();
  });

  const changes: Record<string, Partial<User>> = {
    'it was disabled': { isActive: false },
    'it was rejected': { approvalStatus: 'rejected' },
    'its password was changed': { passwordHash: 'another hash' },
    'its password was removed': { passwordHash: null },
    'its role was changed': { role: 'admin' },
    'its groups were changed': { membershipVersion: 1 },
    'it was linked to a directory': { authType: 'ldap', directoryId: 'entryUUID:x' },
    'it has another address': { email: 'other@example.org' },
    'it is to end': { accountExpiresAt: new Date() },
  };
  it.each(Object.entries(changes))('writes nothing after a concurrent change: %s', async (_what, data) => {
    const candidate = await seen();
    await world.db.user.update({ where: { id: candidate.user.id }, data });
    expect(await world.sessions.openSessionIfUnchanged(candidate)).toBeUndefined();
    expect(await left(candidate)).toEqual({ sessions: 0, audited: 0, lastLoginAt: null });
  });

  it('waits for a concurrent change of the account and sees its result', async () => {
    const candidate = await seen();
    const holder = await world.pool.connect();
    try {
      await holder.query('begin');
      await holder.query('update "user" set is_active = false where uuid = $1', [candidate.user.id]);
      const entering = world.sessions.openSessionIfUnchanged(candidate);
      await world.waitsForLock();
      await holder.query('commit');
      expect(await entering).toBeUndefined();
    } finally {
      holder.release();
    }
    expect(await left(candidate)).toEqual({ sessions: 0, audited: 0, lastLoginAt: null });
  });

  it('uses the transaction when sessions are limited', async () => {
    world.set({ max_concurrent_sessions: 5 });
    try {
      expect(await world.sessions.openSessionIfUnchanged(await seen())).toBeUndefined();
    } finally {
      world.set({ max_concurrent_sessions: 0 });
    }
  });
});
