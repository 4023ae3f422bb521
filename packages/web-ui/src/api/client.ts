import { t } from '@lingui/core/macro';
import { csrfToken } from './cookies.ts';
import { ApiError, problemFrom } from './problem.ts';
import { urlOf, type Input, type Query, type ResponseBody, type Route } from './routes.ts';

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

/** Responses that are the same for everyone. The sign-in page loads them, also while a session is being ended. */
const publicRoutes: ReadonlySet<Route> = new Set<Route>(['GET /api/auth/methods', 'GET /api/auth/password-policy']);

/** Aborts the private requests in flight, so that the next user of this page never sees a response of the previous one. */
export function abortAll(): void {
  lifetime.abort();
  lifetime = new AbortController();
}

/** Routes whose 401 is about the credentials sent with the request, not about an expired access token. */
const routesWithoutRenewal: ReadonlySet<Route> = new Set<Route>([
  'POST /api/auth/token',
  'POST /api/auth/token/refresh',
  'POST /api/auth/logout',
  'GET /api/auth/oidc/callback',
  'POST /api/auth/pki/authenticate',
  'POST /api/auth/proxy/authenticate',
]);

/**
 * Calls a route of the contracts. On a 401 it renews the session and retries once.
 * @example await call('GET /api/files/{uuid}', { params: { uuid } });
 */
export async function call<R extends Route>(
  route: R,
  ...inputs: object extends Input<R> ? [input?: Input<R>] : [input: Input<R>]
): Promise<ResponseBody<R>> {
  const startedAt = performance.now();
  try {
    return await parseResponse<ResponseBody<R>>(await sendRenewing(route, inputs[0]));
  } catch (error) {
    if (error instanceof ApiError) error.waitedMs = performance.now() - startedAt;
    throw error;
  }
}

/** Calls a route that answers with an event stream, with the same renewal. @returns the pieces of its text as they arrive. */
export async function callStream<R extends Route>(route: R, input: Input<R>): Promise<ReadableStream<string>> {
  const response = await sendRenewing(route, input);
  if (!response.ok || response.body === null) {
    throw problemFrom(response.status, await response.text().catch(() => ''), response.headers.get('retry-after'));
  }
  return response.body.pipeThrough(new TextDecoderStream());
}

async function sendRenewing(route: Route, input: SendInput | undefined): Promise<Response> {
  const first = await send(route, input);
  if (first.status !== 401 || routesWithoutRenewal.has(route)) return first;
  if (await hooks.renew()) return send(route, input);
  hooks.onEnd();
  return first;
}

/** Sends a file to a route that reads the multipart field `file`. */
export function sendFile<R extends Route>(
  route: R,
  file: File,
  input: Omit<Input<R>, 'body'>,
): Promise<ResponseBody<R>> {
  return call(route, { ...input, body: file, encoding: 'file' } as unknown as Input<R>);
}

/** Fetches the text of an address of the API (an export), with the same renewal. */
export async function fetchText(url: string): Promise<string> {
  return (await fetchRenewing(url)).text();
}

/** The same for a file of any kind. */
export async function fetchBlob(url: string): Promise<Blob> {
  return (await fetchRenewing(url)).blob();
}

async function fetchRenewing(url: string): Promise<Response> {
  const fetchOnce = (): Promise<Response> =>
    fetch(url, { credentials: 'same-origin', signal: lifetime.signal }).catch((error: unknown) => {
      throw error instanceof DOMException ? error : new ApiError(0, {});
    });
  let response = await fetchOnce();
  if (response.status === 401 && (await hooks.renew())) response = await fetchOnce();
  if (!response.ok) throw problemFrom(response.status, await response.text(), response.headers.get('retry-after'));
  return response;
}

type SendInput = {
  params?: Readonly<Record<string, string>>;
  query?: Query;
  body?: unknown;
  /** `file`: the body is a file, sent as the multipart field `file`. */
  encoding?: 'json' | 'form' | 'file';
  signal?: AbortSignal;
};

async function send(route: Route, input: SendInput = {}): Promise<Response> {
  const [method = ''] = route.split(' ');
  const headers: Record<string, string> = { accept: 'application/json' };
  let body: string | FormData | undefined;
  if (input.encoding === 'form') {
    headers['content-type'] = 'application/x-www-form-urlencoded';
    body = new URLSearchParams(input.body as Record<string, string>).toString();
  } else if (input.encoding === 'file') {
    body = new FormData();
    body.set('file', input.body as File);
  } else if (input.body !== undefined) {
    headers['content-type'] = 'application/json';
    body = JSON.stringify(input.body);
  }
  if (method !== 'GET') headers['x-csrf-token'] = csrfToken();
  const signals = [input.signal, publicRoutes.has(route) ? undefined : lifetime.signal];
  const signal = AbortSignal.any(signals.filter((one) => one !== undefined));
  try {
    return await fetch(urlOf(route, input as Input<Route>), {
      method,
      headers,
      signal,
      credentials: 'same-origin',
      ...(body === undefined ? {} : { body }),
    });
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') throw error;
    throw new ApiError(0, {});
  }
}

async function parseResponse<A>(response: Response): Promise<A> {
  const text = await response.text().catch(() => '');
  if (!response.ok) throw problemFrom(response.status, text, response.headers.get('retry-after'));
  if (text === '') return undefined as A;
  try {
    return JSON.parse(text) as A;
  } catch {
    throw new ApiError(502, { detail: t`The response of the server couldn’t be read.`, code: 'bad_answer' });
  }
}
