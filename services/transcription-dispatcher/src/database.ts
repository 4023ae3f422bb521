import type { Pool, QueryConfig, QueryResult, QueryResultRow } from 'pg';
import type { Prisma, PrismaClient } from './generated/client.ts';

export type Db = PrismaClient;
/** A transaction of this service's client. */
export type Tx = Prisma.TransactionClient;

/** Messages that the relay publishes after their commit. */
export const outboxTable = 'transcription_dispatcher_outbox';

/**
 * The part of a statement that writes one message per row of `from` to the outbox. All arguments are SQL; `from` may end
 * with conditions and an order.
 */
export function insertMessages({ from, ...message }: Record<'subject' | 'data' | 'headers' | 'from', string>): string {
  return `
    insert into ${outboxTable} (subject, data, headers, message_id)
    select ${message.subject}, ${message.data}, ${message.headers}, gen_random_uuid() from ${from}`;
}

export type Statements = ReturnType<typeof createStatements>;
/**
 * Statements that are one transaction each: one round trip, prepared once per connection. One that returns a row may have
 * written to the outbox, so it wakes the relay directly: transactions that use NOTIFY would commit one after the other.
 */
export function createStatements({ pool, wake }: { pool: Pick<Pool, 'query'>; wake: () => void }) {
  return {
    read: <R extends QueryResultRow>(statement: QueryConfig): Promise<QueryResult<R>> => pool.query<R>(statement),
    commit: async <R extends QueryResultRow>(statement: QueryConfig): Promise<QueryResult<R>> => {
      const result = await pool.query<R>(statement);
      if (result.rows.length > 0) wake();
      return result;
    },
  };
}
