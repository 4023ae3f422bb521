import { setTimeout as sleep } from 'node:timers/promises';
import type { ServiceName } from '@overtone/contracts';
import type { Bus, Log, Metrics, Part } from '@overtone/service-kit';
import { headers } from 'nats';
import { Client, type Pool } from 'pg';
import { destroyConnection } from './health-probe.ts';
import { limitedQuery } from './limited-query.ts';
import { createLossCheck } from './lost-events.ts';
import { tableOf } from './outbox.ts';
import { sessionSettings } from './session-settings.ts';

type Row = {
  id: string;
  message_id: string;
  subject: string;
  body: string;
  headers: Record<string, string>;
  created_at: Date;
};
type Options = {
  service: ServiceName;
  pool: Pool;
  url: string;
  bus: Bus;
  log: Log;
  metrics: Metrics;
  /** Limit of each query of the relay; after it, the query's connection is replaced. */
  queryTimeoutMs?: number;
  /** The server ends the relay's session, and frees its lock, when it is idle for longer; above the interval of its polls. */
  abandonedAfterMs?: number;
};
/** `wake` is called after a commit to the outbox, so that the relay does not wait for its next poll. */
type Relay = Part & { wake: () => void };

const batchSize = 200;
/** Retention of sent rows: an acknowledged message can still be lost with the broker's disk. */
const sentRetention = '2 days';
/** Commits and reconnections wake the relay; a poll only finds what a replica left behind when it ended. */
const pollIntervalMs = 10_000;
const retryMs = 1_000;
/** Failed runs in a row until one is logged as a warning. */
const reportedFailure = 5;
/** Another replica holds the lock, and may have read the table before the last commit. */
const lockedElsewhereRetryMs = 50;
/** Marking rows as sent is delayed this long unless more rows wait: the consumers' work takes precedence. */
const markDelayMs = 5;

/**
 * Relays an outbox to JetStream, in order, each row at least once; the broker drops duplicates by message id. One relay
 * is active at a time, however many replicas run. It runs on `wake`, on the database's notification of a commit, after a
 * reconnection, and every ten seconds.
 */
export function createOutboxRelay({
  service,
  pool,
  url,
  bus,
  log,
  metrics,
  queryTimeoutMs = 30_000,
  abandonedAfterMs = 60_000,
}: Options): Relay {
  const table = tableOf(service);
  reportBacklogMetrics(metrics, pool, table);
  let wakeRequest = new AbortController();
  const wake = (): void => wakeRequest.abort();
  const pause = (ms: number): Promise<void> => sleep(ms, undefined, { signal: wakeRequest.signal }).catch(() => {});
  const connection = new RelayConnection({ service, url, queryTimeoutMs, abandonedAfterMs, table, wake });
  bus.onRenewal(wake);
  const requeueLostEvents = createLossCheck({ bus, pool, table, queryTimeoutMs });
  const deleteOldRows = createCleanup(pool, table, queryTimeoutMs);
  let stopping = false;
  let loop: Promise<void> = Promise.resolve();

  /** @returns the time until the next run. */
  const relayPending = async (): Promise<number> => {
    const lost = await requeueLostEvents().catch((err: unknown) => {
      // A failed check must not keep new events waiting; the next run checks again.
      log.debug({ err: err as Error }, 'lost event check failed');
      return 0;
    });
    if (lost > 0) log.warn({ events: lost }, 'stream events lost: republishing');
    for (;;) {
      const rows = await connection.fetchUnsent();
      if (rows === 'locked-elsewhere') return lockedElsewhereRetryMs;
      if (rows.length > 0) {
        await publish(bus, rows);
        if (rows.length < batchSize) await pause(markDelayMs);
        await connection.markSent(rows);
      }
      if (rows.length < batchSize) break;
    }
    await deleteOldRows();
    return pollIntervalMs;
  };

  const run = async (): Promise<void> => {
    let failures = 0;
    while (!stopping) {
      wakeRequest = new AbortController();
      let pauseMs: number;
      try {
        pauseMs = await relayPending();
        failures = 0;
      } catch (err) {
        failures += 1;
        pauseMs = retryMs;
        // A restart of the broker or of the database ends before that.
        log[failures === reportedFailure ? 'warn' : 'debug']({ err: err as Error }, 'outbox relay run failed');
        connection.drop();
      }
      await pause(pauseMs);
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

/** @returns a function that deletes old sent rows, at most every ten minutes. */
function createCleanup(pool: Pool, table: string, queryTimeoutMs: number): () => Promise<void> {
  let lastCleaned = Date.now();
  return async () => {
    if (Date.now() - lastCleaned <= 600_000) return;
    lastCleaned = Date.now();
    const text = `delete from ${table} where sent_at < now() - interval '${sentRetention}'`;
    await pool.query(limitedQuery({ text }, queryTimeoutMs));
  };
}

type ConnectionOptions = {
  service: ServiceName;
  url: string;
  queryTimeoutMs: number;
  abandonedAfterMs: number;
  table: string;
  /** Starts the next run: a commit was notified, or the connection was lost and with it the notifications. */
  wake: () => void;
};

/**
 * The relay's own connection: it receives commit notifications, reads rows and marks them, one round trip each.
 * Reading rows takes an advisory lock, which is held until the rows are marked. The marks need not survive a crash of
 * the database, because duplicates have the same message ids; so `synchronous_commit` is off.
 */
class RelayConnection {
  readonly #options: ConnectionOptions;
  #client: Client | undefined;

  constructor(options: ConnectionOptions) {
    this.#options = options;
  }

  /** Unsent rows, in order. When there are any, the lock is held until `markSent`. */
  async fetchUnsent(): Promise<Row[] | 'locked-elsewhere'> {
    const client = this.#client ?? (await this.#open());
    const { rows } = await client.query<Row & { relays: boolean }>(unsentQuery(this.#options.table));
    // Only one replica relays, which preserves the order.
    return rows[0]?.relays === false ? 'locked-elsewhere' : rows;
  }

  async markSent(rows: Row[]): Promise<void> {
    await this.#client?.query(markSentQuery(this.#options.table, rows));
  }

  /** Closes the connection, which releases the lock; unmarked rows are sent again. */
  drop(): void {
    // An orderly close to an unreachable host would wait for the TCP timeout of about 15 minutes.
    if (this.#client) destroyConnection(this.#client);
    this.#client = undefined;
  }

  async close(): Promise<void> {
    const last = this.#client;
    this.#client = undefined;
    await last?.end().catch(() => {});
  }

  async #open(): Promise<Client> {
    const { service, url, queryTimeoutMs, abandonedAfterMs, table, wake } = this.#options;
    const client = new Client({
      connectionString: url,
      application_name: `${service}-outbox`,
      keepAlive: true,
      keepAliveInitialDelayMillis: 30_000,
      connectionTimeoutMillis: 5_000,
      query_timeout: queryTimeoutMs,
    });
    const forgetClient = (): void => {
      if (this.#client !== client) return;
      this.#client = undefined;
      wake();
    };
    client.on('error', forgetClient).on('end', forgetClient).on('notification', wake);
    try {
      await client.connect();
      // The plan of a statement prepared on an empty table is kept when the table is large: it must use the index.
      await client.query(
        `set synchronous_commit = off; set enable_seqscan = off;
         select ${sessionSettings({ idle_session_timeout: abandonedAfterMs })}; listen ${table}`,
      );
    } catch (error) {
      destroyConnection(client);
      throw error;
    }
    this.#client = client;
    return client;
  }
}

function lockOf(table: string): string {
  return `hashtext('${table}')`;
}

function unsentQuery(table: string) {
  return {
    name: 'unsent',
    text: `
      with waiting as materialized (select 1 from ${table} where sent_at is null limit 1),
      relay as materialized (select pg_try_advisory_lock(${lockOf(table)}) as relays from waiting)
      select relays, m.* from relay left join lateral (
        select id, message_id, subject, data::text as body, headers, created_at from ${table}
        where sent_at is null order by id limit ${batchSize}) m on relays
      order by m.id`,
  };
}

function markSentQuery(table: string, rows: Row[]) {
  return {
    name: 'sent',
    text: `
      with sent as (update ${table} set sent_at = now() where id = any($1::bigint[]))
      select pg_advisory_unlock(${lockOf(table)})`,
    values: [rows.map(({ id }) => id)],
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
  const messageHeaders = headers();
  messageHeaders.set('Nats-Msg-Id', row.message_id);
  messageHeaders.set('ot-time', row.created_at.toISOString());
  for (const [name, value] of Object.entries(row.headers)) messageHeaders.set(name, value);
  return messageHeaders;
}
