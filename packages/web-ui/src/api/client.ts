import { csrfToken } from './cookies.ts';
import { ApiError, problemFrom } from './problem.ts';
import { routes, urlOf, type Answer, type Body, type QueryInput, type RouteLine, type RouteName } from './routes.ts';

/** What one call gives a route, its body typed by the contracts. */
export type Input<B> = {
  params?: Readonly<Record<string, string>>;
  query?: QueryInput;
  body?: B;
  form?: Readonly<Record<string, string>>;
  signal?: AbortSignal | undefined;
};

/** What the client needs of the session: how to renew it, and whom to tell that it is over. */
export type SessionHooks = { readonly renew: () => Promise<boolean>; readonly ended: () => void };

let hooks: SessionHooks = { renew: () => Promise.resolve(false), ended: () => undefined };
let lifetime = new AbortController();

export const useSessionHooks = (next: SessionHooks): void => {
  hooks = next;
};
/** Ends every request in flight: what one person asked for must not arrive on the next one's screen. */
export const abortAll = (): void => {
  lifetime.abort();
  lifetime = new AbortController();
};

/** Routes that answer 401 to somebody who is not signed in yet, or not any more. */
const noRenewal: ReadonlySet<string> = new Set([
  '/api/auth/token',
  '/api/auth/token/refresh',
  '/api/auth/logout',
  '/api/auth/oidc/callback',
  '/api/auth/pki/authenticate',
  '/api/auth/proxy/authenticate',
]);

/** Calls one route of the API; a 401 renews the session once and tries again. */
export const call = <N extends RouteName>(name: N, input: Input<Body<N>> = {}): Promise<Answer<N>> =>
  callRoute<Answer<N>>(routes[name], input);

/** The same for a route of another list. */
export const callRoute = async <A>(route: RouteLine, input: Input<unknown>): Promise<A> => {
  const first = await send(route, input);
  if (first.status !== 401 || noRenewal.has(route[1])) return answerOf<A>(first);
  if (!(await hooks.renew())) {
    hooks.ended();
    return answerOf<A>(first);
  }
  return answerOf<A>(await send(route, input));
};

/** Fetches a text of the API by its address (an export), with the same renewal. */
export const fetchText = async (url: string): Promise<string> => {
  const ask = (): Promise<Response> =>
    fetch(url, { credentials: 'same-origin', signal: lifetime.signal }).catch((error: unknown) => {
      throw error instanceof DOMException ? error : new ApiError(0, {});
    });
  let response = await ask();
  if (response.status === 401 && (await hooks.renew())) response = await ask();
  const text = await response.text();
  if (!response.ok) throw problemFrom(response.status, text, response.headers.get('retry-after'));
  return text;
};

const send = async ([method, path]: RouteLine, input: Input<unknown>): Promise<Response> => {
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
};

const answerOf = async <A>(response: Response): Promise<A> => {
  const text = await response.text().catch(() => '');
  if (!response.ok) throw problemFrom(response.status, text, response.headers.get('retry-after'));
  if (text === '') return undefined as A;
  try {
    return JSON.parse(text) as A;
  } catch {
    throw new ApiError(502, { detail: 'The answer of the server could not be read.', code: 'bad_answer' });
  }
};
