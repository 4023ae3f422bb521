import type { Client } from '@overtone/service-kit';
import type { Pool } from '../database.ts';
import { onlyAttemptOn } from '../lockout/lockout.ts';
import type { Mappings } from '../mappings/mappings.ts';
import type { Sessions } from '../sessions/sessions.ts';
import { lacksIssuer, profileChangesOf, statusFaultOf, type AccountSnapshot } from './account.ts';
import { isNameable, type Assertion } from './assertion.ts';
import { reconcileRequestOf, signInRecordOf, type SignInResult, type VerifiedPassword } from './provisioning.ts';
import { provisioningStore as store } from './provisioning.store.ts';

type Deps = {
  pool: Pool;
  mappings: Pick<Mappings, 'isReconciled'>;
  sessions: Pick<Sessions, 'openSessionIfUnchanged'>;
};

/**
 * The fast path of a repeated sign-in: when nothing of the account would change, a single statement opens the session,
 * provided that the account is still the same. It takes no locks. Every other sign-in needs the transaction.
 */
export function createUnchangedSignIn({ pool, mappings, sessions }: Deps) {
  const isUnchanged = (user: AccountSnapshot, assertion: Assertion, client: Client): boolean =>
    statusFaultOf(user) === null &&
    !lacksIssuer(user, assertion) &&
    Object.keys(profileChangesOf(user, assertion)).length === 0 &&
    mappings.isReconciled(user, reconcileRequestOf(user, assertion, client));

  return async (
    assertion: Assertion,
    client: Client,
    verified?: VerifiedPassword,
  ): Promise<SignInResult | undefined> => {
    if (!assertion.subject.id || !isNameable(assertion)) return undefined;
    // The account found by its login name has this identity: no second search is needed.
    const found =
      assertion.source === 'ldap' && verified?.account?.directoryId === assertion.subject.id
        ? verified.account
        : undefined;
    const user = found ?? (await store.findSnapshot(pool, assertion));
    if (!user || !isUnchanged(user, assertion, client)) return undefined;
    const reservation = verified && onlyAttemptOn(verified.reservations, user.id);
    if (verified && !reservation) return undefined;
    const forgives = reservation ? { locks: reservation.locksAccount } : null;
    const issued = await sessions.openSessionIfUnchanged({
      user,
      client,
      audit: signInRecordOf(user, assertion, client),
      forgives,
    });
    return issued && { outcome: 'signed_in', userId: user.id, issued };
  };
}
