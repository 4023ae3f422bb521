import type { Database } from '@overtone/database';
import { unavailable } from '@overtone/service-kit';
import { Prisma, type PrismaClient } from './generated/client.ts';

export type Db = PrismaClient;
/** The connection pool of the client. Every sign-in uses prepared statements on it: they cost a fraction of Prisma's. */
export type Pool = Database<unknown>['pool'];
/** A transaction of this service's client. */
export type Tx = Prisma.TransactionClient;

/** Whether a statement violated a unique constraint. */
export function isUniqueViolation(value: unknown): boolean {
  return value instanceof Prisma.PrismaClientKnownRequestError && value.code === 'P2002';
}

/**
 * Runs a single statement, prepared under its name. @returns its rows.
 * @throws AppError unavailable, code database_unavailable, when the server did not respond; other errors of the server as they are.
 */
export async function queryPrepared<R extends object>(
  pool: Pool,
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
