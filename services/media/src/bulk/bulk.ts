import { isAppError, toProblem } from '@overtone/service-kit';

/** Why an action failed for one of many files. */
export function problemOf(error: unknown): { code: string; message: string } {
  const { code, detail } = toProblem(error, '');
  // An unexpected error fails the whole request and is logged.
  if (code === 'internal_error' && !isAppError(error)) throw error;
  return { code, message: detail };
}
