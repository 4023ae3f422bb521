import type { Bound } from '../wire/connection.ts';
import { failureOf, type DirectoryFailure } from '../wire/failures.ts';
import type { NoReason } from '../model.ts';

/** The result of a bind as a person. */
export type Verdict =
  | { readonly outcome: 'yes' }
  | { readonly outcome: 'no'; readonly reason: NoReason }
  | { readonly outcome: 'unknown'; readonly failure: DirectoryFailure };

// Active Directory's sub-codes of result 49: for the log only; the caller gets one generic error.
const activeDirectory: Readonly<Record<string, NoReason>> = {
  '530': 'account_disabled', // not at this hour
  '531': 'account_disabled', // not at this workstation
  '532': 'password_expired',
  '533': 'account_disabled',
  '701': 'account_expired',
  '773': 'password_expired', // must be changed first
  '775': 'account_locked',
};

const policyExpired = 0;
const policyLocked = 1;
const policyChangeAfterReset = 2;

/** Parses the response to a bind as a person: only an explicit rejection is a no. */
export function verdictOf({ code, diagnostic, policyError }: Bound): Verdict {
  if (code === 0) return policyError === policyChangeAfterReset ? no('password_expired') : { outcome: 'yes' };
  if (policyError === policyLocked) return no('account_locked');
  if (policyError === policyExpired) return no('password_expired');
  if (code === 49) return no(activeDirectory[/\bdata ([0-9a-f]{3}),/.exec(diagnostic)?.[1] ?? ''] ?? 'wrong_password');
  if (code === 48) return no('wrong_password'); // the entry has no password
  // 389 Directory Server and FreeIPA
  if (code === 19 && /retry limit/i.test(diagnostic)) return no('account_locked');
  if (code === 53 && /inactivated/i.test(diagnostic)) return no('account_disabled');
  return { outcome: 'unknown', failure: failureOf(code, diagnostic) };
}

function no(reason: NoReason): Verdict {
  return { outcome: 'no', reason };
}
