import { csrfToken } from './cookies.ts';
import { ApiError, problemFrom } from './problem.ts';
import { routes, urlOf, type Answer, type Body, type QueryInput, type RouteName } from './routes.ts';

type Input<N extends RouteName> = {
  params?: Readonly<Record<string, string>>;
  query?: QueryInput;
  body?: Body<N>;
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

const noRenewal: ReadonlySet<RouteName> = new Set(['token', 'refresh', 'logout']);

/** Calls one route of the API; a 401 renews the session once and tries again. */
export const call = async <N extends RouteName>(name: N, input: Input<N> = {}): Promise<Answer<N>> => {
  const first = await send(name, input);
  if (first.status !== 401 || noRenewal.has(name)) return answerOf<N>(first);
  if (!(await hooks.renew())) {
    hooks.ended();
    return answerOf<N>(first);
  }
  return answerOf<N>(await send(name, input));
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

const send = async <N extends RouteName>(name: N, input: Input<N>): Promise<Response> => {
  const [method, path] = routes[name];
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

const answerOf = async <N extends RouteName>(response: Response): Promise<Answer<N>> => {
  const text = await response.text().catch(() => '');
  if (!response.ok) throw problemFrom(response.status, text, response.headers.get('retry-after'));
  if (text === '') return undefined as Answer<N>;
  try {
    return JSON.parse(text) as Answer<N>;
  } catch {
    throw new ApiError(502, { detail: 'The answer of the server could not be read.', code: 'bad_answer' });
  }
};
