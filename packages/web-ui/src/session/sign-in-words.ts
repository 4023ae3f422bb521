import { ApiError, wordsOf } from '../api/problem.ts';

const titles: Record<string, string> = {
  account_pending_approval: 'Your account waits for approval',
  account_rejected: 'Your account was not approved',
  account_disabled: 'Your account is disabled',
  account_expired: 'Your account has expired',
};
const advice: Record<string, string> = {
  account_pending_approval: 'Your sign-in was right. An administrator has to approve the account; then sign in again.',
  account_rejected:
    'Your sign-in was right, but an administrator did not approve the account. Ask them for the reason.',
  account_disabled: 'Your sign-in was right, but the account is switched off. Ask an administrator.',
};
export type Way = 'password' | 'oidc' | 'pki' | 'proxy';

const refused: Record<Way, { title: string; words: string }> = {
  password: {
    title: 'User name or password is wrong',
    words: 'Check both and try again. After several failures an account is locked for a while.',
  },
  oidc: {
    title: 'The sign-in was not accepted',
    words:
      'Your identity provider answered, but it does not let you in here. An administrator finds the reason in the audit log.',
  },
  pki: {
    title: 'The certificate was not accepted',
    words: 'Check that your browser sent the right one. An administrator finds the reason in the audit log.',
  },
  proxy: {
    title: 'Nobody is signed in at the proxy',
    words: 'Open this address through your organisation’s proxy and sign in there first.',
  },
};

/** What to say of a sign-in that failed, so that a person knows what to do next. */
export const signInWords = (error: unknown, way: Way = 'password'): { title: string; words: string } => {
  if (!(error instanceof ApiError)) return { title: 'Sign-in did not work', words: wordsOf(error) };
  if (/insecure|plain_http|https_required|secure_transport/.test(error.code)) {
    return { title: 'This address is not safe to sign in at', words: error.message };
  }
  if (error.status === 401) return refused[way];
  if (error.status === 429) return { title: 'Too many tries', words: waitWords(error) };
  if (error.status === 0) return { title: 'Overtone cannot be reached', words: error.message };
  if (error.status >= 500) return { title: 'Sign-in is not possible just now', words: error.message };
  return { title: titles[error.code] ?? 'Sign-in was refused', words: advice[error.code] ?? error.message };
};

const waitWords = (error: ApiError): string => {
  if (error.retryAfter === null) return error.message;
  return `Wait ${error.retryAfter < 90 ? `${error.retryAfter} seconds` : `${Math.ceil(error.retryAfter / 60)} minutes`}, then try again.`;
};
