import { forbidden, invalid, unauthenticated } from '@overtone/service-kit';
import { writeAudit, type AuditErrorCode } from '../audit/audit.ts';
import type { Client } from '../client.ts';
import type { Db } from '../database.ts';

/** One answer for every reason, so that nothing is learnt about who has an account or why it was refused. */
export const signInRefused = (cause?: unknown) =>
  unauthenticated('invalid_credentials', 'Incorrect username or password', cause === undefined ? {} : { cause });

/** The state of an account that keeps its owner out. Every other reason stays in the audit log. */
const ownerAnswers: Partial<Record<AuditErrorCode, () => Error>> = {
  INACTIVE_USER: () => forbidden('account_disabled', 'This account is disabled'),
  ACCOUNT_PENDING_APPROVAL: () =>
    forbidden('account_pending_approval', 'This account waits for the approval of an administrator'),
  ACCOUNT_REJECTED: () => forbidden('account_rejected', 'An administrator did not approve this account'),
};

/**
 * The error of a refused sign-in that has proved to come from the owner of the account; undefined: the generic answer.
 * The codes above are given only after the password, the token or the certificate was verified (`standingOf`).
 */
export const ownerRefusal = (code: AuditErrorCode): Error | undefined => ownerAnswers[code]?.();

/** Which ways to sign in there are is no secret: GET /api/auth/methods tells everybody. */
export const methodOff = () => invalid('sign_in_method_off', 'This way to sign in is switched off');

type Refusal = {
  method: 'oidc' | 'pki' | 'proxy';
  errorCode: AuditErrorCode;
  /** For the administrator; never part of the answer. */
  reason: string;
  username?: string | undefined;
  details?: Record<string, string | number | boolean>;
  cause?: unknown;
};

/** Writes down why, and gives the error that does not say so. */
export const createRefusals =
  ({ db }: { db: Db }) =>
  async (client: Client, r: Refusal): Promise<Error> => {
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
export type Refuse = ReturnType<typeof createRefusals>;
