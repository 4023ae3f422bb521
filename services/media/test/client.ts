import { createDatabase } from '@overtone/database';
import { createLog, createMetrics } from '@overtone/service-kit';
import type { Db } from '../src/database.ts';
import { PrismaClient } from '../src/generated/client.ts';

/** A separate database client for the service's tables. */
export function createDatabaseClient(url: string): { db: Db; close: () => Promise<void> } {
  const { db, part } = createDatabase(
    {
      env: { DATABASE_URL: url, DB_POOL_SIZE: 2, DB_MAX_OVERFLOW: 40 },
      name: 'test',
      metrics: createMetrics(),
      log: createLog('media', { LOG_LEVEL: 'fatal', LOG_FORMAT: 'text' }),
    },
    (options) => new PrismaClient(options),
  );
  return { db, close: part.stop };
}
