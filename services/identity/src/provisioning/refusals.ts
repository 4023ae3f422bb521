import { forbidden, invalid, unauthenticated, type Client } from '@overtone/service-kit';
import { writeAudit, type AuditErrorCode, type AuditRecord } from '../audit/audit.ts';
import type { Db, Tx } from '../database.ts';
import type { Assertion } from './assertion.ts';

/** A refusal that is recorded in the audit log. */
export type RefusedSignIn = { outcome: 'refused'; errorCode: AuditErrorCode; userId: string | undefined };

/** The same response for every reason, so that it does not reveal which accounts exist or why a sign-in was refused. */
export function signInRefused(cause?: unknown) {
  return unauthenticated('invalid_credentials', 'Incorrect username or password', cause === undefined ? {} : { cause });
}

/** Account states that the owner may know. Every other reason is in the audit log only. */
const ownerErrors: Partial<Record<AuditErrorCode, () => Error>> = {
  INACTIVE_USER: () => forbidden('account_disabled', 'This account is disabled'),
  DIRECTORY_CHECK_PENDING: () =>
    forbidden('directory_check_pending', 'Directory accounts can sign in after the next directory sync run'),
  ACCOUNT_PENDING_APPROVAL: () =>
    forbidden('account_pending_approval', 'This account waits for the approval of an administrator'),
  ACCOUNT_REJECTED: () => forbidden('account_rejected', 'An administrator did not approve this account'),
};

/**
 * The error for the verified owner of an account; undefined: the generic error. These codes are returned only after the
 * password, the token or the certificate was verified (`statusFaultOf`).
 */
export function ownerRefusal(code: AuditErrorCode): Error | undefined {
  return ownerErrors[code]?.();
}

/** The enabled sign-in methods are public: GET /api/auth/methods lists them. */
export function methodOff() {
  return invalid('sign_in_method_off', 'This sign-in method is switched off');
}

type Refusal = {
  errorCode: AuditErrorCode;
  client: Client;
  userId?: string | undefined;
  username?: string | undefined;
  method?: 'local' | Assertion['source'];
  /** For the administrator; never part of the response. */
  reason?: string | undefined;
  details?: AuditRecord['details'] | undefined;
};

/** Writes every refused sign-in to the audit log. */
export async function recordRefusal(tx: Tx, refusal: Refusal): Promise<RefusedSignIn> {
  const { errorCode, userId, method, reason, details, ...by } = refusal;
  await writeAudit(tx, {
    event: 'auth.login.failure',
    outcome: 'failure',
    userId,
    errorCode,
    ...by,
    details: { ...(method ? { method } : {}), ...(reason === undefined ? {} : { reason }), ...details },
  });
  return { outcome: 'refused', errorCode, userId };
}

/** Records the reason, and returns the error that does not contain it. */
export function createRefusals({ db }: { db: Db }) {
  return async (
    client: Client,
    { cause, ...refusal }: Omit<Refusal, 'client'> & { cause?: unknown },
  ): Promise<Error> => {
    await recordRefusal(db, { client, ...refusal });
    return signInRefused(cause);
  };
}

export type Refuse = ReturnType<typeof createRefusals>;
