import { AsyncResource } from 'node:async_hooks';
import { currentFlow, unavailable, type Metrics } from '@overtone/service-kit';
import { Pool, type PoolClient } from 'pg';
import { z } from 'zod';
import { createHangWatch, cut, knockAt, type HangWatch } from './hang.ts';

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
  log: { warn: (o: object, m: string) => void; info: (m: string) => void };
  /** So long the server may say nothing to anybody; see `createHangWatch`. */
  hangMs?: number;
};

/** A PostgreSQL pool whose statements are timed and counted per request, and do not wait for a server that hangs. */
export const createPool = ({ env, name, metrics, log, hangMs = 4_000 }: PoolOptions): Pool => {
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
  const hang = createHangWatch({
    hangMs,
    knock: knockAt(env.DATABASE_URL),
    say: ({ hangs, told }) =>
      hangs
        ? log.warn({ waiting: told }, 'the database hangs; those who wait for it are told')
        : log.info('the database answers again'),
  });
  // Without a listener a connection that PostgreSQL closes would end the process.
  pool.on('error', (err) => log.warn({ err }, 'idle database connection lost'));
  pool.on('connect', (client) => {
    // The pool listens to idle connections only; one that breaks while it is lent out fails its query, and that is told.
    client.on('error', () => {});
    client.query = watchedQuery(client, metrics, hang) as typeof client.query;
  });
  pool.connect = watchedConnect(pool, hang) as typeof pool.connect;
  const end = pool.end.bind(pool) as (...callback: unknown[]) => unknown;
  pool.end = ((...callback: unknown[]) => {
    hang.close();
    return end(...callback);
  }) as typeof pool.end;
  return pool;
};

// By its first words everybody knows it for a database that cannot be asked.
const notAsked = (): Error => new Error('Connection terminated: the database hangs, and was not asked');
/** Nobody may do it again without a look whether it was done. */
const notAnswered = (): Error => new Error('Connection terminated: the database hangs, and may have done it');

type Ask = (...args: unknown[]) => unknown;
type Answer = (error?: Error | null, ...rest: unknown[]) => unknown;

/** The pool itself asks with a callback, whoever holds a connection awaits a promise. */
const eitherWay =
  (ask: (args: unknown[], answer: Answer) => void): Ask =>
  (...args) => {
    const last = args.at(-1);
    if (typeof last === 'function') return ask(args.slice(0, -1), last as Answer);
    const answered = new Promise((resolve, reject) => {
      ask(args, (error, result) => (error ? reject(error) : resolve(result)));
    });
    // An error tells where it was asked for, and not where the socket was read.
    return answered.catch((error: unknown) => {
      Error.captureStackTrace(error as Error);
      throw error;
    });
  };

/** Lends a connection out, unless the server hangs. */
const watchedConnect = (pool: Pool, hang: HangWatch): Ask => {
  const connect = pool.connect.bind(pool) as unknown as (
    answer: (error: Error | undefined, client: PoolClient | undefined, release: () => void) => void,
  ) => void;
  return eitherWay((_, asker) => {
    // Whoever waited goes on where they asked, and not where somebody else gave a connection back.
    const answer = AsyncResource.bind(asker);
    const giveUp = (): void => void answer(notAsked(), undefined, () => {});
    const over = hang.asked(giveUp);
    if (!over) return giveUp();
    // That one was to be had says nothing of the server.
    return connect((error, client, release) => {
      if (over(false)) answer(error, client, release);
      else release();
    });
  });
};

/** Counts and times a statement. Where it is given up its connection is too: half a transaction does not go on. */
const watchedQuery = (client: PoolClient, metrics: Metrics, hang: HangWatch): Ask => {
  const query = client.query.bind(client) as Ask;
  return eitherWay((args, answer) => {
    const flow = currentFlow();
    if (flow) flow.dbQueries += 1;
    const started = performance.now();
    const end: Answer = (...said) => {
      metrics.dbDuration.observe((performance.now() - started) / 1000);
      return answer(...said);
    };
    const giveUp = (error: Error): void => {
      cut(client);
      end(error);
    };
    const over = hang.asked(() => giveUp(notAnswered()));
    if (!over) return giveUp(notAsked());
    query(...args, (...said: Parameters<Answer>) => void (over(true) && end(...said)));
  });
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
