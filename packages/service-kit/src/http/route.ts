import type { Request, Response } from 'express';
import { readsBody, type AnswerOf, type BodyOf, type ParamsOf, type QueryOf, type RouteDef } from '@overtone/contracts';
import type { z } from 'zod';
import type { Caller } from '../assertion.ts';
import { type AppError, invalid, unauthenticated } from '../errors.ts';
import { issueMessage } from './issue-message.ts';
import { isTarget, textFault } from './text.ts';

/** What a route's handler is given, parsed and typed. */
export type RouteRequest<R extends RouteDef> = {
  params: ParamsOf<R>;
  query: QueryOf<R>;
  body: BodyOf<R>;
  /** The caller. @throws AppError unauthenticated when no user is signed in. */
  readonly caller: Caller;
  /** Who is calling, or null on a public route. */
  maybeCaller: Caller | null;
  requestId: string;
  clientIp: string;
  /** `https` or `http` as the browser sees it, and its host. */
  origin: { scheme: string; host: string };
  /** Aborted when the client goes away. */
  signal: AbortSignal;
  req: Request;
  res: Response;
};

/** An answer with its own status or headers; a `stream` body is written by the handler into `res`. */
export type Reply<T> = { readonly reply: true; status?: number; headers?: Record<string, string | string[]>; body: T };

export function reply<T>(
  body: T,
  options: { status?: number; headers?: Record<string, string | string[]> } = {},
): Reply<T> {
  return {
    reply: true,
    body,
    ...options,
  };
}

/** The handler wrote the answer itself (streams, tus). */
export const handled = Symbol('handled');

export type Route = { def: RouteDef; run: (req: Request, res: Response) => Promise<void> };

/**
 * Binds a handler to a route of the contracts: parse, (authorise in the handler), handle, encode.
 * Malformed path or query is 400, a body that does not fit its schema 422.
 */
export function handle<R extends RouteDef>(
  def: R,
  handler: (request: RouteRequest<R>) => Promise<AnswerOf<R> | Reply<AnswerOf<R>> | typeof handled>,
): Route {
  return {
    def,
    run: async (req, res) => {
      const result = await handler(parse(def, req, res));
      if (result === handled) return;
      const answer = isReply(result) ? result : { body: result };
      for (const [name, value] of Object.entries(('headers' in answer && answer.headers) || {}))
        res.setHeader(name, value);
      const status = ('status' in answer && answer.status) || def.status;
      if (answer.body === undefined) res.status(status).end();
      // Not `res.json`, which answers 304 to `If-None-Match: *` although these answers have no validators.
      else res.status(status).type('json').end(JSON.stringify(answer.body));
    },
  };
}

function isReply(value: unknown): value is Reply<unknown> {
  return typeof value === 'object' && value !== null && 'reply' in value && value.reply === true;
}

function fieldErrors(error: z.ZodError) {
  return error.issues.map((i) => ({ path: i.path.join('.'), message: i.message }));
}

function checked<S extends z.ZodType>(
  schema: S,
  value: unknown,
  fail: (errors: { path: string; message: string }[]) => AppError,
): z.infer<S> {
  const fault = textFault(value);
  if (fault) throw fail([fault]);
  const parsed = schema.safeParse(value, { error: issueMessage });
  if (!parsed.success) throw fail(fieldErrors(parsed.error));
  return parsed.data;
}

/** Many clients send `{}` where nothing is expected. */
function bodyOf({ body }: RouteDef, given: unknown): unknown {
  const isEmptyObject = isRecord(given) && Object.keys(given).length === 0;
  return isEmptyObject && !body.safeParse(given).success && body.safeParse(undefined).success ? undefined : given;
}

function isRecord(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function parse<R extends RouteDef>(def: R, req: Request, res: Response): RouteRequest<R> {
  const maybeCaller = (res.locals['caller'] as Caller | null) ?? null;
  const badRequest = (errors: { path: string; message: string }[]) =>
    invalid('invalid_request', 'The path or the query is not valid', { errors });
  const badBody = (errors: { path: string; message: string }[]) =>
    invalid('invalid_body', 'The body does not have the expected form', { errors });
  if (!isTarget(req.originalUrl)) throw badRequest([]);
  return {
    params: checked(def.params, req.params, badRequest),
    query: checked(def.query, req.query, badRequest),
    body: def.bodyKind === 'raw' || !readsBody(def) ? undefined : checked(def.body, bodyOf(def, req.body), badBody),
    get caller() {
      if (!maybeCaller) throw unauthenticated('not_authenticated', 'Please sign in');
      return maybeCaller;
    },
    maybeCaller,
    requestId: String(res.getHeader('x-request-id')),
    clientIp: String(res.locals['clientIp'] ?? ''),
    origin: {
      scheme: req.get('x-forwarded-proto') ?? 'http',
      host: req.get('x-forwarded-host') ?? req.get('host') ?? '',
    },
    signal: res.locals['signal'] as AbortSignal,
    req,
    res,
  } as RouteRequest<R>;
}

/** Where a request came from, as the audit trail and the list of sessions show it; null: unknown. */
export type Client = { ip: string | null; userAgent: string | null; requestId: string | null };

export function clientOf({
  clientIp,
  requestId,
  req,
}: Pick<RouteRequest<never>, 'clientIp' | 'requestId'> & {
  req: { get: (name: string) => string | undefined };
}): Client {
  return {
    ip: truncate(clientIp, 64),
    userAgent: truncate(req.get('user-agent'), 512),
    requestId: truncate(requestId, 128),
  };
}

function truncate(value: string | undefined, max: number): string | null {
  return value?.slice(0, max) || null;
}
