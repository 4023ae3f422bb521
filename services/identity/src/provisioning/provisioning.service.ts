import { identityEvents, type Role } from '@overtone/contracts';
import type { Outbox } from '@overtone/database';
import type { Client } from '@overtone/service-kit';
import { writeAudit } from '../audit/audit.ts';
import { isUniqueViolation, type Db, type Pool, type Tx } from '../database.ts';
import type { Settings } from '../live-settings.ts';
import type { Mappings } from '../mappings/mappings.ts';
import type { Sessions } from '../sessions/sessions.ts';
import type { Telemetry } from '../telemetry.ts';
import { profileChangesOf, statusFaultOf, type Account } from './account.ts';
import { loginOf, type Assertion } from './assertion.ts';
import { matchAccount, type AccountMatch, type AssertedSignIn } from './matching.ts';
import {
  reconcileRequestOf,
  signInRecordOf,
  type Provisioning,
  type SignInResult,
  type VerifiedPassword,
} from './provisioning.ts';
import { provisioningStore as store } from './provisioning.store.ts';
import { ownerRefusal, recordRefusal, signInRefused } from './refusals.ts';
import { createUnchangedSignIn } from './unchanged-sign-in.service.ts';

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
  const { db, telemetry } = deps;
  const signInUnchanged = createUnchangedSignIn(deps);

  const signInInTransaction = async (
    assertion: Assertion,
    client: Client,
    verified?: VerifiedPassword,
  ): Promise<SignInResult> => {
    const { match, result } = await db.$transaction(async (tx) => {
      const asserted = { tx, assertion, client };
      const found = await matchAccount(deps, asserted);
      const opened = found.kind === 'refused' ? refuse(asserted, found) : open(deps, asserted, found, verified);
      return { match: found, result: await opened };
    });
    if (match.kind === 'created') telemetry.signups.inc({ method: match.method });
    return result;
  };

  const trySignIn: Provisioning['trySignIn'] = async (assertion, client, verified) => {
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
    trySignIn,
    signIn: async (assertion, client) => {
      const result = await trySignIn(assertion, client);
      if (result.outcome === 'signed_in') return result.issued;
      throw ownerRefusal(result.errorCode) ?? signInRefused();
    },
  };
}

/** Opens a session for the account of the assertion, after name, address, groups and role follow its source. */
async function open(
  { outbox, mappings, sessions }: Deps,
  asserted: AssertedSignIn,
  match: Exclude<AccountMatch, { kind: 'refused' }>,
  verified?: VerifiedPassword,
): Promise<SignInResult> {
  const { tx, assertion, client } = asserted;
  await verified?.onVerified(tx, match.user.id);
  const errorCode = statusFaultOf(match.user);
  if (errorCode) return refuse(asserted, { errorCode, user: match.user });
  const user = match.kind === 'created' ? match.user : await refreshProfile({ outbox }, tx, match.user, assertion);
  // Before the new session: a changed role ends the existing ones.
  const { role } = await mappings.reconcile(tx, reconcileRequestOf(user, assertion, client));
  const issued = await sessions.open(tx, { id: user.id, role }, client);
  await writeAudit(tx, signInRecordOf({ ...user, role }, assertion, client));
  return { outcome: 'signed_in', userId: user.id, issued };
}

/** Updates name and address from the source, except those that another account has. */
async function refreshProfile(
  { outbox }: Pick<Deps, 'outbox'>,
  tx: Tx,
  user: Account,
  assertion: Assertion,
): Promise<Account> {
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
}

function refuse(
  { tx, assertion, client }: AssertedSignIn,
  refused: Pick<Extract<AccountMatch, { kind: 'refused' }>, 'errorCode' | 'user'> & { reason?: string },
) {
  const { errorCode, user, reason } = refused;
  const { source: method, auditDetails: details } = assertion;
  return recordRefusal(tx, {
    errorCode,
    userId: user?.id,
    username: loginOf(assertion),
    client,
    method,
    reason,
    details,
  });
}
