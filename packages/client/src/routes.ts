import type { Routes } from './api.ts';

/** `METHOD path` of every route of the API. */
export type Route = keyof Routes;
export type ResponseBody<R extends Route> = Routes[R] extends { answer: infer Answer } ? Answer : undefined;
export type RequestBody<R extends Route> = Routes[R] extends { body: infer Body }
  ? Body
  : Routes[R] extends { body?: infer Body }
    ? Body | undefined
    : undefined;

/** How a request is sent: `keepalive` ones outlive the page. */
type SendOptions = { signal?: AbortSignal; keepalive?: boolean };

/** The input of one call. A member that the route requires is required here too. */
export type Input<R extends Route> = UrlInput<R> & BodyInput<RequestBody<R>> & SendOptions;

/** The input as the last argument of a call, which may be missing when nothing is required. */
export type OptionalInput<R extends Route> = object extends Input<R> ? [input?: Input<R>] : [input: Input<R>];

export type UrlInput<R extends Route> = ParamsInput<Routes[R]> & QueryInput<Routes[R]>;

type ParamsInput<D> = D extends { params: infer Params } ? { params: Params } : { params?: never };
type BodyInput<B> = undefined extends B ? { body?: B } : { body: B; encoding?: 'json' | 'form' };
type QueryInput<D> = D extends { query: infer Q }
  ? object extends Q
    ? { query?: QueryFields<Q> }
    : { query: QueryFields<Q> }
  : { query?: never };
/** Checks the names only: values often come from the address of a page, and the server validates them. */
type QueryFields<Q> = { [K in keyof Q as undefined extends Q[K] ? never : K]: QueryValue } & {
  [K in keyof Q as undefined extends Q[K] ? K : never]?: QueryValue;
};

type QueryValue = string | number | boolean | null | undefined | readonly string[];
export type Query = Readonly<Record<string, QueryValue>>;

/** The address of a route: fills the `{names}` of its path and appends the query without empty values. */
export function urlOf<R extends Route>(route: R, input: UrlInput<R>): string {
  const { params = {}, query = {} } = input as { params?: Readonly<Record<string, string>>; query?: Query };
  const path = route.slice(route.indexOf('/'));
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name] ?? ''));
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    for (const item of Array.isArray(value) ? (value as readonly string[]) : [value]) {
      if (item !== undefined && item !== null && item !== '') search.append(name, String(item));
    }
  }
  const text = search.toString();
  return text === '' ? filled : `${filled}?${text}`;
}
