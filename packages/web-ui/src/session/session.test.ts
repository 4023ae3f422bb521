import { beforeEach, expect, it, jest } from '@jest/globals';
import type { QueryClient } from '@tanstack/react-query';
import { call } from '../api/client.ts';
import { createSession } from './session.ts';

type Answered = { readonly status: number; readonly body?: object };
const token = { access_token: 'a', token_type: 'bearer', refresh_token: 'r', expires_in: 900 };

/** A browser with as much as the session uses, in front of a server that the test plays. */
const start = (answer: (path: string, asked: number) => Answered) => {
  const asked: string[] = [];
  const stored = new Map<string, string>();
  const posted: unknown[] = [];
  let fromOtherTab: (message: unknown) => void = () => undefined;
  class Channel {
    set onmessage(listener: (event: { data: unknown }) => void) {
      fromOtherTab = (data) => listener({ data });
    }
    postMessage(message: unknown): void {
      posted.push(message);
    }
  }
  const globals = {
    fetch: async (url: string) => {
      asked.push(url);
      const { status, body } = answer(url, asked.filter((u) => u === url).length);
      await Promise.resolve();
      return new Response(status === 204 ? null : JSON.stringify(body ?? {}), { status });
    },
    document: { cookie: 'csrf_token=c' },
    localStorage: {
      getItem: (k: string) => stored.get(k) ?? null,
      setItem: (k: string, v: string) => void stored.set(k, v),
    },
    navigator: { locks: { request: (_name: string, work: () => unknown) => work() } },
    BroadcastChannel: Channel,
  };
  for (const [name, value] of Object.entries(globals))
    Object.defineProperty(globalThis, name, { value, configurable: true, writable: true });
  const clear = jest.fn<(filters: unknown) => void>();
  const queryClient = {
    cancelQueries: () => Promise.resolve(),
    removeQueries: clear,
    getMutationCache: () => ({ clear: () => undefined }),
    getQueryData: () => undefined,
  } as unknown as QueryClient;
  const onForget = jest.fn();
  const goToSignIn = jest.fn((_comeBack: boolean) => Promise.resolve());
  const session = createSession({ queryClient, onForget, goToSignIn });
  return { session, asked, stored, posted, clear, onForget, goToSignIn, otherTab: (m: unknown) => fromOtherTab(m) };
};
const count = (asked: readonly string[], path: string): number => asked.filter((u) => u === path).length;
const refresh = '/api/auth/token/refresh';

beforeEach(() => void jest.useFakeTimers());

it('renews once for all requests that find the token over, and repeats them', async () => {
  const { asked } = start((path, nth) =>
    path === refresh ? { status: 200, body: token } : nth === 1 ? { status: 401 } : { status: 200, body: [] },
  );
  await Promise.all([call('listTags'), call('me')]);
  expect([count(asked, refresh), count(asked, '/api/tags'), count(asked, '/api/users/me')]).toEqual([1, 2, 2]);
});
it('takes the renewal of another tab instead of spending the token twice', async () => {
  const { session, asked, stored } = start(() => ({ status: 200, body: token }));
  stored.set('overtone-session-renewed', String(Date.now() + 5));
  expect(await session.renew()).toBe(true);
  expect(asked).toEqual([]);
});
it('ends when the renewal is refused, and keeps the place for the same person', async () => {
  const { goToSignIn, clear } = start(() => ({ status: 401 }));
  await expect(call('listTags')).rejects.toMatchObject({ status: 401 });
  await jest.advanceTimersByTimeAsync(0);
  expect(goToSignIn).toHaveBeenCalledWith(true);
  expect(clear).toHaveBeenCalled();
});
it('does not end for an outage: nobody is signed out because a server restarts', async () => {
  const { goToSignIn } = start((path) => ({ status: path === refresh ? 503 : 401 }));
  await expect(call('listTags')).rejects.toMatchObject({ status: 503 });
  expect(goToSignIn).not.toHaveBeenCalled();
});
it('renews before the token ends, because a media element cannot', async () => {
  const { session, asked } = start(() => ({ status: 200, body: token }));
  await session.signIn('ada', 'secret');
  await jest.advanceTimersByTimeAsync(700_000);
  expect(count(asked, refresh)).toBe(1);
});
it('leaves no trace after sign-out and tells the other tabs', async () => {
  const { session, posted, clear, onForget, goToSignIn } = start(() => ({ status: 200, body: { message: 'm' } }));
  await session.signOut();
  expect(posted).toEqual([{ type: 'signed_out' }]);
  expect(onForget).toHaveBeenCalled();
  expect(clear).toHaveBeenCalled();
  expect(goToSignIn).toHaveBeenCalledWith(false);
});
it('follows a sign-out in another tab', async () => {
  const { otherTab, clear, goToSignIn } = start(() => ({ status: 200 }));
  otherTab({ type: 'signed_out' });
  await jest.advanceTimersByTimeAsync(0);
  expect(goToSignIn).toHaveBeenCalledWith(false);
  expect(clear).toHaveBeenCalled();
});
it('ends requests that are on their way at sign-out', async () => {
  const { session } = start(() => ({ status: 200, body: { message: 'm' } }));
  const waits = jest.fn(
    (_url: string, { signal }: { signal: AbortSignal }) =>
      new Promise<Response>((_, refuse) => signal.addEventListener('abort', () => refuse(signal.reason as Error))),
  );
  const answers = globalThis.fetch;
  Object.defineProperty(globalThis, 'fetch', { value: waits, configurable: true, writable: true });
  const late = expect(call('listTags')).rejects.toMatchObject({ name: 'AbortError' });
  Object.defineProperty(globalThis, 'fetch', { value: answers, configurable: true, writable: true });
  await session.signOut();
  await late;
});
it('keeps what everybody may read, because the sign-in page is waiting for it', async () => {
  const { session, clear } = start(() => ({ status: 200, body: { message: 'm' } }));
  await session.signOut();
  const [{ predicate }] = clear.mock.calls[0] as [{ predicate: (query: { queryKey: string[] }) => boolean }];
  expect([predicate({ queryKey: ['public', 'methods'] }), predicate({ queryKey: ['me'] })]).toEqual([false, true]);
});
