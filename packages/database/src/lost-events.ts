import type { Bus } from '@overtone/service-kit';
import type { Pool } from 'pg';

type Deps = { bus: Pick<Bus, 'onReconnect' | 'jetstreamManager'>; pool: Pick<Pool, 'query'>; table: string };

const everyMs = 10_000;

/**
 * Brings back events that went down with the broker's disk. A stream that is younger than the moment a row was sent is
 * not the stream it was sent to: the row is sent again, under the same message id. (Orders are the dispatcher's to
 * repeat; it knows which of them still stand.)
 * The table, which may be long, is read once per stream: whoever has sent to an earlier one looks again afterwards.
 * @returns looks when it is time, after every reconnection and every ten seconds.
 */
export const createLossCheck = (d: Deps): (() => Promise<number>) => {
  let due = 0;
  let known: string | undefined;
  d.bus.onReconnect(() => {
    due = 0;
  });
  return async () => {
    if (Date.now() < due) return 0;
    const jsm = await d.bus.jetstreamManager();
    const { created } = await jsm.streams.info('EVENTS');
    due = Date.now() + everyMs;
    if (created === known) return 0;
    const { rowCount } = await d.pool.query(
      `update ${d.table} set sent_at = null where sent_at < $1 and subject like 'evt.%'`,
      [created],
    );
    known = created;
    return rowCount ?? 0;
  };
};
