import type { Database } from '@overtone/database';
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
