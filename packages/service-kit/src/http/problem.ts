import type { ErrorRequestHandler, Response } from 'express';
import type { Problem } from '@overtone/contracts';
import { AppError, isAppError, type ErrorCode, type ErrorKind } from '../errors.ts';
import type { Log } from '../log.ts';
import { isLostDatabase } from './lost-database.ts';

const statusOf: Record<ErrorKind, number> = {
  invalid: 400,
  unauthenticated: 401,
  forbidden: 403,
  not_found: 404,
  conflict: 409,
  too_large: 413,
  rate_limited: 429,
  unavailable: 503,
};
const titles: Record<number, string> = {
  400: 'Bad request',
  401: 'Not signed in',
  403: 'Not allowed',
  404: 'Not found',
  405: 'Method not allowed',
  409: 'Conflict',
  413: 'Too large',
  416: 'Range not satisfiable',
  422: 'Invalid input',
  429: 'Too many requests',
  500: 'Internal error',
  503: 'Temporarily unavailable',
};
const specialStatus: Partial<Record<ErrorCode, number>> = {
  invalid_body: 422,
  method_not_allowed: 405,
  range_not_satisfiable: 416,
};

/** The problem document (RFC 9457) of any thrown value; nothing private gets in. */
export const toProblem = (thrown: unknown, requestId: string): Problem & Record<string, unknown> => {
  const known = asAppError(thrown);
  const status = known ? (specialStatus[known.code] ?? statusOf[known.kind]) : 500;
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
};

type BodyParserError = { type?: string; status?: number };

/** What express and its body parsers throw, in our words. */
const asAppError = (thrown: unknown): AppError | undefined => {
  if (isAppError(thrown)) return thrown;
  if (isLostDatabase(thrown))
    return new AppError('unavailable', 'database_unavailable', 'The database does not answer. Please try again.', {
      cause: thrown,
    });
  if (thrown instanceof URIError)
    return new AppError('invalid', 'invalid_request', 'The path is not valid', { cause: thrown });
  const { type, status } = (thrown ?? {}) as BodyParserError;
  if (type === 'entity.too.large')
    return new AppError('too_large', 'invalid_request', 'The body is too large', { cause: thrown });
  if (type === 'entity.parse.failed')
    return new AppError('invalid', 'malformed_json', 'The body is not valid JSON', { cause: thrown });
  if (type === 'request.aborted')
    return new AppError('invalid', 'request_aborted', 'The request was cut off', { cause: thrown });
  if (status !== undefined && status >= 400 && status < 500)
    return new AppError('invalid', 'invalid_request', 'The request could not be read', { cause: thrown });
  return undefined;
};

/** Writes a problem document; a response that has begun is cut off instead, so it is not taken for whole. */
export const sendProblem = (res: Response, thrown: unknown, requestId: string): void => {
  if (res.headersSent) {
    res.destroy();
    return;
  }
  const problem = toProblem(thrown, requestId);
  const retryAfter = isAppError(thrown) ? thrown.retryAfterSeconds : undefined;
  if (retryAfter !== undefined) res.setHeader('Retry-After', String(Math.ceil(retryAfter)));
  else if (problem.status === 503) res.setHeader('Retry-After', '5');
  if (problem.status === 401) res.setHeader('WWW-Authenticate', 'Bearer');
  res.status(problem.status).type('application/problem+json').send(JSON.stringify(problem));
};

/** The one place where thrown values become HTTP answers. */
export const problemHandler =
  (log: Log): ErrorRequestHandler =>
  (thrown, _req, res, _next) => {
    const requestId = String(res.getHeader('x-request-id') ?? '');
    const known = asAppError(thrown);
    if (!known) log.error({ err: thrown as Error }, 'request failed unexpectedly');
    else if (known.kind === 'unavailable')
      log.warn({ err: known, code: known.code, detail: known.detail }, 'dependency unavailable');
    sendProblem(res, thrown, requestId);
  };
