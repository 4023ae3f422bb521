import { createClient, type Input, type OptionalInput, type ResponseBody, type Route } from '@overtone/client';
import { csrfToken } from './cookies.ts';

export type SessionHooks = {
  /** @returns true when a fresh access token is in place. */
  readonly renew: () => Promise<boolean>;
  /** Called after a renewal failed. */
  readonly onEnd: () => void;
};

let hooks: SessionHooks = { renew: () => Promise.resolve(false), onEnd: () => undefined };
let lifetime = new AbortController();

export function setSessionHooks(next: SessionHooks): void {
  hooks = next;
}

/** Aborts the private requests in flight, so that the next user of this page never sees a response of the previous one. */
export function abortAll(): void {
  lifetime.abort();
  lifetime = new AbortController();
}

/** The session of this browser: its cookies, and the CSRF token that a change repeats in a header. */
const client = createClient({
  credentials: {
    headers: (method) => (method === 'GET' ? {} : { 'x-csrf-token': csrfToken() }),
    renew: async () => {
      const isRenewed = await hooks.renew();
      if (!isRenewed) hooks.onEnd();
      return isRenewed;
    },
  },
});

/** Responses that are the same for everyone. The sign-in page loads them, also while a session is being ended. */
const publicRoutes: ReadonlySet<Route> = new Set<Route>(['GET /api/auth/methods', 'GET /api/auth/password-policy']);

/**
 * Calls a route of the contracts. On a 401 it renews the session and retries once.
 * @example await call('GET /api/files/{uuid}', { params: { uuid } });
 */
export function call<R extends Route>(route: R, ...inputs: OptionalInput<R>): Promise<ResponseBody<R>> {
  return client.call(route, ...ofThisSession(route, inputs[0]));
}

/** Calls a route that answers with an event stream, with the same renewal. @returns the pieces of its text as they arrive. */
export async function callStream<R extends Route>(route: R, input: Input<R>): Promise<ReadableStream<string>> {
  const { body } = await client.fetch(route, ...ofThisSession(route, input));
  return (body ?? new ReadableStream()).pipeThrough(new TextDecoderStream());
}

/** Sends a file to a route that reads the multipart field `file`. */
export function sendFile<R extends Route>(route: R, file: File, input: Input<R>): Promise<ResponseBody<R>> {
  return client.sendFile(route, file, ...ofThisSession(route, input));
}

/** Fetches the text of an address of the API (an export), with the same renewal. */
export async function fetchText(url: string): Promise<string> {
  return (await client.fetchUrl(url, lifetime.signal)).text();
}

/** The same for a file of any kind. */
export async function fetchBlob(url: string): Promise<Blob> {
  return (await client.fetchUrl(url, lifetime.signal)).blob();
}

/** Lets the browser save the file of an address of the API, without keeping it in memory. */
export async function download(url: string): Promise<void> {
  // Renews the session: the browser would save the response to an expired one as the file.
  await call('GET /api/users/me');
  const link = document.createElement('a');
  link.href = url;
  link.download = '';
  link.click();
}

function ofThisSession<R extends Route>(route: R, input: Input<R> | undefined): OptionalInput<R> {
  const signals = [input?.signal, publicRoutes.has(route) ? undefined : lifetime.signal];
  const signal = AbortSignal.any(signals.filter((one) => one !== undefined));
  return [{ ...input, signal }] as unknown as OptionalInput<R>;
}
