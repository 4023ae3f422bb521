import { Prisma, type PrismaClient } from './generated/client.ts';

export type Db = PrismaClient;
/** A transaction of this service's client. */
export type Tx = Prisma.TransactionClient;

export function isUniqueViolation(value: unknown): boolean {
  return value instanceof Prisma.PrismaClientKnownRequestError && value.code === 'P2002';
}

/** Wildcards of LIKE in the text of a person, so that they are matched literally. */
export function escapeLike(text: string): string {
  return text.replaceAll(/[\\%_]/g, (sign) => `\\${sign}`);
}
