import { AsyncResource } from 'node:async_hooks';
import { currentFlow, unavailable, type Metrics } from '@overtone/service-kit';
import { Pool, type PoolClient } from 'pg';
import { z } from 'zod';
import { createHealthProbe, createProbeConnection, destroyConnection, type HealthProbe } from './health-probe.ts';

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
  /** Pending queries are rejected after this time without a response; see `createHealthProbe`. */
  silenceLimitMs?: number;
};

/** A PostgreSQL pool that times statements, counts them per request, and rejects them while the server is unresponsive. */
export function createPool({ env, name, metrics, log, silenceLimitMs = 4_000 }: PoolOptions): Pool {
  const pool = new Pool({
    connectionString: env.DATABASE_URL,
    // Up to `min` connections stay open when idle; those above it are closed after ten idle seconds.
    min: env.DB_POOL_SIZE,
    max: env.DB_POOL_SIZE + env.DB_MAX_OVERFLOW,
    application_name: name,
    idleTimeoutMillis: 10_000,
    connectionTimeoutMillis: 5_000,
    keepAlive: true,
  });
  reportPoolMetrics(pool, metrics);
  const health = createHealthProbe({
    silenceLimitMs,
    probe: createProbeConnection(env.DATABASE_URL),
    onStateChange: ({ unresponsive, rejected }) =>
      unresponsive
        ? log.warn({ rejected }, 'database unresponsive: pending queries rejected')
        : log.info('database responsive again'),
  });
  // Without a listener a connection that PostgreSQL closes would end the process.
  pool.on('error', (err) => log.warn({ err }, 'idle database connection lost'));
  pool.on('connect', (client) => {
    // The pool handles errors of idle connections only. On a busy one the query itself rejects.
    client.on('error', () => {});
    client.query = createMonitoredQuery(client, metrics, health) as typeof client.query;
  });
  pool.connect = createMonitoredConnect(pool, health) as typeof pool.connect;
  const end = pool.end.bind(pool) as (...callback: unknown[]) => unknown;
  pool.end = ((...callback: unknown[]) => {
    health.close();
    return end(...callback);
  }) as typeof pool.end;
  return pool;
}

// The prefix `Connection terminated` marks both errors as a lost database (see service-kit, lost-database.ts).
function createNotSentError(): Error {
  return new Error('Connection terminated: database unresponsive, query not sent');
}

/** The caller must not retry without a check: the statement may have been executed. */
function createNoResponseError(): Error {
  return new Error('Connection terminated: database unresponsive, query may have been executed');
}

type Call = (...args: unknown[]) => unknown;
type Callback = (error?: Error | null, ...rest: unknown[]) => unknown;

/** Supports both call styles: the pool passes a callback, other callers await a promise. */
function acceptCallbackOrPromise(call: (args: unknown[], callback: Callback) => void): Call {
  return (...args) => {
    const last = args.at(-1);
    if (typeof last === 'function') return call(args.slice(0, -1), last as Callback);
    const result = new Promise((resolve, reject) => {
      call(args, (error, value) => (error ? reject(error) : resolve(value)));
    });
    // The stack trace shows the caller instead of the socket's read handler.
    return result.catch((error: unknown) => {
      Error.captureStackTrace(error as Error);
      throw error;
    });
  };
}

/** `pool.connect` that rejects while the server is unresponsive. */
function createMonitoredConnect(pool: Pool, health: HealthProbe): Call {
  const connect = pool.connect.bind(pool) as unknown as (
    callback: (error: Error | undefined, client: PoolClient | undefined, release: () => void) => void,
  ) => void;
  return acceptCallbackOrPromise((_, unboundCallback) => {
    // Keeps the async context of the caller, not that of the code that released the connection.
    const callback = AsyncResource.bind(unboundCallback);
    const reject = (): void => void callback(createNotSentError(), undefined, () => {});
    const settle = health.track(reject);
    if (!settle) return reject();
    // An available connection is no evidence that the server responds.
    return connect((error, client, release) => {
      if (settle(false)) callback(error, client, release);
      else release();
    });
  });
}

/** Counts and times a statement. A rejected statement also closes its connection, so that its transaction cannot continue. */
function createMonitoredQuery(client: PoolClient, metrics: Metrics, health: HealthProbe): Call {
  const query = client.query.bind(client) as Call;
  return acceptCallbackOrPromise((args, callback) => {
    const flow = currentFlow();
    if (flow) flow.dbQueries += 1;
    const started = performance.now();
    const complete: Callback = (...result) => {
      metrics.dbDuration.observe((performance.now() - started) / 1000);
      return callback(...result);
    };
    const reject = (error: Error): void => {
      destroyConnection(client);
      complete(error);
    };
    const settle = health.track(() => reject(createNoResponseError()));
    if (!settle) return reject(createNotSentError());
    query(...args, (...result: Parameters<Callback>) => void (settle(true) && complete(...result)));
  });
}

/** Reports how many connections are open, and how many callers wait for one. */
function reportPoolMetrics(pool: Pool, metrics: Metrics): void {
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
}

/** One round trip. @throws AppError unavailable, code database_unavailable. */
export async function pingDatabase(pool: Pool): Promise<void> {
  await pool.query('select 1').catch((cause: unknown) => {
    throw unavailable('database_unavailable', 'The database does not answer', { cause });
  });
}
