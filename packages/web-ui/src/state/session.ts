import type { QueryClient } from '@tanstack/react-query';
import type { ResponseBody } from '@overtone/client';
import { abortAll, call, setSessionHooks } from '../api/client.ts';
import { csrfToken } from '../api/cookies.ts';

const renewedKey = 'overtone-session-renewed';
const lockName = 'overtone-session';
/** A server that does not answer must not keep the person from leaving. */
const signOutMs = 10_000;
type TabMessage = { readonly type: 'signed_out' | 'signed_in' };

/** The session of this browser: one renewal at a time over all tabs, and one place that clears all data. */
export type Session = {
  readonly signIn: (username: string, password: string) => Promise<void>;
  /** Signs in by any other method that responds with a token. */
  readonly enter: (requestToken: () => Promise<ResponseBody<'POST /api/auth/token'>>) => Promise<void>;
  readonly signOut: (everywhere?: boolean) => Promise<void>;
  /** True when a fresh access token is in place. */
  readonly renew: () => Promise<boolean>;
};

type Deps = {
  readonly queryClient: QueryClient;
  /** Closes the socket, empties the stores, stops uploads. */
  readonly onForget: () => void;
  /** @param returnHere true when the next sign-in leads back to the current page; false after a sign-out */
  readonly goToSignIn: (returnHere: boolean) => Promise<void>;
};

export function createSession({ queryClient, onForget, goToSignIn }: Deps): Session {
  let renewing: Promise<boolean> | null = null;
  let timer: ReturnType<typeof setTimeout> | undefined;

  const recordRenewal = (expiresIn: number): void => {
    storeRenewal(Date.now());
    clearTimeout(timer);
    // Media elements cannot renew a token, so it is renewed before it expires.
    timer = setTimeout(() => void renew(), Math.max(30, expiresIn * 0.75) * 1000);
  };
  const renew = (): Promise<boolean> => {
    const requestedAt = Date.now();
    renewing ??= withRenewalLock(() => exchangeToken(requestedAt, recordRenewal)).finally(() => (renewing = null));
    return renewing;
  };
  const stopAll = (): void => {
    clearTimeout(timer);
    abortAll();
    onForget();
    queryClient.cancelQueries({ predicate: isPrivate }).catch(() => undefined);
  };
  const endSession = async (returnHere: boolean): Promise<void> => {
    stopAll();
    // Leave the page before its data is removed: a mounted page would load it again.
    await goToSignIn(returnHere).catch(() => undefined);
    removePrivateData(queryClient);
  };
  const notifyTabs = connectTabs((message) => {
    if (message === 'signed_out') void endSession(false);
    else void reloadForOtherUser(queryClient);
  });
  const enter: Session['enter'] = async (requestToken) => {
    const token = await requestToken();
    stopAll();
    removePrivateData(queryClient);
    recordRenewal(token.expires_in);
    notifyTabs('signed_in');
  };
  setSessionHooks({ renew, onEnd: () => void endSession(true) });
  return {
    renew,
    enter,
    signIn: (username, password) =>
      enter(() => call('POST /api/auth/token', { encoding: 'form', body: { username, password } })),
    signOut: async (everywhere = false) => {
      try {
        const signal = AbortSignal.timeout(signOutMs);
        if (everywhere) await call('POST /api/auth/logout/all', { signal });
        await call('POST /api/auth/logout', { signal });
      } finally {
        notifyTabs('signed_out');
        await endSession(false);
      }
    },
  };
}

function removePrivateData(queryClient: QueryClient): void {
  queryClient.removeQueries({ predicate: isPrivate });
  queryClient.getMutationCache().clear();
}

/** Public data stays: the sign-in page is loading it, and each rejected request ends the session once more. */
function isPrivate({ queryKey }: { readonly queryKey: readonly unknown[] }): boolean {
  return queryKey[0] !== 'public';
}

/** @returns sends a message to the other tabs. */
function connectTabs(onMessage: (type: TabMessage['type']) => void): (type: TabMessage['type']) => void {
  if (typeof BroadcastChannel === 'undefined') return () => undefined;
  const tabs = new BroadcastChannel('overtone-session');
  tabs.onmessage = ({ data }: MessageEvent<TabMessage>) => onMessage(data.type);
  return (type) => tabs.postMessage({ type } satisfies TabMessage);
}

/** Reloads the page after a sign-in in another tab when the user is a different one. */
async function reloadForOtherUser(queryClient: QueryClient): Promise<void> {
  const shown = queryClient.getQueryData<ResponseBody<'GET /api/users/me'>>(['me']);
  const current = await call('GET /api/users/me').catch(() => null);
  if (current !== null && current.uuid !== shown?.uuid) location.reload();
}

/** Exchanges the refresh token, unless another tab did while this one waited: a refresh token works once. */
async function exchangeToken(requestedAt: number, recordRenewal: (expiresIn: number) => void): Promise<boolean> {
  if (lastRenewalAt() > requestedAt) return true;
  if (csrfToken() === '') return false;
  try {
    recordRenewal((await call('POST /api/auth/token/refresh')).expires_in);
    return true;
  } catch (error) {
    if (error instanceof Error && 'status' in error && error.status !== 401 && error.status !== 403) throw error;
    return false;
  }
}

/** Runs in one tab at a time where the browser supports locks (not on plain HTTP outside of localhost). */
function withRenewalLock<T>(work: () => Promise<T>): Promise<T> {
  return 'locks' in navigator ? navigator.locks.request(lockName, work) : work();
}

function storeRenewal(at: number): void {
  try {
    localStorage.setItem(renewedKey, String(at));
  } catch {
    // The storage is blocked: the tabs renew one after another, each with the newest cookie.
  }
}

function lastRenewalAt(): number {
  try {
    return Number(localStorage.getItem(renewedKey) ?? 0);
  } catch {
    return 0;
  }
}
