import { currentFlow, HealthProbe, unavailable, type Metrics } from '@overtone/service-kit';
import { Client, Pool, type PoolClient, type PoolConfig } from 'pg';
import { z } from 'zod';
import { poolEnv } from './connections.ts';
import { createProbeConnection, destroyConnection } from './health-probe.ts';
import { IdleTest, unmonitored } from './idle-test.ts';
import { LostQueries } from './lost-queries.ts';
import { sessionSettings } from './session-settings.ts';

/** Environment of a service that owns tables. It connects as its own role, with rights to its own tables only. */
export const databaseEnv = {
  DATABASE_URL: z
    .string()
    .regex(/^postgres(ql)?:\/\/\S+$/)
    .describe('an address such as postgresql://user:password@host:5432/database'),
  ...poolEnv,
};
export type DatabaseEnv = z.infer<z.ZodObject<typeof databaseEnv>>;

export type PoolOptions = {
  env: DatabaseEnv;
  name: string;
  metrics: Metrics;
  log: { warn: (fields: object, message: string) => void; info: (message: string) => void };
  /** Pending queries are rejected after this time without a response; see `HealthProbe`. */
  silenceLimitMs?: number;
  /** A connection that was idle for longer is tested before it is handed out. */
  trustedIdleMs?: number;
  /** Queries that take longer are looked up at the server; see `LostQueries`. */
  checkQueriesEveryMs?: number;
  /** The server ends a transaction that is idle for longer; above the longest transaction that computes between its statements. */
  abandonedAfterMs?: number;
};

/** A PostgreSQL pool that times statements, counts them per request, and rejects them while the server is unresponsive. */
export function createPool({
  env,
  name,
  metrics,
  log,
  silenceLimitMs = 4_000,
  trustedIdleMs = 1_000,
  checkQueriesEveryMs = 10_000,
  abandonedAfterMs = 120_000,
}: PoolOptions): Pool {
  const health = new HealthProbe({
    silenceLimitMs,
    probe: createProbeConnection(env.DATABASE_URL),
    onStateChange: ({ unresponsive, rejected }) =>
      unresponsive
        ? log.warn({ rejected }, 'database unresponsive: pending queries rejected')
        : log.info('database responsive again'),
  });
  const idleTest = new IdleTest({ silenceLimitMs, trustedIdleMs });
  const lostQueries = new LostQueries({
    url: env.DATABASE_URL,
    checkEveryMs: checkQueriesEveryMs,
    onLost: (rejected) => log.warn({ rejected }, 'database connection lost: pending queries rejected'),
  });
  const pool = new MonitoredPool(health, idleTest, {
    Client: monitoredClient({ health, lostQueries, metrics }),
    connectionString: env.DATABASE_URL,
    // Up to `min` connections stay open when idle; those above it are closed after ten idle seconds.
    min: env.DB_POOL_SIZE,
    max: env.DB_POOL_SIZE + env.DB_MAX_OVERFLOW,
    application_name: name,
    idleTimeoutMillis: 10_000,
    connectionTimeoutMillis: 5_000,
    keepAlive: true,
    // The kernel's default of two hours outlives what a proxy or a NAT gateway keeps of an idle connection.
    keepAliveInitialDelayMillis: 30_000,
  });
  reportPoolMetrics(pool, metrics);
  // Without a listener a connection that PostgreSQL closes would end the process.
  pool.on('error', (err) => log.warn({ err }, 'idle database connection lost'));
  const settings = sessionSettings({ idle_in_transaction_session_timeout: abandonedAfterMs });
  pool.on('connect', (client) => {
    // The pool handles errors of idle connections only. On a busy one the query itself rejects.
    client.on('error', () => {});
    // Sent before the first query of the caller, which fails as well when the connection is lost.
    unmonitored.query.call(client, `select pg_backend_pid() as pid, ${settings}`).then(
      ({ rows: [{ pid }] }) => lostQueries.verify(client, pid),
      () => {},
    );
  });
  return pool;
}

// The prefix `Connection terminated` marks both errors as a lost database (see service-kit, lost-database.ts).
function createNotSentError(): Error {
  return new Error('Connection terminated: no connection to the database, query not sent');
}

/** The caller must not retry without a check: the statement may have been executed. */
function createNoResponseError(): Error {
  return new Error('Connection terminated: database unresponsive, query may have been executed');
}

/**
 * A pool that rejects callers while the server is unresponsive, and hands out no dead connection. Supports promises only, not
 * the callbacks of pg.
 */
class MonitoredPool extends Pool {
  readonly #health: HealthProbe;
  readonly #idleTest: IdleTest;

  constructor(health: HealthProbe, idleTest: IdleTest, config: PoolConfig) {
    super(config);
    this.#health = health;
    this.#idleTest = idleTest;
    this.on('release', (_error, client) => idleTest.noteRelease(client));
  }

  override connect(): Promise<PoolClient> {
    return new Promise((resolve, reject) => {
      const settle = this.#health.track(() => reject(createNotSentError()));
      if (!settle) return reject(createNotSentError());
      // An available connection is no evidence that the server responds.
      this.#connectAlive().then(
        (client) => (settle(false) ? resolve(client) : client.release()),
        (error: unknown) => settle(false) && reject(error),
      );
    });
  }

  async #connectAlive(): Promise<PoolClient> {
    for (;;) {
      const client = await super.connect();
      if (!this.#idleTest.isDue(client) || (await this.#idleTest.passes(client))) return client;
      destroyConnection(client);
      client.release(true);
    }
  }

  // The types satisfy the overloads of pg.
  override query(config: never, values?: unknown): never {
    return this.#query(config, values) as never;
  }

  override async end(): Promise<void> {
    await super.end();
    // pg forgets the callers that still wait for a connection.
    this.#health.end();
  }

  async #query(config: never, values?: unknown): Promise<unknown> {
    const client = await this.connect();
    try {
      const result: unknown = await client.query(config, values as never);
      client.release();
      return result;
    } catch (error) {
      client.release(error as Error);
      throw error;
    }
  }
}

type Monitors = { health: HealthProbe; lostQueries: LostQueries; metrics: Metrics };

/** Counts and times each statement. A rejected one also closes its connection, so that its transaction cannot continue. */
function monitoredClient({ health, lostQueries, metrics }: Monitors): typeof Client {
  return class extends Client {
    override query(config: never, values?: unknown): never {
      const flow = currentFlow();
      if (flow) flow.dbQueries += 1;
      const started = performance.now();
      const result = new Promise((resolve, reject) => {
        const rejectQuery = (error: Error): void => {
          destroyConnection(this);
          reject(error);
        };
        const settle = health.track(() => rejectQuery(createNoResponseError()));
        if (!settle) return rejectQuery(createNotSentError());
        const endTracking = lostQueries.track(this, () => settle(false) && rejectQuery(createNoResponseError()));
        super
          .query(config, values as never)
          .finally(() => {
            settle(true);
            endTracking();
          })
          .then(resolve, reject);
      }).finally(() => metrics.dbDuration.observe((performance.now() - started) / 1000));
      return result as never;
    }
  };
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
