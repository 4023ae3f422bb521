import type { Bus } from '@overtone/service-kit';
import type { Pool } from 'pg';
import { limitedQuery } from './limited-query.ts';

type Deps = {
  bus: Pick<Bus, 'onRenewal' | 'jetstreamManager'>;
  pool: Pick<Pool, 'query'>;
  table: string;
  queryTimeoutMs: number;
};

const checkIntervalMs = 5_000;

/**
 * Requeues events that were lost with the broker's disk. A stream that was created after a row was sent is not the
 * stream the row was sent to: the row is sent again, under the same message id. (Lost jobs are requeued by the
 * dispatcher, which knows which of them are still valid.)
 * The table can be large, so it is searched once per stream.
 * @returns a function that checks when a check is due: after every reconnection, and five seconds after the last one.
 */
export function createLossCheck({ bus, pool, table, queryTimeoutMs }: Deps): () => Promise<number> {
  let due = 0;
  let checkedStream: string | undefined;
  bus.onRenewal(() => {
    due = 0;
  });
  return async () => {
    if (Date.now() < due) return 0;
    const jsm = await bus.jetstreamManager();
    const { created } = await jsm.streams.info('EVENTS');
    due = Date.now() + checkIntervalMs;
    if (created === checkedStream) return 0;
    const text = `update ${table} set sent_at = null where sent_at < $1 and subject like 'evt.%'`;
    const { rowCount } = await pool.query(limitedQuery({ text, values: [created] }, queryTimeoutMs));
    checkedStream = created;
    return rowCount ?? 0;
  };
}
