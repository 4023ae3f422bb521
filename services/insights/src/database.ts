import type { Prisma, PrismaClient } from './generated/client.ts';

export type Db = PrismaClient;
/** A transaction of this service's client. */
export type Tx = Prisma.TransactionClient;
