import { z } from 'zod';
import type { Access, BodyKind, RouteDef, ServiceName } from './define.ts';
import { statusOfCode, type ErrorCode, type RouteError } from './errors.ts';

const none = z.object({}).loose();
type None = typeof none;

type RouteInput<P extends z.ZodType, Q extends z.ZodType, B extends z.ZodType, A extends z.ZodType> = {
  summary: string;
  /** By default every name in braces of the path is a UUID. */
  params?: P;
  query?: Q;
  body?: B;
  bodyKind?: BodyKind;
  answer?: A;
  status?: number;
  answerType?: string;
  csrfExempt?: boolean;
  setsCookies?: boolean;
  errors?: readonly RouteError[];
  otherStatuses?: RouteDef['otherStatuses'];
  otherAnswers?: RouteDef['otherAnswers'];
};

/** Keeps method and path as literal types: a typed client finds a route by them. */
type RouteAddress<Method, Path> = { readonly method: Method; readonly path: Path };
type NamesIn<Path> = Path extends `${string}{${infer Name}}${infer Rest}` ? Name | NamesIn<Rest> : never;
type UuidParams<Path> = z.ZodObject<Record<NamesIn<Path>, z.ZodUUID>>;

/**
 * Makes the route definer of one service.
 * @example const route = routesOf('media'); const listFiles = route('GET', '/api/files', 'user', { summary: ... });
 */
export function routesOf(service: ServiceName) {
  return <
    Method extends RouteDef['method'],
    Path extends `/api${string}` | `/internal${string}`,
    P extends z.ZodType = UuidParams<Path>,
    Q extends z.ZodType = None,
    B extends z.ZodType = z.ZodUndefined,
    A extends z.ZodType = z.ZodUndefined,
  >(
    method: Method,
    path: Path,
    access: Access,
    def: RouteInput<P, Q, B, A>,
  ): RouteDef<P, Q, B, A> & RouteAddress<Method, Path> => ({
    bodyKind: 'json',
    answerType: 'application/json',
    csrfExempt: false,
    setsCookies: false,
    errors: [],
    otherStatuses: {},
    otherAnswers: {},
    ...def,
    method,
    path,
    service,
    access,
    params: (def.params ?? uuidParamsOf(path)) as P,
    query: (def.query ?? none) as Q,
    body: (def.body ?? z.undefined()) as B,
    answer: (def.answer ?? z.undefined()) as A,
    status: def.status ?? (def.answer ? 200 : 204),
  });
}

function uuidParamsOf(path: string) {
  return z.object(Object.fromEntries([...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => [name, z.uuid()])));
}

const safeMethods: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);
/** The body of a safe method has no meaning (RFC 9110, 9.3.1) and is never read. */
export function readsBody(route: Pick<RouteDef, 'method'>): boolean {
  return !safeMethods.has(route.method);
}

/** Errors of every route: an invalid request, limits, and an unavailable dependency. */
const ofEveryRoute: RouteError[] = [
  'invalid_request',
  'request_aborted',
  ['invalid_request', 408],
  'header_too_large',
  'expectation_failed',
  'upload_too_large',
  'rate_limited',
  'service_unavailable',
  'service_unresponsive',
  'database_unavailable',
  'storage_full',
];
const ofSignedInCallers: ErrorCode[] = [
  'not_authenticated',
  'role_required',
  'account_pending_approval',
  'account_rejected',
  'account_disabled',
  'password_change_required',
  'account_expired',
];
const ofBodies: ErrorCode[] = ['malformed_json', 'unsupported_media_type', 'invalid_body', 'body_too_large'];

/** All errors of a route: those derived from its definition and those it lists itself. */
export function errorsOf(route: RouteDef): { code: ErrorCode; status: number }[] {
  const all: RouteError[] = [
    ...ofEveryRoute,
    ...(route.access === 'public' ? [] : ofSignedInCallers),
    ...(readsBody(route) && !route.csrfExempt ? (['csrf_failed'] as const) : []),
    ...(route.setsCookies ? (['cross_site_request', 'insecure_origin'] as const) : []),
    ...(route.path.includes('{') ? (['not_found'] as const) : []),
    ...(route.path.includes('{') && route.service === 'media' ? (['file_quarantined'] as const) : []),
    ...(readsBody(route) && route.bodyKind !== 'raw' ? ofBodies : []),
    ...route.errors,
  ];
  return all.map((entry) =>
    typeof entry === 'string' ? { code: entry, status: statusOfCode(entry) } : { code: entry[0], status: entry[1] },
  );
}

/** A page of a list: `{items, total, page, page_size}`. */
export function pageOf<T extends z.ZodType>(item: T) {
  return z.object({ items: z.array(item), total: z.int(), page: z.int(), page_size: z.int() });
}

/** Query fields of a paged list. */
export const pageQuery = {
  page: z.coerce.number().int().min(1).max(1_000_000).default(1),
  page_size: z.coerce.number().int().min(1).max(100).default(20),
};

/** A query field that may be given once or several times; always parsed to a list. */
export function listQuery<T extends z.ZodType>(item: T) {
  return z.preprocess(
    (value) => (value === undefined ? [] : Array.isArray(value) ? value : [value]),
    z.array(item).max(100),
  );
}

/** A boolean query field. */
export const queryFlag = z.enum(['true', 'false']).transform((value) => value === 'true');

/** Header with the time at which the edge received a request, in epoch milliseconds; set only by the edge, for identity. */
export const receivedHeader = 'x-overtone-received';

export const message = z.object({ message: z.string() });
/** ISO-8601 UTC. */
export const time = z.iso.datetime();
export const textRule = 'must be well-formed Unicode without NUL';
/** Invisible marks: copied names and numbers carry them. Joiners stay: some scripts and emoji need them. */
const invisibleMarks = /[\u061C\u200B\u200E\u200F\u202A-\u202E\u2060\u2066-\u2069\uFEFF]/gu;
export function withoutMarks(text: string): string {
  return text.replaceAll(invisibleMarks, '');
}
/** PostgreSQL cannot store NUL, and a lone surrogate cannot be encoded: requests with either are rejected. */
export function isText(text: string): boolean {
  return !text.includes('\0') && text.isWellFormed();
}

export function text(max: number) {
  return z.string().max(max).refine(isText, textRule);
}

/** The address of a server, without the user name and the password that it may carry. */
export const serverAddress = z
  .url({ protocol: /^https?$/, error: 'Enter an address that begins with http:// or https://.' })
  .max(1_024)
  .refine((address) => {
    const { username, password } = URL.parse(address) ?? { username: '', password: '' };
    return username === '' && password === '';
  }, 'Enter the address without a user name and a password.');

/** A name or a title: line ends become spaces, invisible marks are removed. */
export function line(max: number) {
  return text(max)
    .overwrite((given) => withoutMarks(given).replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' '))
    .trim();
}
