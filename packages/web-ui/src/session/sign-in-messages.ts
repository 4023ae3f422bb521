import { msg, plural, t } from '@lingui/core/macro';
import { ApiError } from '@overtone/client';
import { translateOnRead } from '../lib/language.ts';
import { messageOf } from '../api/problem.ts';

const titles: Record<string, string> = translateOnRead({
  account_pending_approval: msg`Your account is awaiting approval`,
  account_rejected: msg`Your account wasn’t approved`,
  account_disabled: msg`Your account is disabled`,
  directory_check_pending: msg`Directory accounts can’t sign in yet`,
  account_expired: msg`Your account has expired`,
});
const advice: Record<string, string> = translateOnRead({
  account_pending_approval: msg`Your credentials are correct. Sign in again once an administrator has approved the account.`,
  account_rejected: msg`Your credentials are correct, but an administrator did not approve the account. Ask them for the reason.`,
  directory_check_pending: msg`Your credentials are correct. The database was restored; sign in again after the next directory sync.`,
  account_disabled: msg`Your credentials are correct, but the account is switched off. Contact an administrator.`,
});
export type SignInMethod = 'password' | 'oidc' | 'pki' | 'proxy';

const refused: Record<SignInMethod, { title: string; text: string }> = translateOnRead({
  password: {
    title: msg`Incorrect user name or password`,
    text: msg`Check both and try again. After several failed attempts the account is locked for a while.`,
  },
  oidc: {
    title: msg`Sign-in refused`,
    text: msg`Your identity provider responded, but your sign-in was not accepted. An administrator can find the reason in the audit log.`,
  },
  pki: {
    title: msg`Certificate not accepted`,
    text: msg`Check that your browser sent the right certificate. An administrator can find the reason in the audit log.`,
  },
  proxy: {
    title: msg`You aren’t signed in at the proxy`,
    text: msg`Open this address through your organisation’s proxy and sign in there first.`,
  },
});

/** Title and text for a failed sign-in: what happened, and what to do next. */
export function signInMessage(error: unknown, method: SignInMethod = 'password'): { title: string; text: string } {
  if (!(error instanceof ApiError)) return { title: t`Sign-in failed`, text: messageOf(error) };
  if (/insecure|plain_http|https_required|secure_transport/.test(error.code)) {
    return { title: t`This address isn’t secure`, text: error.message };
  }
  if (error.status === 401) return refused[method];
  if (error.status === 429) return { title: t`Too many attempts`, text: waitText(error) };
  if (error.status === 0) return { title: t`Can’t connect`, text: error.message };
  if (error.status >= 500) return { title: t`Sign-in is temporarily unavailable`, text: error.message };
  return { title: titles[error.code] ?? t`Sign-in refused`, text: advice[error.code] ?? error.message };
}

function waitText(error: ApiError): string {
  if (error.retryAfter === null) return error.message;
  return error.retryAfter < 90
    ? plural(error.retryAfter, { one: 'Wait # second, then try again.', other: 'Wait # seconds, then try again.' })
    : plural(Math.ceil(error.retryAfter / 60), { other: 'Wait # minutes, then try again.' });
}
