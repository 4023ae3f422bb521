import type { ServiceName } from '@overtone/contracts';
import type { Bus, Log, Metrics, Part } from '@overtone/service-kit';
import { headers } from 'nats';
import { Client, type Pool } from 'pg';
import { cut } from './hang.ts';
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
/** A part of the service that also takes a word from whoever has just committed something to its outbox. */
type Relay = Part & { wake: () => void };

const batchSize = 200;
/** Sent rows stay this long: an acknowledged publish can still be lost with the broker's disk. */
const keepSent = '2 days';
const idleMs = 1_000;
/** Another replica relays just now, and may have looked before the last commit. */
const elsewhereMs = 50;
/** Marking what was sent is put off so long, unless there is more: whoever got it is being answered just now. */
const breatherMs = 5;

/**
 * Relays an outbox to JetStream, in order, each row at least once; the broker drops repeats by message id. One relay
 * works at a time however many replicas run. Wakes when it is told of a commit, by whoever made it or by the database's
 * notification, and every second regardless.
 */
export const createOutboxRelay = (d: {
  service: ServiceName;
  pool: Pool;
  url: string;
  bus: Bus;
  log: Log;
  metrics: Metrics;
  /** So long a database may take to answer before its connection is given up for a new one. */
  answerMs?: number;
}): Relay => {
  const table = tableOf(d.service);
  watchBacklog(d.metrics, d.pool, table);
  const { answerMs = 30_000 } = d;
  const line = createLine({ name: `${d.service}-outbox`, url: d.url, answerMs, table, onNews: () => wake() });
  const bringBackLost = createLossCheck({ bus: d.bus, pool: d.pool, table });
  let rouse = (): void => {};
  let asked = false;
  let stopping = false;
  let loop: Promise<void> = Promise.resolve();
  let lastCleaned = Date.now();
  const wake = (): void => {
    asked = true;
    rouse();
  };

  const untilRoused = (ms: number): Promise<void> =>
    new Promise((resolve) => {
      const timer = setTimeout(resolve, ms);
      rouse = () => {
        clearTimeout(timer);
        resolve();
      };
    });

  /** @returns for how long there is nothing to do. */
  const turn = async (): Promise<number> => {
    const lost = await bringBackLost().catch(() => 0);
    if (lost > 0) d.log.warn({ events: lost }, 'the broker has lost events; they are sent again');
    for (;;) {
      const rows = await line.take();
      if (rows === 'elsewhere') return elsewhereMs;
      if (rows.length > 0) {
        await publish(d.bus, rows);
        if (rows.length < batchSize && !asked) await untilRoused(breatherMs);
        await line.sent(rows);
      }
      if (rows.length < batchSize) break;
    }
    if (Date.now() - lastCleaned > 600_000) {
      lastCleaned = Date.now();
      await d.pool.query(`delete from ${table} where sent_at < now() - interval '${keepSent}'`);
    }
    return idleMs;
  };

  const run = async (): Promise<void> => {
    while (!stopping) {
      asked = false;
      const pauseMs = await turn().catch((e: unknown) => {
        d.log.debug({ err: e as Error }, 'outbox not relayed this time');
        line.drop();
        return idleMs;
      });
      if (!asked && !stopping) await untilRoused(pauseMs);
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
      await line.close();
    },
  };
};

/**
 * The relay's own connection, on which it hears of commits, reads and marks, a round trip each. Whoever reads rows holds
 * a lock of this connection until they are marked. That rows were sent need not outlive a crash of the database: they
 * are sent again then, under the same message ids. So nobody waits for the disk here.
 */
const createLine = (d: { name: string; url: string; answerMs: number; table: string; onNews: () => void }) => {
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
      query_timeout: d.answerMs,
    });
    const gone = (): void => {
      if (client === opened) client = undefined;
    };
    opened.on('error', gone).on('end', gone).on('notification', d.onNews);
    try {
      await opened.connect();
      // What is prepared while the table is empty is still there when it is long: by the index of what is unsent.
      await opened.query(`set synchronous_commit = off; set enable_seqscan = off; listen ${table}`);
    } catch (e) {
      cut(opened);
      throw e;
    }
    client = opened;
    return opened;
  };
  const drop = (): void => {
    // A host that has vanished would not hear a goodbye, and the system would wait a quarter of an hour for it.
    if (client) cut(client);
    client = undefined;
  };

  return {
    /** What is to be sent, in order. Where there is anything the lock is held until it is told `sent`. */
    take: async (): Promise<Row[] | 'elsewhere'> => {
      const { rows } = await (client ?? (await open())).query<Row & { relays: boolean }>(unsent);
      // Order is kept because only one replica relays.
      return rows[0]?.relays === false ? 'elsewhere' : rows;
    },
    sent: async (rows: Row[]): Promise<void> =>
      void (await client?.query({ ...marked, values: [rows.map((r) => r.id)] })),
    /** Gives up the lock, and what is unsent goes again. */
    drop,
    close: async (): Promise<void> => {
      const last = client;
      client = undefined;
      await last?.end().catch(() => {});
    },
  };
};

/** Beyond this a backlog is a backlog; nobody needs to count all of it. */
const countedRows = 10_000;

/** What was committed and is not on the bus yet: the same from every replica. */
const watchBacklog = (metrics: Metrics, pool: Pool, table: string): void =>
  metrics.watch(
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

const publish = async (bus: Bus, rows: Row[]): Promise<void> =>
  void (await Promise.all(rows.map((row) => bus.publish(row.subject, row.body, { headers: toHeaders(row) }))));

const toHeaders = (row: Row) => {
  const h = headers();
  h.set('Nats-Msg-Id', row.message_id);
  h.set('ot-time', row.created_at.toISOString());
  for (const [k, v] of Object.entries(row.headers)) h.set(k, v);
  return h;
};
