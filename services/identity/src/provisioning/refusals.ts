import { forbidden, invalid, unauthenticated } from '@overtone/service-kit';
import { writeAudit, type AuditErrorCode } from '../audit/audit.ts';
import type { Client } from '../client.ts';
import type { Db } from '../database.ts';

/** The same response for every reason, so that it does not reveal which accounts exist or why a sign-in was refused. */
export function signInRefused(cause?: unknown) {
  return unauthenticated('invalid_credentials', 'Incorrect username or password', cause === undefined ? {} : { cause });
}

/** Account states that the owner may know. Every other reason is in the audit log only. */
const ownerErrors: Partial<Record<AuditErrorCode, () => Error>> = {
  INACTIVE_USER: () => forbidden('account_disabled', 'This account is disabled'),
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
  method: 'oidc' | 'pki' | 'proxy';
  errorCode: AuditErrorCode;
  /** For the administrator; never part of the response. */
  reason: string;
  username?: string | undefined;
  details?: Record<string, string | number | boolean>;
  cause?: unknown;
};

/** Audits the reason, and returns the error that does not contain it. */
export function createRefusals({ db }: { db: Db }) {
  return async (client: Client, r: Refusal): Promise<Error> => {
    await writeAudit(db, {
      event: 'auth.login.failure',
      outcome: 'failure',
      username: r.username?.slice(0, 320),
      errorCode: r.errorCode,
      client,
      details: { method: r.method, reason: r.reason, ...r.details },
    });
    return signInRefused(r.cause);
  };
}

export type Refuse = ReturnType<typeof createRefusals>;
