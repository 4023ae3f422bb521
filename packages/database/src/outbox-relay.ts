import type { ServiceName } from '@overtone/contracts';
import type { Bus, Log, Metrics, Part } from '@overtone/service-kit';
import { headers } from 'nats';
import { Client, type Pool } from 'pg';
import { destroyConnection } from './health-probe.ts';
import { createLossCheck } from './lost-events.ts';
import { tableOf } from './outbox.ts';

type Row = {
  id: string;
  message_id: string;
  subject: string;
  body: string;
  headers: Record<string, string>;
  created_at: Date;
};
/** `wake` is called after a commit to the outbox, so that the relay does not wait for its next poll. */
type Relay = Part & { wake: () => void };

const batchSize = 200;
/** Retention of sent rows: an acknowledged message can still be lost with the broker's disk. */
const sentRetention = '2 days';
const pollIntervalMs = 1_000;
/** Another replica holds the lock, and may have read the table before the last commit. */
const lockedElsewhereRetryMs = 50;
/** Marking rows as sent is delayed this long unless more rows wait: the consumers' work takes precedence. */
const markDelayMs = 5;

/**
 * Relays an outbox to JetStream, in order, each row at least once; the broker drops duplicates by message id. One relay
 * is active at a time, however many replicas run. It runs on `wake`, on the database's notification of a commit, and
 * every second.
 */
export function createOutboxRelay(d: {
  service: ServiceName;
  pool: Pool;
  url: string;
  bus: Bus;
  log: Log;
  metrics: Metrics;
  /** Query timeout of the relay's connection; after it a new connection is opened. */
  queryTimeoutMs?: number;
}): Relay {
  const table = tableOf(d.service);
  reportBacklogMetrics(d.metrics, d.pool, table);
  const { queryTimeoutMs = 30_000 } = d;
  const connection = createRelayConnection({
    name: `${d.service}-outbox`,
    url: d.url,
    queryTimeoutMs,
    table,
    onNotification: () => wake(),
  });
  const requeueLostEvents = createLossCheck({ bus: d.bus, pool: d.pool, table });
  let endWait = (): void => {};
  let wakeRequested = false;
  let stopping = false;
  let loop: Promise<void> = Promise.resolve();
  let lastCleaned = Date.now();
  const wake = (): void => {
    wakeRequested = true;
    endWait();
  };

  const waitForWake = (ms: number): Promise<void> =>
    new Promise((resolve) => {
      const timer = setTimeout(resolve, ms);
      endWait = () => {
        clearTimeout(timer);
        resolve();
      };
    });

  /** @returns the time until the next run. */
  const relayPending = async (): Promise<number> => {
    const lost = await requeueLostEvents().catch(() => 0);
    if (lost > 0) d.log.warn({ events: lost }, 'stream events lost: republishing');
    for (;;) {
      const rows = await connection.fetchUnsent();
      if (rows === 'locked-elsewhere') return lockedElsewhereRetryMs;
      if (rows.length > 0) {
        await publish(d.bus, rows);
        if (rows.length < batchSize && !wakeRequested) await waitForWake(markDelayMs);
        await connection.markSent(rows);
      }
      if (rows.length < batchSize) break;
    }
    if (Date.now() - lastCleaned > 600_000) {
      lastCleaned = Date.now();
      await d.pool.query(`delete from ${table} where sent_at < now() - interval '${sentRetention}'`);
    }
    return pollIntervalMs;
  };

  const run = async (): Promise<void> => {
    while (!stopping) {
      wakeRequested = false;
      const pauseMs = await relayPending().catch((e: unknown) => {
        d.log.debug({ err: e as Error }, 'outbox relay run failed');
        connection.drop();
        return pollIntervalMs;
      });
      if (!wakeRequested && !stopping) await waitForWake(pauseMs);
    }
  };

  return {
    name: 'outbox',
    wake,
    start: async () => {
      loop = run();
    },
    stop: async () => {
      stopping = true;
      wake();
      await loop;
      await connection.close();
    },
  };
}

/**
 * The relay's own connection: it receives commit notifications, reads rows and marks them, one round trip each.
 * Reading rows takes an advisory lock, which is held until the rows are marked. The marks need not survive a crash of
 * the database, because duplicates have the same message ids; so `synchronous_commit` is off.
 */
function createRelayConnection(d: {
  name: string;
  url: string;
  queryTimeoutMs: number;
  table: string;
  onNotification: () => void;
}) {
  const { table } = d;
  const lock = `hashtext('${table}')`;
  const unsent = {
    name: 'unsent',
    text: `
      with waiting as materialized (select 1 from ${table} where sent_at is null limit 1),
      relay as materialized (select pg_try_advisory_lock(${lock}) as relays from waiting)
      select relays, m.* from relay left join lateral (
        select id, message_id, subject, data::text as body, headers, created_at from ${table}
        where sent_at is null order by id limit ${batchSize}) m on relays
      order by m.id`,
  };
  const marked = {
    name: 'sent',
    text: `
      with sent as (update ${table} set sent_at = now() where id = any($1::bigint[]))
      select pg_advisory_unlock(${lock})`,
  };
  let client: Client | undefined;

  const open = async (): Promise<Client> => {
    const opened = new Client({
      connectionString: d.url,
      application_name: d.name,
      keepAlive: true,
      connectionTimeoutMillis: 5_000,
      query_timeout: d.queryTimeoutMs,
    });
    const forgetClient = (): void => {
      if (client === opened) client = undefined;
    };
    opened.on('error', forgetClient).on('end', forgetClient).on('notification', d.onNotification);
    try {
      await opened.connect();
      // The plan of a statement prepared on an empty table is kept when the table is large: it must use the index.
      await opened.query(`set synchronous_commit = off; set enable_seqscan = off; listen ${table}`);
    } catch (e) {
      destroyConnection(opened);
      throw e;
    }
    client = opened;
    return opened;
  };
  const drop = (): void => {
    // An orderly close to an unreachable host would wait for the TCP timeout of about 15 minutes.
    if (client) destroyConnection(client);
    client = undefined;
  };

  return {
    /** Unsent rows, in order. When there are any, the lock is held until `markSent`. */
    fetchUnsent: async (): Promise<Row[] | 'locked-elsewhere'> => {
      const { rows } = await (client ?? (await open())).query<Row & { relays: boolean }>(unsent);
      // Only one replica relays, which preserves the order.
      return rows[0]?.relays === false ? 'locked-elsewhere' : rows;
    },
    markSent: async (rows: Row[]): Promise<void> =>
      void (await client?.query({ ...marked, values: [rows.map((r) => r.id)] })),
    /** Closes the connection, which releases the lock; unmarked rows are sent again. */
    drop,
    close: async (): Promise<void> => {
      const last = client;
      client = undefined;
      await last?.end().catch(() => {});
    },
  };
}

/** The metric counts up to this limit, so that a large backlog stays cheap to measure. */
const countedRows = 10_000;

/** Reports committed messages that are not published yet; every replica reports the same value. */
function reportBacklogMetrics(metrics: Metrics, pool: Pool, table: string): void {
  return metrics.watch(
    [
      { name: 'outbox_pending', help: `Committed messages that are not on the bus yet, at most ${countedRows}` },
      { name: 'outbox_oldest_seconds', help: 'Age of the oldest of them' },
    ],
    async () => {
      const { rows } = await pool.query<{ pending: number; oldest: number }>(
        `select count(*)::int as pending, coalesce(extract(epoch from now() - min(created_at)), 0)::float as oldest
         from (select created_at from ${table} where sent_at is null order by id limit ${countedRows}) waiting`,
      );
      return rows.flatMap(({ pending, oldest }) => [
        { name: 'outbox_pending', value: pending },
        { name: 'outbox_oldest_seconds', value: oldest },
      ]);
    },
  );
}

async function publish(bus: Bus, rows: Row[]): Promise<void> {
  return void (await Promise.all(rows.map((row) => bus.publish(row.subject, row.body, { headers: toHeaders(row) }))));
}

function toHeaders(row: Row) {
  const h = headers();
  h.set('Nats-Msg-Id', row.message_id);
  h.set('ot-time', row.created_at.toISOString());
  for (const [k, v] of Object.entries(row.headers)) h.set(k, v);
  return h;
}
