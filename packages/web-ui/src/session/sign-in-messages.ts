import { ApiError, messageOf } from '../api/problem.ts';

const titles: Record<string, string> = {
  account_pending_approval: 'Your account is awaiting approval',
  account_rejected: 'Your account wasn’t approved',
  account_disabled: 'Your account is disabled',
  account_expired: 'Your account has expired',
};
const advice: Record<string, string> = {
  account_pending_approval:
    'Your credentials are correct. Sign in again once an administrator has approved the account.',
  account_rejected:
    'Your credentials are correct, but an administrator did not approve the account. Ask them for the reason.',
  account_disabled: 'Your credentials are correct, but the account is switched off. Contact an administrator.',
};
export type SignInMethod = 'password' | 'oidc' | 'pki' | 'proxy';

const refused: Record<SignInMethod, { title: string; text: string }> = {
  password: {
    title: 'Incorrect user name or password',
    text: 'Check both and try again. After several failed attempts the account is locked for a while.',
  },
  oidc: {
    title: 'Sign-in refused',
    text: 'Your identity provider responded, but your sign-in was not accepted. An administrator can find the reason in the audit log.',
  },
  pki: {
    title: 'Certificate not accepted',
    text: 'Check that your browser sent the right certificate. An administrator can find the reason in the audit log.',
  },
  proxy: {
    title: 'You aren’t signed in at the proxy',
    text: 'Open this address through your organisation’s proxy and sign in there first.',
  },
};

/** Title and text for a failed sign-in: what happened, and what to do next. */
export function signInMessage(error: unknown, method: SignInMethod = 'password'): { title: string; text: string } {
  if (!(error instanceof ApiError)) return { title: 'Sign-in failed', text: messageOf(error) };
  if (/insecure|plain_http|https_required|secure_transport/.test(error.code)) {
    return { title: 'This address isn’t secure', text: error.message };
  }
  if (error.status === 401) return refused[method];
  if (error.status === 429) return { title: 'Too many attempts', text: waitText(error) };
  if (error.status === 0) return { title: 'Can’t connect', text: error.message };
  if (error.status >= 500) return { title: 'Sign-in is temporarily unavailable', text: error.message };
  return { title: titles[error.code] ?? 'Sign-in refused', text: advice[error.code] ?? error.message };
}

function waitText(error: ApiError): string {
  if (error.retryAfter === null) return error.message;
  return `Wait ${error.retryAfter < 90 ? `${error.retryAfter} seconds` : `${Math.ceil(error.retryAfter / 60)} minutes`}, then try again.`;
}
