import { Prisma, type PrismaClient } from './generated/client.ts';

export type Db = PrismaClient;
/** A transaction of this service's client. */
export type Tx = Prisma.TransactionClient;

export function isUniqueViolation(value: unknown): boolean {
  return value instanceof Prisma.PrismaClientKnownRequestError && value.code === 'P2002';
}
