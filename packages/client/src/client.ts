import { ApiError, problemFrom } from './problem.ts';
import { urlOf, type Input, type OptionalInput, type Query, type ResponseBody, type Route } from './routes.ts';

/** The credentials of the client, and what happens when the server no longer accepts it. */
export type Credentials = {
  readonly headers: (method: string) => Headers;
  /** Called after a 401 with the headers that were refused. @returns true when the request may be sent again. */
  readonly renew: (refused: Headers) => Promise<boolean>;
};
type Headers = Readonly<Record<string, string>>;
export type ClientOptions = {
  /** Scheme, host and port of the instance; empty in a page of the instance itself. */
  readonly url?: string;
  readonly credentials: Credentials;
};

type SendInput = {
  params?: Readonly<Record<string, string>>;
  query?: Query;
  body?: unknown;
  /** `file`: the body is a file, sent as the multipart field `file`. */
  encoding?: 'json' | 'form' | 'file';
  signal?: AbortSignal;
  keepalive?: boolean;
};

/** Routes whose 401 is about the credentials sent with the request, not about an expired access token. */
const routesWithoutRenewal: ReadonlySet<Route> = new Set<Route>([
  'POST /api/auth/token',
  'POST /api/auth/token/refresh',
  'POST /api/auth/logout',
  'GET /api/auth/oidc/callback',
  'POST /api/auth/pki/authenticate',
  'POST /api/auth/proxy/authenticate',
]);

export type Client = ReturnType<typeof createClient>;

/** A client of the routes of the API. Every failure is an ApiError; an aborted request rejects with its AbortError. */
export function createClient({ url = '', credentials }: ClientOptions) {
  /** Sends a request, and once more with renewed credentials. */
  const request = async (address: string, init: RequestInit, mayRenew: boolean): Promise<Response> => {
    const sendOnce = async (): Promise<[Response, Headers]> => {
      const own = credentials.headers(init.method ?? 'GET');
      const headers = { ...(init.headers as Headers | undefined), ...own };
      return [await reached(`${url}${address}`, { ...init, headers }), own];
    };
    const [response, sent] = await sendOnce();
    if (response.status !== 401 || !mayRenew || !(await credentials.renew(sent))) return response;
    return (await sendOnce())[0];
  };

  const send = (route: Route, input: SendInput = {}): Promise<Response> => {
    const { body, type } = encoded(input);
    const init = {
      method: route.slice(0, route.indexOf(' ')),
      headers: { accept: 'application/json', ...(type === undefined ? {} : { 'content-type': type }) },
      ...(body === undefined ? {} : { body }),
      ...(input.signal === undefined ? {} : { signal: input.signal }),
      ...(input.keepalive === undefined ? {} : { keepalive: input.keepalive }),
    };
    return request(urlOf(route, input as Input<Route>), init, !routesWithoutRenewal.has(route));
  };

  const call = async <R extends Route>(route: R, ...inputs: OptionalInput<R>): Promise<ResponseBody<R>> => {
    const startedAt = performance.now();
    try {
      return await parsed<ResponseBody<R>>(await send(route, inputs[0] as SendInput | undefined));
    } catch (error) {
      if (error instanceof ApiError) error.waitedMs = performance.now() - startedAt;
      throw error;
    }
  };

  return {
    /**
     * Calls a route. On a 401 it renews the credentials and sends the request once more.
     * @example await call('GET /api/files/{uuid}', { params: { uuid } });
     */
    call,
    /** Sends a file to a route that reads the multipart field `file`. */
    sendFile: <R extends Route>(route: R, file: File, ...inputs: OptionalInput<R>): Promise<ResponseBody<R>> =>
      call(route, ...([{ ...inputs[0], body: file, encoding: 'file' }] as unknown as OptionalInput<R>)),
    /** The response of a route that does not answer with JSON: a recording, an export, an event stream. */
    fetch: async <R extends Route>(route: R, ...inputs: OptionalInput<R>): Promise<Response> =>
      accepted(await send(route, inputs[0] as SendInput | undefined)),
    /** The same for an address of the API. */
    fetchUrl: async (address: string, signal: AbortSignal): Promise<Response> =>
      accepted(await request(address, { signal }, true)),
  };
}

function encoded({ body, encoding = 'json' }: SendInput): { body?: string | FormData; type?: string } {
  if (encoding === 'file') {
    const form = new FormData();
    form.set('file', body);
    return { body: form };
  }
  if (body === undefined) return {};
  if (encoding === 'form')
    return {
      body: new URLSearchParams(body as Record<string, string>).toString(),
      type: 'application/x-www-form-urlencoded',
    };
  return { body: JSON.stringify(body), type: 'application/json' };
}

/** Longer than the server lets any request wait for the beginning of its response: by then the line is dead. */
const responseTimeoutMs = 150_000;

async function reached(address: string, { signal, ...init }: RequestInit): Promise<Response> {
  const late = new AbortController();
  // The upload of a file takes as long as it takes.
  const timer = init.body instanceof FormData ? undefined : setTimeout(() => late.abort('late'), responseTimeoutMs);
  try {
    const signals = signal ? [signal, late.signal] : [late.signal];
    return await fetch(address, { credentials: 'same-origin', ...init, signal: AbortSignal.any(signals) });
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') throw error;
    throw new ApiError(0, {});
  } finally {
    clearTimeout(timer);
  }
}

async function accepted(response: Response): Promise<Response> {
  if (response.ok) return response;
  throw problemFrom(response.status, await response.text().catch(() => ''), response.headers.get('retry-after'));
}

async function parsed<A>(response: Response): Promise<A> {
  const text = await (await accepted(response)).text().catch(() => '');
  if (text === '') return undefined as A;
  try {
    return JSON.parse(text) as A;
  } catch {
    throw new ApiError(502, { detail: 'The response of the server cannot be read.', code: 'bad_answer' });
  }
}
