import { forbidden, invalid, unauthenticated } from '@overtone/service-kit';
import { writeAudit, type AuditErrorCode } from '../audit/audit.ts';
import type { Client } from '../client.ts';
import type { Db } from '../database.ts';

/** One answer for every reason, so that nothing is learnt about who has an account or why it was refused. */
export const signInRefused = (cause?: unknown) =>
  unauthenticated('invalid_credentials', 'Incorrect username or password', cause === undefined ? {} : { cause });

/** Only for somebody who has proved to be the owner. */
export const accountDisabled = () => forbidden('account_disabled', 'This account is disabled');

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
