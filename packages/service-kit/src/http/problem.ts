import type { ErrorRequestHandler, Response } from 'express';
import { codeStatus, errorsOf, kindStatus, type Problem, type RouteDef } from '@overtone/contracts';
import { invalid, isAppError, tooLarge, unavailable, type AppError } from '../errors.ts';
import type { Log } from '../log.ts';
import { isFullStorage, isLostDatabase, isReplacedDatabase } from './lost-database.ts';

const titles: Record<number, string> = {
  400: 'Bad request',
  401: 'Not signed in',
  403: 'Not allowed',
  404: 'Not found',
  405: 'Method not allowed',
  409: 'Conflict',
  412: 'Precondition failed',
  413: 'Too large',
  416: 'Range not satisfiable',
  417: 'Expectation failed',
  422: 'Invalid input',
  429: 'Too many requests',
  431: 'Request header fields too large',
  500: 'Internal error',
  503: 'Temporarily unavailable',
  507: 'Storage full',
};

/** The problem document (RFC 9457) of any thrown value; nothing private gets in. */
export function toProblem(thrown: unknown, requestId: string): Problem {
  const known = asAppError(thrown);
  const status = known ? (codeStatus[known.code] ?? kindStatus[known.kind]) : 500;
  return {
    ...known?.extra,
    type: 'about:blank',
    title: titles[status] ?? 'Error',
    status,
    code: known?.code ?? 'internal_error',
    detail: known?.message ?? 'Something went wrong on our side. Please try again.',
    request_id: requestId,
    ...(known?.errors ? { errors: known.errors } : {}),
  };
}

type BodyParserError = { type?: string; status?: number };

/** What express and its body parsers throw, in our words. */
function asAppError(thrown: unknown): AppError | undefined {
  if (isAppError(thrown)) return thrown;
  if (isFullStorage(thrown))
    return unavailable('storage_full', 'The storage is full. An administrator has to make room.', {
      cause: thrown,
      retryAfterSeconds: 60,
    });
  if (isLostDatabase(thrown))
    return unavailable('database_unavailable', 'The database does not answer. Please try again.', { cause: thrown });
  if (isReplacedDatabase(thrown))
    return unavailable('database_unavailable', 'This is not the database of the installation.', { cause: thrown });
  if (thrown instanceof URIError) return invalid('invalid_request', 'The path is not valid', { cause: thrown });
  const { type, status } = (thrown ?? {}) as BodyParserError;
  if (type === 'entity.too.large') return tooLarge('body_too_large', 'The body is too large', { cause: thrown });
  if (type === 'entity.parse.failed') return invalid('malformed_json', 'The body is not valid JSON', { cause: thrown });
  if (type === 'request.aborted') return invalid('request_aborted', 'The request was cut off', { cause: thrown });
  if (status !== undefined && status >= 400 && status < 500)
    return invalid('invalid_request', 'The request could not be read', { cause: thrown });
  return undefined;
}

/** Writes a problem document; a response that has begun is cut off instead, so it is not taken for whole. */
export function sendProblem(res: Response, thrown: unknown, requestId: string): void {
  if (res.headersSent) {
    res.destroy();
    return;
  }
  const problem = toProblem(thrown, requestId);
  const retryAfter = asAppError(thrown)?.retryAfterSeconds;
  if (retryAfter !== undefined) res.setHeader('Retry-After', String(Math.ceil(retryAfter)));
  else if (problem.status === 503) res.setHeader('Retry-After', '5');
  if (problem.status === 401) res.setHeader('WWW-Authenticate', 'Bearer');
  res.status(problem.status).type('application/problem+json').send(JSON.stringify(problem));
}

/**
 * Every dependency may be down, and a request that bypasses the gateway is outside the public API; the other failures of
 * a route are in its definition.
 */
function isDeclared(route: RouteDef, { kind, code }: AppError): boolean {
  return kind === 'unavailable' || code === 'invalid_assertion' || errorsOf(route).some((error) => error.code === code);
}

/** The one place where thrown values become HTTP answers. */
export function problemHandler(log: Log): ErrorRequestHandler {
  return (thrown, _req, res, _next) => {
    const requestId = String(res.getHeader('x-request-id') ?? '');
    const known = asAppError(thrown);
    const route = res.locals['route'] as RouteDef | undefined;
    if (known && route && !isDeclared(route, known))
      log.error({ code: known.code, kind: known.kind, route: route.path }, 'undeclared error code');
    // A statement of ours with a wrong table looks the same as an empty database.
    if (!known || isReplacedDatabase(thrown)) log.error({ err: thrown as Error }, 'request failed unexpectedly');
    else if (known.kind === 'unavailable')
      log.warn({ err: known, code: known.code, detail: known.detail }, 'dependency unavailable');
    sendProblem(res, thrown, requestId);
  };
}
