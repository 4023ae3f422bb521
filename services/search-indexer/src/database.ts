import type { Database } from '@overtone/database';
import { Prisma, type PrismaClient } from './generated/client.ts';

export type Db = PrismaClient;
/** The connection pool of the client, for the statements of every search. */
export type Pool = Database<unknown>['pool'];
/** A transaction of this service's client. */
export type Tx = Prisma.TransactionClient;

/** Whether a statement violated a unique constraint. */
export function isUniqueViolation(value: unknown): boolean {
  return value instanceof Prisma.PrismaClientKnownRequestError && value.code === 'P2002';
}
