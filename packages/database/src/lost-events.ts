import type { Bus } from '@overtone/service-kit';
import type { Pool } from 'pg';

const everyMs = 10_000;

/**
 * Brings back events that went down with the broker's disk. A stream that is younger than the moment a row was sent is
 * not the stream it was sent to: the row is sent again, under the same message id. (Orders are the dispatcher's to
 * repeat; it knows which of them still stand.)
 * @returns looks when it is time, after every reconnection and every ten seconds.
 */
export const createLossCheck = (d: { bus: Bus; pool: Pool; table: string }): (() => Promise<number>) => {
  let due = 0;
  d.bus.onReconnect(() => {
    due = 0;
  });
  return async () => {
    if (Date.now() < due) return 0;
    const jsm = await d.bus.jetstreamManager();
    const { created } = await jsm.streams.info('EVENTS');
    due = Date.now() + everyMs;
    const { rowCount } = await d.pool.query(
      `update ${d.table} set sent_at = null where sent_at < $1 and subject like 'evt.%'`,
      [created],
    );
    return rowCount ?? 0;
  };
};
