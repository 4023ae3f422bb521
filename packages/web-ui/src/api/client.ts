import { csrfToken } from './cookies.ts';
import { ApiError, problemFrom } from './problem.ts';
import {
  routes,
  urlOf,
  type ResponseBody,
  type RequestBody,
  type QueryInput,
  type RouteLine,
  type RouteName,
} from './routes.ts';

/** The input of one call; the contracts give the type of its body. */
export type Input<B> = {
  params?: Readonly<Record<string, string>>;
  query?: QueryInput;
  body?: B;
  form?: Readonly<Record<string, string>>;
  signal?: AbortSignal | undefined;
};

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

/** Aborts every request in flight, so that the next user of this page never sees a response of the previous one. */
export function abortAll(): void {
  lifetime.abort();
  lifetime = new AbortController();
}

/** Routes whose 401 is about the credentials sent with the request, not about an expired access token. */
const routesWithoutRenewal: ReadonlySet<string> = new Set([
  '/api/auth/token',
  '/api/auth/token/refresh',
  '/api/auth/logout',
  '/api/auth/oidc/callback',
  '/api/auth/pki/authenticate',
  '/api/auth/proxy/authenticate',
]);

/** Calls one route of the API. On a 401 it renews the session and retries once. */
export function call<N extends RouteName>(name: N, input: Input<RequestBody<N>> = {}): Promise<ResponseBody<N>> {
  return callRoute<ResponseBody<N>>(routes[name], input);
}

/** Like `call`, for a route of another list. */
export async function callRoute<A>(route: RouteLine, input: Input<unknown>): Promise<A> {
  const first = await send(route, input);
  if (first.status !== 401 || routesWithoutRenewal.has(route[1])) return parseResponse<A>(first);
  if (!(await hooks.renew())) {
    hooks.onEnd();
    return parseResponse<A>(first);
  }
  return parseResponse<A>(await send(route, input));
}

/** Fetches the text of an address of the API (an export), with the same renewal. */
export async function fetchText(url: string): Promise<string> {
  const fetchOnce = (): Promise<Response> =>
    fetch(url, { credentials: 'same-origin', signal: lifetime.signal }).catch((error: unknown) => {
      throw error instanceof DOMException ? error : new ApiError(0, {});
    });
  let response = await fetchOnce();
  if (response.status === 401 && (await hooks.renew())) response = await fetchOnce();
  const text = await response.text();
  if (!response.ok) throw problemFrom(response.status, text, response.headers.get('retry-after'));
  return text;
}

async function send([method, path]: RouteLine, input: Input<unknown>): Promise<Response> {
  const headers: Record<string, string> = { accept: 'application/json' };
  let body: string | undefined;
  if (input.form) {
    headers['content-type'] = 'application/x-www-form-urlencoded';
    body = new URLSearchParams(input.form).toString();
  } else if (input.body !== undefined) {
    headers['content-type'] = 'application/json';
    body = JSON.stringify(input.body);
  }
  if (method !== 'GET') headers['x-csrf-token'] = csrfToken();
  const signal = input.signal ? AbortSignal.any([input.signal, lifetime.signal]) : lifetime.signal;
  try {
    return await fetch(urlOf(path, input.params, input.query), {
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
    throw new ApiError(502, { detail: 'The response of the server couldn’t be read.', code: 'bad_answer' });
  }
}
