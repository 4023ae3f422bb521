import { identityEvents, type Role } from '@overtone/contracts';
import type { Outbox } from '@overtone/database';
import { writeAudit, type AuditErrorCode } from '../audit/audit.ts';
import type { Client } from '../client.ts';
import { isUniqueViolation, txOptions, type Db, type Pool, type Tx } from '../database.ts';
import type { Mappings } from '../mappings/mappings.ts';
import type { Sessions } from '../sessions/sessions.ts';
import type { Settings } from '../live-settings.ts';
import type { Telemetry } from '../telemetry.ts';
import type { Account } from './identity-of.ts';
import { createMatching, type AccountMatch } from './matching.ts';
import { loginOf, profileChangesOf } from './profile.ts';
import { createUnchangedSignIn, signInRecordOf, reconcileRequestOf } from './unchanged-sign-in.service.ts';
import {
  ownerRefusal,
  signInRefused,
  statusFaultOf,
  type Assertion,
  type SignInResult,
  type VerifiedPassword,
  type Provisioning,
} from './provisioning.ts';
import { provisioningStore as store } from './provisioning.store.ts';

type Deps = {
  db: Db;
  pool: Pool;
  outbox: Outbox;
  settings: Settings;
  mappings: Mappings;
  sessions: Pick<Sessions, 'open' | 'openSessionIfUnchanged' | 'endAll'>;
  telemetry: Telemetry;
};

/** Of two concurrent first sign-ins one violates a unique index; its retry finds the account of the other. */
const maxAttempts = 3;

export function createProvisioning(deps: Deps): Provisioning {
  const { db, outbox, mappings, sessions } = deps;
  const match = createMatching(deps);
  const signInUnchanged = createUnchangedSignIn(deps);

  const refuse = async (
    tx: Tx,
    assertion: Assertion,
    r: { errorCode: AuditErrorCode; user?: Account | undefined; reason?: string },
    client: Client,
  ): Promise<SignInResult> => {
    const { errorCode, user, reason } = r;
    await writeAudit(tx, {
      event: 'auth.login.failure',
      outcome: 'failure',
      userId: user?.id,
      username: loginOf(assertion),
      errorCode,
      client,
      details: { method: assertion.source, ...(reason ? { reason } : {}), ...assertion.auditDetails },
    });
    return { outcome: 'refused', errorCode, userId: user?.id };
  };

  /** Updates name and address from the source, except those that another account has. */
  const refresh = async (tx: Tx, user: Account, assertion: Assertion): Promise<Account> => {
    const { fullName, email, ldapUid, assertedEmail } = profileChangesOf(user, assertion);
    const newEmail = email !== undefined && (await store.isNameFree(tx, user.id, { email }));
    const newUid = ldapUid !== undefined && (await store.isNameFree(tx, user.id, { ldapUid }));
    const changes = {
      ...(fullName === undefined ? {} : { fullName }),
      ...(newEmail ? { email } : {}),
      ...(newUid ? { ldapUid } : {}),
      ...(assertedEmail === undefined ? {} : { assertedEmail }),
    };
    await store.set(tx, user.id, { lastLoginAt: new Date(), ...changes });
    if (newEmail || fullName !== undefined)
      await outbox.add(tx, identityEvents.userUpdated, { userId: user.id, role: user.role as Role, active: true });
    return { ...user, ...changes };
  };

  const roleOf = async (tx: Tx, user: Account, assertion: Assertion, client: Client): Promise<string> => {
    return (await mappings.reconcile(tx, reconcileRequestOf(user, assertion, client))).role;
  };

  const open = async (
    tx: Tx,
    m: AccountMatch,
    assertion: Assertion,
    client: Client,
    verified?: VerifiedPassword,
  ): Promise<SignInResult> => {
    await verified?.onVerified(tx, m.user.id);
    const errorCode = statusFaultOf(m.user);
    if (errorCode) return refuse(tx, assertion, { errorCode, user: m.user }, client);
    const user = m.how === 'created' ? m.user : await refresh(tx, m.user, assertion);
    // Before the new session: a changed role ends the existing ones.
    const role = await roleOf(tx, user, assertion, client);
    const issued = await sessions.open(tx, { id: user.id, role }, client);
    await writeAudit(tx, signInRecordOf({ ...user, role }, assertion, client));
    return { outcome: 'signed_in', userId: user.id, issued };
  };

  const signInInTransaction = async (
    assertion: Assertion,
    client: Client,
    verified?: VerifiedPassword,
  ): Promise<SignInResult> => {
    const { result, created } = await db.$transaction(async (tx) => {
      const m = await match(tx, assertion, client);
      if ('refused' in m)
        return {
          result: await refuse(tx, assertion, { errorCode: m.refused, user: m.user, reason: m.reason }, client),
          created: null,
        };
      return { result: await open(tx, m, assertion, client, verified), created: m.how === 'created' ? m.method : null };
    }, txOptions);
    if (created) deps.telemetry.signups.inc({ method: created });
    return result;
  };

  const signInWithRetry: Provisioning['trySignIn'] = async (assertion, client, verified) => {
    const unchanged = await signInUnchanged(assertion, client, verified);
    if (unchanged) return unchanged;
    for (let left = maxAttempts; ; left--)
      try {
        return await signInInTransaction(assertion, client, verified);
      } catch (error) {
        if (left <= 1 || !isUniqueViolation(error)) throw error;
      }
  };

  return {
    trySignIn: signInWithRetry,
    signIn: async (assertion, client) => {
      const result = await signInWithRetry(assertion, client);
      if (result.outcome === 'signed_in') return result.issued;
      throw ownerRefusal(result.errorCode) ?? signInRefused();
    },
  };
}
