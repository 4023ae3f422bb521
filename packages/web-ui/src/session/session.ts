import type { QueryClient } from '@tanstack/react-query';
import { abortAll, call, useSessionHooks } from '../api/client.ts';
import { csrfToken } from '../api/cookies.ts';
import type { Answer } from '../api/routes.ts';

const renewedKey = 'overtone-session-renewed';
const lockName = 'overtone-session';
type TabMessage = { readonly type: 'signed_out' } | { readonly type: 'signed_in' };

/** The session of this browser: one renewal at a time over all tabs, one place that forgets everything. */
export type Session = {
  readonly signIn: (username: string, password: string) => Promise<void>;
  /** Any other way in: what it asks answers with a token, too. */
  readonly enter: (ask: () => Promise<Answer<'token'>>) => Promise<void>;
  readonly signOut: (everywhere?: boolean) => Promise<void>;
  /** True when a fresh access token is in place. */
  readonly renew: () => Promise<boolean>;
};

type Deps = {
  readonly queryClient: QueryClient;
  /** Closes the socket, empties the stores, stops uploads. */
  readonly onForget: () => void;
  /** `comeBack`: the same person signs in again and goes on where they were; not so after a sign-out. */
  readonly goToSignIn: (comeBack: boolean) => Promise<void>;
};

export const createSession = ({ queryClient, onForget, goToSignIn }: Deps): Session => {
  const tabs = typeof BroadcastChannel === 'undefined' ? null : new BroadcastChannel('overtone-session');
  let renewing: Promise<boolean> | null = null;
  let timer: ReturnType<typeof setTimeout> | undefined;

  const schedule = (expiresIn: number): void => {
    clearTimeout(timer);
    // Media elements cannot renew by themselves, so the token is exchanged before it ends.
    timer = setTimeout(() => void renew(), Math.max(30, expiresIn * 0.75) * 1000);
  };
  const remember = (expiresIn: number): void => {
    stamp(Date.now());
    schedule(expiresIn);
  };
  const stopAll = (): void => {
    clearTimeout(timer);
    abortAll();
    onForget();
    queryClient.cancelQueries().catch(() => undefined);
  };
  const clearAll = (): void => {
    // What everybody may read stays: the sign-in page is waiting for it at this moment.
    queryClient.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== 'public' });
    queryClient.getMutationCache().clear();
  };
  const forget = (): void => {
    stopAll();
    clearAll();
  };
  const renew = (): Promise<boolean> => {
    const asked = Date.now();
    renewing ??= alone(() => exchange(asked, remember)).finally(() => (renewing = null));
    return renewing;
  };
  const ended = async (comeBack: boolean): Promise<void> => {
    stopAll();
    // First away from the page, then its data: a page that is still there would ask for them again.
    await goToSignIn(comeBack).catch(() => undefined);
    clearAll();
  };
  const enter: Session['enter'] = async (ask) => {
    const token = await ask();
    forget();
    remember(token.expires_in);
    tabs?.postMessage({ type: 'signed_in' } satisfies TabMessage);
  };

  useSessionHooks({ renew, ended: () => void ended(true) });
  if (tabs) {
    tabs.onmessage = ({ data }: MessageEvent<TabMessage>) => {
      if (data.type === 'signed_out') void ended(false);
      else void reloadIfSomebodyElse(queryClient);
    };
  }
  return {
    renew,
    enter,
    signIn: (username, password) => enter(() => call('token', { form: { username, password } })),
    signOut: async (everywhere = false) => {
      try {
        if (everywhere) await call('logoutAll');
        await call('logout');
      } finally {
        tabs?.postMessage({ type: 'signed_out' } satisfies TabMessage);
        await ended(false);
      }
    },
  };
};

/** Somebody signed in in another tab. If it is another person, what this tab shows is not theirs. */
const reloadIfSomebodyElse = async (queryClient: QueryClient): Promise<void> => {
  const shown = queryClient.getQueryData<Answer<'me'>>(['me']);
  const now = await call('me').catch(() => null);
  if (now !== null && now.uuid !== shown?.uuid) location.reload();
};

/** Exchanges the refresh token, unless another tab did while this one waited: the old token is spent by then. */
const exchange = async (asked: number, remember: (expiresIn: number) => void): Promise<boolean> => {
  if (lastStamp() > asked) return true;
  if (csrfToken() === '') return false;
  try {
    remember((await call('refresh')).expires_in);
    return true;
  } catch (error) {
    if (error instanceof Error && 'status' in error && error.status !== 401 && error.status !== 403) throw error;
    return false;
  }
};

/** Runs in one tab at a time where the browser has locks (it has none on plain HTTP outside a loopback). */
const alone = <T>(work: () => Promise<T>): Promise<T> =>
  'locks' in navigator ? navigator.locks.request(lockName, work) : work();

const stamp = (at: number): void => {
  try {
    localStorage.setItem(renewedKey, String(at));
  } catch {
    // Storage is blocked: tabs then renew one after another, each with the newest cookie.
  }
};
const lastStamp = (): number => {
  try {
    return Number(localStorage.getItem(renewedKey) ?? 0);
  } catch {
    return 0;
  }
};
