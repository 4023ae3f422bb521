import type { Database } from '@overtone/database';
import { unavailable } from '@overtone/service-kit';
import { Prisma, type PrismaClient } from './generated/client.ts';

export type Db = PrismaClient;
/** The connections under it, for what every sign-in does: a prepared statement costs a fraction of a built one. */
export type Pool = Database<unknown>['pool'];
/** A transaction of this service's client. */
export type Tx = Prisma.TransactionClient;

/** Short transactions that may wait a moment for a row lock or a connection. */
export const txOptions = { maxWait: 5_000, timeout: 10_000 };

/** Whether a statement failed because another row has what must be unique. */
export const isTaken = (e: unknown): boolean => e instanceof Prisma.PrismaClientKnownRequestError && e.code === 'P2002';

/**
 * Runs a statement of its own, prepared under its name. @returns its rows.
 * @throws AppError unavailable, code database_unavailable, when the server did not even get to refuse it.
 */
export const ask = async <R extends object>(
  pool: Pool,
  statement: { name: string; text: string; values: unknown[] },
): Promise<R[]> => {
  try {
    return (await pool.query<R>(statement)).rows;
  } catch (cause) {
    // Only what the server says has a severity.
    if (cause instanceof Error && 'severity' in cause) throw cause;
    throw unavailable('database_unavailable', 'The database does not answer. Please try again.', { cause });
  }
};
