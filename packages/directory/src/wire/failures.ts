import type { UnknownAnswer, UnknownReason } from '../model.ts';

/** The reason why an operation has no result. The message is for an administrator and contains no secret. */
export class DirectoryFailure extends Error {
  override readonly name = 'DirectoryFailure';
  readonly reason: UnknownReason;
  /** The connection was lost before any byte of a response; a retry on another connection is safe. */
  readonly lost: boolean;
  /** The LDAP result code, if the server sent one. */
  readonly code: number | undefined;

  constructor(
    reason: UnknownReason,
    message: string,
    { cause, lost = false, code }: { cause?: unknown; lost?: boolean; code?: number } = {},
  ) {
    super(message, { cause });
    this.reason = reason;
    this.lost = lost;
    this.code = code;
  }
}

/** The relevant result codes of RFC 4511. */
export const resultCodes = {
  success: 0,
  sizeLimitExceeded: 4,
  noSuchObject: 32,
  invalidCredentials: 49,
} as const;

const reasons: Readonly<Record<number, readonly [UnknownReason, string]>> = {
  1: ['refused', 'The server reports an operations error; it may want a service account'],
  2: ['protocol', 'The server reports a protocol error'],
  3: ['limit', "The server's time limit was reached"],
  4: ['limit', "The server's size limit was reached"],
  8: ['config', 'The server asks for an encrypted connection'],
  10: ['referral', 'The server refers to another server; referrals are not followed'],
  11: ['limit', 'An administrative limit of the server was reached'],
  12: ['protocol', 'The server does not support a control that is needed'],
  13: ['config', 'The server asks for an encrypted connection'],
  21: ['config', 'The server cannot read an attribute value of the question'],
  32: ['config', 'The entry does not exist'],
  34: ['config', 'The server cannot read a distinguished name'],
  50: ['refused', 'The service account lacks the rights'],
  51: ['busy', 'The server is busy'],
  52: ['busy', 'The server is unavailable'],
  53: ['refused', 'The server is unwilling'],
};

/** The failure for a result code other than success. */
export function failureOf(code: number, diagnostic: string): DirectoryFailure {
  const [reason, text] = reasons[code] ?? (['refused', 'The server refuses'] as const);
  const words = diagnostic === '' ? '' : `: ${diagnostic}`;
  return new DirectoryFailure(reason, `${text} (LDAP result ${code})${words}`, { code });
}

/** Converts a thrown value to a DirectoryFailure. */
export function asFailure(error: unknown): DirectoryFailure {
  if (error instanceof DirectoryFailure) return error;
  return new DirectoryFailure('protocol', 'The answer could not be understood', { cause: error });
}

/** The answer of an operation that failed. */
export function unknownAnswer(error: unknown): UnknownAnswer {
  const { reason, message } = asFailure(error);
  return { outcome: 'unknown', reason, message };
}
