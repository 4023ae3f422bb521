import { PrismaPg } from '@prisma/adapter-pg';
import {
  unavailable,
  type Check,
  type Log,
  type Metrics,
  type Part,
  type ServiceBase,
  type ServiceEnv,
} from '@overtone/service-kit';
import type { Pool } from 'pg';
import { migrationHead } from './migrations.ts';
import { createOutboxRelay } from './outbox-relay.ts';
import { createOutbox } from './outbox.ts';
import { createPool, pingDatabase, type DatabaseEnv } from './pool.ts';
import { assertReadable, schemaOf } from './schema.ts';

type PrismaLike = { $disconnect: () => Promise<void> };
/** How a service's generated client connects. The limits of transactions are those of all that state no other. */
export type ClientOptions = { adapter: PrismaPg; transactionOptions: { maxWait: number; timeout: number } };
export type Database<P> = {
  /** The service's own Prisma client: its own tables only. */
  db: P;
  pool: Pool;
  part: Part;
  /** Starts and stops the connections, and checks them for `/health/ready`. */
  slice: { parts: Part[]; checks: { database: Check } };
};

/** On a busy machine a connection or a row lock can take seconds; the defaults of Prisma, 2 s and 5 s, are for a quiet one. */
const transactionOptions = { maxWait: 10_000, timeout: 30_000 };

/**
 * Connects a service to its tables.
 * @param createClient builds the service's generated client, e.g. `(options) => new PrismaClient(options)`.
 */
export function createDatabase<P extends PrismaLike>(
  base: { env: DatabaseEnv; name: string; metrics: Metrics; log: Log },
  createClient: (options: ClientOptions) => P,
): Database<P> {
  const pool = createPool(base);
  const db = createClient({ adapter: new PrismaPg(pool), transactionOptions });
  const part: Part = {
    name: 'database',
    // Parts that start later can rely on the tables.
    start: () => assertMigrated(pool),
    stop: async () => {
      await db.$disconnect();
      await pool.end();
    },
  };
  return {
    db,
    pool,
    part,
    slice: { parts: [part], checks: { database: { critical: true, probe: () => assertMigrated(pool) } } },
  };
}

/**
 * Connects a service that publishes events: to its tables, and to the outbox. The slice `relay` publishes committed events
 * to the bus; the service lists it after `slice`. A service that forgets one of the two is not created.
 */
export function createEventDatabase<P extends PrismaLike>(
  base: ServiceBase<ServiceEnv & DatabaseEnv>,
  createClient: (options: ClientOptions) => P,
) {
  const { db, pool, part, slice } = createDatabase(base, createClient);
  const { name: service, env, bus, log, metrics } = base;
  const relay = createOutboxRelay({ service, pool, url: env.DATABASE_URL, bus, log, metrics });
  base.requiredParts.push(part, relay);
  return {
    db,
    pool,
    outbox: createOutbox(service),
    wakeOutbox: relay.wake,
    slice,
    relay: { parts: [relay] },
  };
}

/**
 * @throws AppError unavailable, unless the database is reachable and migrated to this program's version.
 * @throws SchemaError schema_too_new when it is migrated too far; waiting does not help.
 */
async function assertMigrated(pool: Pool): Promise<void> {
  await pingDatabase(pool);
  const [schema, head] = [await schemaOf(pool), migrationHead()];
  assertReadable(head, schema);
  if (schema.version < head) {
    throw unavailable('database_unavailable', 'The database is not migrated yet', {
      detail: `v${schema.version} < v${head}`,
    });
  }
}
