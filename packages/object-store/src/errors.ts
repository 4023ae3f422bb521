import { invalid, notFound as missing, unavailable, type AppError } from '@overtone/service-kit';

export const notFound = (key: string, cause?: unknown): AppError =>
  missing('There is no such object.', { detail: key, cause });

export const invalidKey = (cause?: unknown): AppError =>
  invalid('invalid_request', 'This is not the name of an object.', { cause });

export const rangeNotSatisfiable = (cause?: unknown): AppError =>
  invalid('range_not_satisfiable', 'The object does not reach that far.', { cause });

export const storeFull = (cause?: unknown): AppError =>
  unavailable('storage_full', 'The storage is full.', { cause, retryAfterSeconds: 60 });

export const storeUnavailable = (cause: unknown): AppError =>
  unavailable('storage_unavailable', 'The storage cannot be reached.', { cause, retryAfterSeconds: 5 });

/** The system's error code, e.g. `ENOSPC`; empty for errors that do not come from the system. */
export const codeOf = (error: unknown): string =>
  typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : '';

export const fromFileSystem = (error: unknown): unknown => {
  const code = codeOf(error);
  // EFBIG: the process's own limit on file sizes; for the user it means the same as a full disk.
  if (code === 'ENOSPC' || code === 'EDQUOT' || code === 'EFBIG') return storeFull(error);
  return /^E[A-Z0-9]+$/.test(code) ? storeUnavailable(error) : error;
};
