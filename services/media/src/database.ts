import { Prisma, type PrismaClient } from './generated/client.ts';

export type Db = PrismaClient;
/** A transaction of this service's client. */
export type Tx = Prisma.TransactionClient;

/** Short transactions that may wait a moment for a row lock or a connection. */
export const txOptions = { maxWait: 5_000, timeout: 30_000 };

export function isUniqueViolation(value: unknown): boolean {
  return value instanceof Prisma.PrismaClientKnownRequestError && value.code === 'P2002';
}
