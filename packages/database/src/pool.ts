import { AsyncResource } from 'node:async_hooks';
import { currentFlow, unavailable, type Metrics } from '@overtone/service-kit';
import { Pool, type PoolClient } from 'pg';
import { z } from 'zod';
import { createHangWatch, cut } from './hang.ts';

/** Environment of a service that owns tables. It connects as its own role, with rights to its own tables only. */
export const databaseEnv = {
  DATABASE_URL: z.string().min(1),
  /** Connections kept for reuse. */
  DB_POOL_SIZE: z.coerce.number().int().min(1).max(500).default(20),
  /** Connections that may be opened above DB_POOL_SIZE under load; closed again when idle. */
  DB_MAX_OVERFLOW: z.coerce.number().int().min(0).max(1000).default(40),
};
export type DatabaseEnv = z.infer<z.ZodObject<typeof databaseEnv>>;

export type PoolOptions = {
  env: DatabaseEnv;
  name: string;
  metrics: Metrics;
  log: { warn: (o: object, m: string) => void };
  /** After so long without an answer the server is looked at; see `createHangWatch`. */
  hangMs?: number;
};

/** A PostgreSQL pool whose statements are timed and counted per request, and do not wait for a server that hangs. */
export const createPool = ({ env, name, metrics, log, hangMs = 5_000 }: PoolOptions): Pool => {
  const pool = new Pool({
    connectionString: env.DATABASE_URL,
    // Up to `min` stay open when idle; what load opened above that is closed after ten quiet seconds.
    min: env.DB_POOL_SIZE,
    max: env.DB_POOL_SIZE + env.DB_MAX_OVERFLOW,
    application_name: name,
    idleTimeoutMillis: 10_000,
    connectionTimeoutMillis: 5_000,
    keepAlive: true,
  });
  watchPool(pool, metrics);
  const tell = (waiting: number) => log.warn({ waiting }, 'the database hangs; those who wait for it are told');
  const hang = createHangWatch({ url: env.DATABASE_URL, hangMs, tell });
  // Without a listener a connection that PostgreSQL closes would end the process.
  pool.on('error', (err) => log.warn({ err }, 'idle database connection lost'));
  pool.on('connect', (client) => {
    // The pool listens to idle connections only; one that breaks while it is lent out fails its query, and that is told.
    client.on('error', () => {});
    const ask = client.query.bind(client) as Ask;
    client.query = watched(ask, metrics, () => hang.asked(() => cut(client))) as typeof client.query;
  });
  // Whoever waited for a connection goes on where they asked, and not where somebody else gave one back.
  const connect = pool.connect.bind(pool) as (callback?: () => void) => Promise<PoolClient>;
  pool.connect = ((callback?: () => void) =>
    callback ? connect(AsyncResource.bind(callback)) : connect()) as typeof pool.connect;
  return pool;
};

type Ask = (...args: unknown[]) => unknown;

/** Counts and times a statement; the pool asks with a callback, whoever holds a connection awaits a promise. */
const watched =
  (query: Ask, metrics: Metrics, asked: () => () => void): Ask =>
  (...args) => {
    const flow = currentFlow();
    if (flow) flow.dbQueries += 1;
    const started = performance.now();
    const over = asked();
    const observe = () => {
      over();
      metrics.dbDuration.observe((performance.now() - started) / 1000);
    };
    const callback = args.at(-1);
    if (typeof callback === 'function') {
      const answered = (...answer: unknown[]): unknown => {
        observe();
        return (callback as Ask)(...answer);
      };
      return query(...args.slice(0, -1), answered);
    }
    const result = query(...args);
    if (result instanceof Promise) void result.then(observe, observe);
    else over();
    return result;
  };

/** How much of the pool is in use, and who waits for more. */
const watchPool = (pool: Pool, metrics: Metrics): void => {
  const connections = 'db_pool_connections';
  metrics.watch(
    [
      { name: connections, help: 'Open database connections, by what they do', label: 'state' },
      { name: 'db_pool_max_connections', help: 'Database connections this process may open' },
      { name: 'db_pool_waiting', help: 'Callers waiting for a database connection' },
    ],
    () => [
      { name: connections, of: 'busy', value: pool.totalCount - pool.idleCount },
      { name: connections, of: 'idle', value: pool.idleCount },
      { name: 'db_pool_max_connections', value: pool.options.max },
      { name: 'db_pool_waiting', value: pool.waitingCount },
    ],
  );
};

/** One round trip. @throws AppError unavailable, code database_unavailable. */
export const pingDatabase = async (pool: Pool): Promise<void> => {
  await pool.query('select 1').catch((cause: unknown) => {
    throw unavailable('database_unavailable', 'The database does not answer', { cause });
  });
};
