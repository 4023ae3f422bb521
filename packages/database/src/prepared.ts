import { unavailable } from '@overtone/service-kit';
import type { Pool } from 'pg';

/**
 * Runs a single statement, prepared under its name, which costs a fraction of the same through Prisma. For statements that
 * run at every sign-in or search. @returns its rows.
 * @throws AppError unavailable, code database_unavailable, when the server did not respond; other errors of the server as they are.
 */
export async function queryPrepared<R extends object>(
  pool: Pick<Pool, 'query'>,
  statement: { name: string; text: string; values: unknown[] },
): Promise<R[]> {
  try {
    return (await pool.query<R>(statement)).rows;
  } catch (cause) {
    // Only errors that the server reports have a severity.
    if (cause instanceof Error && 'severity' in cause) throw cause;
    throw unavailable('database_unavailable', 'The database does not answer. Please try again.', { cause });
  }
}
