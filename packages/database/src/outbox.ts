import type { DataOf, EventDef, ServiceName } from '@overtone/contracts';
import { carrier, currentFlow, type Bus, type Log, type Metrics, type Part } from '@overtone/service-kit';
import { headers } from 'nats';
import { Client, type Pool, type PoolClient, type QueryResult } from 'pg';
import { createLossCheck } from './lost-events.ts';

/** The part of a Prisma transaction that the outbox needs. */
export type Tx = { $executeRawUnsafe: (sql: string, ...values: unknown[]) => Promise<number> };

export type Outbox = {
  /** Writes an event in the transaction of the change it tells of. */
  add: <E extends EventDef>(tx: Tx, event: E, data: DataOf<E>) => Promise<void>;
  /** Writes many events of one kind in one statement, in their order. */
  addAll: <E extends EventDef>(tx: Tx, event: E, all: readonly DataOf<E>[]) => Promise<void>;
  /** Writes tickets for workers, one for each of these tasks. */
  tickets: (tx: Tx, tasks: readonly { id: string; subject: string }[]) => Promise<void>;
  /** What a message carries besides its data, for a statement that writes one itself. */
  headers: () => Record<string, string>;
};

const tableOf = (service: ServiceName): string => `${service.replaceAll('-', '_')}_outbox`;

/** The outbox of one service: rows that become messages once their transaction has committed. */
export const createOutbox = (service: ServiceName): Outbox => {
  const table = tableOf(service);
  const insertAll = async (tx: Tx, rows: readonly { subject: string; data: unknown }[]): Promise<void> => {
    if (rows.length === 0) return;
    await tx.$executeRawUnsafe(
      `with rows as (
         insert into ${table} (subject, data, headers, message_id)
         select e.row ->> 'subject', e.row -> 'data', $1::jsonb, gen_random_uuid()
         from jsonb_array_elements($2::jsonb) with ordinality as e (row, place) order by e.place returning id)
       select pg_notify($3, '') from rows limit 1`,
      JSON.stringify(messageHeaders(service)),
      JSON.stringify(rows),
      table,
    );
  };
  return {
    add: (tx, { subject }, data) => insertAll(tx, [{ subject, data }]),
    addAll: (tx, { subject }, all) =>
      insertAll(
        tx,
        all.map((data) => ({ subject, data })),
      ),
    tickets: (tx, tasks) =>
      insertAll(
        tx,
        tasks.map(({ id, subject }) => ({ subject, data: { taskId: id } })),
      ),
    headers: () => messageHeaders(service),
  };
};

const messageHeaders = (service: ServiceName): Record<string, string> => ({
  ...carrier(),
  'ot-source': service,
  'ot-request-id': currentFlow()?.requestId ?? '',
});

type Row = {
  id: string;
  message_id: string;
  subject: string;
  data: unknown;
  headers: Record<string, string>;
  created_at: Date;
};
/** A part of the service that also takes a word from whoever has just committed something to its outbox. */
export type Relay = Part & { wake: () => void };

const batchSize = 200;
/** Sent rows stay this long: an acknowledged publish can still be lost with the broker's disk. */
const keepSent = '2 days';

/**
 * Relays an outbox to JetStream, in order, each row at least once; the broker drops repeats by message id. One relay
 * works at a time however many replicas run. Wakes on the commit's notification, and every second regardless.
 */
export const createOutboxRelay = (d: {
  service: ServiceName;
  pool: Pool;
  url: string;
  bus: Bus;
  log: Log;
  metrics: Metrics;
}): Relay => {
  const table = tableOf(d.service);
  watchBacklog(d.metrics, d.pool, table);
  let stopping = false;
  let wake = () => {};
  let listener: Client | undefined;
  let loop: Promise<void> = Promise.resolve();
  let lastCleaned = Date.now();
  const bringBackLost = createLossCheck({ bus: d.bus, pool: d.pool, table });

  const listen = async (): Promise<void> => {
    listener = new Client({ connectionString: d.url, application_name: `${d.service}-outbox`, keepAlive: true });
    const gone = () => {
      listener = undefined;
    };
    listener.on('error', gone);
    listener.on('end', gone);
    listener.on('notification', () => wake());
    await listener.connect();
    await listener.query(`listen ${table}`);
  };

  const turn = async (): Promise<void> => {
    if (!listener) await listen();
    const lost = await bringBackLost().catch(() => 0);
    if (lost > 0) d.log.warn({ events: lost }, 'the broker has lost events; they are sent again');
    while ((await relayBatch(d.pool, d.bus, table)) === batchSize);
    if (Date.now() - lastCleaned > 600_000) {
      lastCleaned = Date.now();
      await d.pool.query(`delete from ${table} where sent_at < now() - interval '${keepSent}'`);
    }
  };

  const run = async (): Promise<void> => {
    while (!stopping) {
      const woken = new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, 1_000);
        wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
      try {
        await turn();
      } catch (e) {
        d.log.debug({ err: e as Error }, 'outbox not relayed this time');
      }
      await woken;
    }
  };

  return {
    name: 'outbox',
    wake: () => wake(),
    start: async () => {
      loop = run();
    },
    stop: async () => {
      stopping = true;
      wake();
      await loop;
      await listener?.end().catch(() => {});
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

const relayBatch = async (pool: Pool, bus: Bus, table: string): Promise<number> => {
  const client = await pool.connect();
  let open = true;
  try {
    const { relays, rows } = await readUnsent(client, table);
    // Another replica relays: order is kept because only one does.
    if (!relays) return 0;
    if (rows.length > 0) {
      await Promise.all(
        rows.map((row) => bus.publish(row.subject, JSON.stringify(row.data), { headers: toHeaders(row) })),
      );
      await client.query(`update ${table} set sent_at = now() where id = any($1::bigint[])`, [rows.map((r) => r.id)]);
    }
    await client.query('commit');
    open = false;
    return rows.length;
  } finally {
    // A failed publish leaves the rows unsent; they go again, under the same message ids.
    if (open) await client.query('rollback').catch(() => {});
    client.release();
  }
};

/**
 * Begins a transaction and reads what it is to send, in one round trip. That rows were sent need not outlive a crash of
 * the database: they are sent again then. So nobody waits for the disk here, neither the relay nor those who commit
 * beside it.
 */
const readUnsent = async (client: PoolClient, table: string): Promise<{ relays: boolean; rows: Row[] }> => {
  const results: unknown = await client.query(
    `begin;
     set local synchronous_commit = off;
     select pg_try_advisory_xact_lock(hashtext('${table}')) as ok;
     select * from ${table} where sent_at is null order by id limit ${batchSize}`,
  );
  const [, , lock, unsent] = results as [unknown, unknown, QueryResult<{ ok: boolean }>, QueryResult<Row>];
  return { relays: lock.rows[0]?.ok === true, rows: unsent.rows };
};

const toHeaders = (row: Row) => {
  const h = headers();
  h.set('Nats-Msg-Id', row.message_id);
  h.set('ot-time', row.created_at.toISOString());
  for (const [k, v] of Object.entries(row.headers)) h.set(k, v);
  return h;
};
