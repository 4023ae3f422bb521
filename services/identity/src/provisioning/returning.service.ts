import type { AuditRecord } from '../audit/audit.ts';
import type { Client } from '../client.ts';
import type { Pool } from '../database.ts';
import { onlyAttemptOn } from '../lockout/lockout.ts';
import type { Mappings, Pass } from '../mappings/mappings.ts';
import type { Sessions } from '../sessions/sessions.ts';
import { lacksIssuer, type Known } from './identity-of.ts';
import { isNameable, newsOf } from './profile.ts';
import type { Assertion, Entered, Proof } from './provisioning.ts';
import { provisioningStore as store } from './provisioning.store.ts';
import type { Seen } from './seen.ts';
import { standingOf } from './standing.ts';

type Deps = { pool: Pool; mappings: Pick<Mappings, 'leavesAsIs'>; sessions: Pick<Sessions, 'openSessionIfUnchanged'> };

/** How the mappings are asked about a sign-in. */
export const passOf = (userId: string, { claims, legacyAdmin, source }: Assertion, client: Client): Pass => ({
  userId,
  source,
  claims,
  legacyAdmin,
  actor: 'idp_login',
  client,
});

export const enteredBy = (user: Pick<Known, 'id' | 'email' | 'role'>, a: Assertion, client: Client): AuditRecord => ({
  event: 'auth.login.success',
  outcome: 'success',
  userId: user.id,
  username: user.email,
  client,
  details: { method: a.source, ...a.auditDetails, ...(a.warning ? { ...a.warning, role: user.role } : {}) },
});

/**
 * Somebody who was here before and about whom nothing is new: looked at without holding anything, and let in by one
 * statement that takes effect only on the account as it was seen. Every other case is for the transaction that holds it.
 */
export const createReturning = ({ pool, mappings, sessions }: Deps) => {
  const isAsBefore = (user: Seen, a: Assertion, client: Client): boolean =>
    standingOf(user) === null &&
    !lacksIssuer(user, a) &&
    Object.keys(newsOf(user, a)).length === 0 &&
    mappings.leavesAsIs(user, passOf(user.id, a, client));

  return async (a: Assertion, client: Client, proof?: Proof): Promise<Entered | undefined> => {
    if (!a.subject.id || !isNameable(a)) return undefined;
    // Found by a name of the directory and of this identity, it need not be looked for again.
    const found = a.source === 'ldap' && proof?.account?.directoryId === a.subject.id ? proof.account : undefined;
    const user = found ?? (await store.glance(pool, a));
    if (!user || !isAsBefore(user, a, client)) return undefined;
    const attempt = proof && onlyAttemptOn(proof.attempts, user.id);
    if (proof && !attempt) return undefined;
    const forgives = attempt ? { locks: attempt.locksAccount } : null;
    const issued = await sessions.openSessionIfUnchanged({ user, client, audit: enteredBy(user, a, client), forgives });
    return issued && { outcome: 'entered', userId: user.id, issued };
  };
};
