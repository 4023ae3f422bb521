import { beforeEach, expect, it, jest } from '@jest/globals';
import type { QueryClient } from '@tanstack/react-query';
import { call } from '../api/client.ts';
import { createSession } from './session.ts';

type FakeResponse = { readonly status: number; readonly body?: object };
const token = { access_token: 'a', token_type: 'bearer', refresh_token: 'r', expires_in: 900 };

/** The parts of a browser that the session uses. @param respond the server: path and number of the request to a response */
function start(respond: (path: string, count: number) => FakeResponse) {
  const requests: string[] = [];
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
      requests.push(url);
      const { status, body } = respond(url, countOf(requests, url));
      await Promise.resolve();
      return new Response(status === 204 ? null : JSON.stringify(body ?? {}), { status });
    },
    document: { cookie: 'csrf_token=c' },
    localStorage: {
      getItem: (key: string) => stored.get(key) ?? null,
      setItem: (key: string, value: string) => void stored.set(key, value),
    },
    navigator: { locks: { request: (_name: string, work: () => unknown) => work() } },
    BroadcastChannel: Channel,
  };
  for (const [name, value] of Object.entries(globals))
    Object.defineProperty(globalThis, name, { value, configurable: true, writable: true });
  const clear = jest.fn<(filters: unknown) => void>();
  const cancel = jest.fn((_filters: unknown) => Promise.resolve());
  const queryClient = {
    cancelQueries: cancel,
    removeQueries: clear,
    getMutationCache: () => ({ clear: () => undefined }),
    getQueryData: () => undefined,
  } as unknown as QueryClient;
  const onForget = jest.fn();
  const goToSignIn = jest.fn((_returnHere: boolean) => Promise.resolve());
  const session = createSession({ queryClient, onForget, goToSignIn });
  return {
    session,
    requests,
    stored,
    posted,
    cancel,
    clear,
    onForget,
    goToSignIn,
    otherTab: (message: unknown) => fromOtherTab(message),
  };
}

function countOf(requests: readonly string[], path: string): number {
  return requests.filter((url) => url === path).length;
}

const refresh = '/api/auth/token/refresh';

beforeEach(() => void jest.useFakeTimers());

it('renews once for all requests with an expired token, and repeats them', async () => {
  const { requests } = start((path, nth) =>
    path === refresh ? { status: 200, body: token } : nth === 1 ? { status: 401 } : { status: 200, body: [] },
  );
  await Promise.all([call('GET /api/tags'), call('GET /api/users/me')]);
  expect([countOf(requests, refresh), countOf(requests, '/api/tags'), countOf(requests, '/api/users/me')]).toEqual([
    1, 2, 2,
  ]);
});
it('uses the renewal of another tab instead of sending the refresh token twice', async () => {
  const { session, requests, stored } = start(() => ({ status: 200, body: token }));
  stored.set('overtone-session-renewed', String(Date.now() + 5));
  expect(await session.renew()).toBe(true);
  expect(requests).toEqual([]);
});
it('ends when the renewal is refused, and returns to the same page after the next sign-in', async () => {
  const { goToSignIn, clear } = start(() => ({ status: 401 }));
  await expect(call('GET /api/tags')).rejects.toMatchObject({ status: 401 });
  await jest.advanceTimersByTimeAsync(0);
  expect(goToSignIn).toHaveBeenCalledWith(true);
  expect(clear).toHaveBeenCalled();
});
it('does not end because of an outage', async () => {
  const { goToSignIn } = start((path) => ({ status: path === refresh ? 503 : 401 }));
  await expect(call('GET /api/tags')).rejects.toMatchObject({ status: 503 });
  expect(goToSignIn).not.toHaveBeenCalled();
});
it('renews before the token expires, because a media element cannot', async () => {
  const { session, requests } = start(() => ({ status: 200, body: token }));
  await session.signIn('ada', 'secret');
  await jest.advanceTimersByTimeAsync(700_000);
  expect(countOf(requests, refresh)).toBe(1);
});
it('clears all data at sign-out and notifies the other tabs', async () => {
  const { session, posted, clear, onForget, goToSignIn } = start(() => ({ status: 200, body: { message: 'm' } }));
  await session.signOut();
  expect(posted).toEqual([{ type: 'signed_out' }]);
  expect(onForget).toHaveBeenCalled();
  expect(clear).toHaveBeenCalled();
  expect(goToSignIn).toHaveBeenCalledWith(false);
});
it('leaves at sign-out although the server does not answer, and says that it was not confirmed', async () => {
  const silence = AbortSignal.abort(new DOMException('late', 'TimeoutError'));
  const timeout = jest.spyOn(AbortSignal, 'timeout').mockReturnValue(silence);
  const { session, goToSignIn } = start(() => ({ status: 200, body: { message: 'm' } }));
  const unanswered = jest.fn((_url: string, { signal }: { signal: AbortSignal }) =>
    signal.aborted ? Promise.reject(signal.reason as Error) : new Promise<Response>(() => undefined),
  );
  Object.defineProperty(globalThis, 'fetch', { value: unanswered, configurable: true, writable: true });
  await expect(session.signOut()).rejects.toMatchObject({ status: 0 });
  expect(timeout).toHaveBeenCalledWith(10_000);
  expect(goToSignIn).toHaveBeenCalledWith(false);
  timeout.mockRestore();
});
it('ends after a sign-out in another tab', async () => {
  const { otherTab, clear, goToSignIn } = start(() => ({ status: 200 }));
  otherTab({ type: 'signed_out' });
  await jest.advanceTimersByTimeAsync(0);
  expect(goToSignIn).toHaveBeenCalledWith(false);
  expect(clear).toHaveBeenCalled();
});
it('aborts pending requests at sign-out, but not those of the sign-in page', async () => {
  const { session } = start(() => ({ status: 200, body: { message: 'm' } }));
  const pendingFetch = jest.fn(
    (_url: string, { signal }: { signal: AbortSignal }) =>
      new Promise<Response>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error))),
  );
  const fetchOfServer = globalThis.fetch;
  Object.defineProperty(globalThis, 'fetch', { value: pendingFetch, configurable: true, writable: true });
  const aborted = expect(call('GET /api/tags')).rejects.toMatchObject({ name: 'AbortError' });
  const ofSignInPage = jest.fn();
  void call('GET /api/auth/methods').finally(ofSignInPage);
  Object.defineProperty(globalThis, 'fetch', { value: fetchOfServer, configurable: true, writable: true });
  await session.signOut();
  await aborted;
  await jest.advanceTimersByTimeAsync(0);
  expect(ofSignInPage).not.toHaveBeenCalled();
});
it('keeps public data and its requests at every end of a session, because the sign-in page is loading it', async () => {
  const { session, cancel, clear } = start(() => ({ status: 200, body: { message: 'm' } }));
  await session.signOut();
  for (const { calls } of [cancel.mock, clear.mock]) {
    const [{ predicate }] = calls[0] as [{ predicate: (query: { queryKey: string[] }) => boolean }];
    expect([predicate({ queryKey: ['public', 'methods'] }), predicate({ queryKey: ['me'] })]).toEqual([false, true]);
  }
});
