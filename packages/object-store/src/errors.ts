import { invalid, notFound as missing, unavailable, type AppError } from '@overtone/service-kit';

export function notFound(key: string, cause?: unknown): AppError {
  return missing('There is no such object.', { detail: key, cause });
}

export function invalidKey(cause?: unknown): AppError {
  return invalid('invalid_request', 'This is not the name of an object.', { cause });
}

export function rangeNotSatisfiable(cause?: unknown): AppError {
  return invalid('range_not_satisfiable', 'The object does not reach that far.', { cause });
}

export function storeFull(cause?: unknown): AppError {
  return unavailable('storage_full', 'The storage is full.', { cause, retryAfterSeconds: 60 });
}

export function storeUnavailable(cause: unknown): AppError {
  return unavailable('storage_unavailable', 'The storage cannot be reached.', { cause, retryAfterSeconds: 5 });
}

/** The system's error code, e.g. `ENOSPC`; empty for errors that do not come from the system. */
export function codeOf(error: unknown): string {
  return typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : '';
}

export function fromFileSystem(error: unknown): unknown {
  const code = codeOf(error);
  // EFBIG: the process's own limit on file sizes; for the user it means the same as a full disk.
  if (code === 'ENOSPC' || code === 'EDQUOT' || code === 'EFBIG') return storeFull(error);
  return /^E[A-Z0-9]+$/.test(code) ? storeUnavailable(error) : error;
}
