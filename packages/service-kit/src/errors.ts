import type { CodeOf, ErrorCode, ErrorKind, ProblemExtra } from '@overtone/contracts';

export type { ErrorCode, ErrorKind } from '@overtone/contracts';

export type ErrorOptions = {
  cause?: unknown;
  /** Private: for the log only, never sent to a client. */
  detail?: string;
  /** Extra members of the problem document, e.g. `duplicate_file_uuid`. */
  extra?: ProblemExtra;
  /** Field errors. */
  errors?: { path: string; message: string }[];
  retryAfterSeconds?: number;
  /** Jobs: trying again cannot help. */
  permanent?: boolean;
};

/** An expected failure in our own words: no HTTP in it. `message` is public, `detail` is not. */
export class AppError extends Error {
  readonly kind: ErrorKind;
  readonly code: ErrorCode;
  readonly detail: string | undefined;
  readonly extra: ProblemExtra;
  readonly errors: { path: string; message: string }[] | undefined;
  readonly retryAfterSeconds: number | undefined;
  readonly permanent: boolean;

  constructor(kind: ErrorKind, code: ErrorCode, message: string, options: ErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'AppError';
    this.kind = kind;
    this.code = code;
    this.detail = options.detail;
    this.extra = options.extra ?? {};
    this.errors = options.errors;
    this.retryAfterSeconds = options.retryAfterSeconds;
    this.permanent = options.permanent ?? (kind !== 'unavailable' && kind !== 'rate_limited');
  }
}

// The union of all codes stays: with `string` here, neither a misspelt code nor one of another kind would be a type error,
// and constructors per domain would add a file to each service.
function make<K extends ErrorKind>(kind: K) {
  return (code: CodeOf<K>, message: string, options?: ErrorOptions) => new AppError(kind, code, message, options);
}

export const invalid = make('invalid');
export const unauthenticated = make('unauthenticated');
export const forbidden = make('forbidden');
export const conflict = make('conflict');
export const tooLarge = make('too_large');
export const rateLimited = make('rate_limited');
export const unavailable = make('unavailable');
/** Unknown or not yours: the two look the same. */
export function notFound(what = 'Not found', options?: ErrorOptions) {
  return new AppError('not_found', 'not_found', what, options);
}

export function isAppError(error: unknown): error is AppError {
  return error instanceof AppError;
}

/** Closes a switch over a union. */
export function assertNever(value: never): never {
  throw new Error(`unexpected value ${JSON.stringify(value)}`);
}
