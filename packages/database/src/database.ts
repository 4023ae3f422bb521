import { PrismaPg } from '@prisma/adapter-pg';
import { unavailable, type Check, type Log, type Metrics, type Part } from '@overtone/service-kit';
import type { Pool } from 'pg';
import { migrationHead } from './migrations.ts';
import { createPool, pingDatabase, type DatabaseEnv } from './pool.ts';

type PrismaLike = { $disconnect: () => Promise<void> };
export type Database<P> = {
  /** The service's own Prisma client: its own tables only. */
  db: P;
  pool: Pool;
  checks: { database: Check };
  part: Part;
};

/**
 * Connects a service to its tables.
 * @param make builds the service's generated client, e.g. `(adapter) => new PrismaClient({ adapter })`.
 */
export function createDatabase<P extends PrismaLike>(
  d: { env: DatabaseEnv; name: string; metrics: Metrics; log: Log },
  make: (adapter: PrismaPg) => P,
): Database<P> {
  const pool = createPool(d);
  const db = make(new PrismaPg(pool));
  return {
    db,
    pool,
    checks: { database: { critical: true, probe: () => assertMigrated(pool) } },
    part: {
      name: 'database',
      // Parts that start later can rely on the tables.
      start: () => assertMigrated(pool),
      stop: async () => {
        await db.$disconnect();
        await pool.end();
      },
    },
  };
}

/** PostgreSQL's SQLSTATE `undefined_table`. */
const undefinedTableCode = '42P01';

async function readSchemaVersion(pool: Pool): Promise<number> {
  try {
    const { rows } = await pool.query<{ version: number | null }>('select max(version) as version from schema_version');
    return rows[0]?.version ?? 0;
  } catch (error) {
    if ((error as { code?: string }).code === undefinedTableCode) return 0;
    throw error;
  }
}

/** @throws AppError unavailable, unless the database is reachable and migrated to this program's version. */
async function assertMigrated(pool: Pool): Promise<void> {
  await pingDatabase(pool);
  const version = await readSchemaVersion(pool);
  if (version < migrationHead()) {
    throw unavailable('database_unavailable', 'The database is not migrated yet', {
      detail: `v${version} < v${migrationHead()}`,
    });
  }
}
