import { afterAll, expect, it } from '@jest/globals';
import { createDatabase } from '@overtone/database';
import { createLog, createMetrics } from '@overtone/service-kit';
import { createDatabase as createTestDatabase } from '@overtone/testkit';
import { PrismaClient } from '../generated/client.ts';
import { readMaskVersion, readPolicy } from './redaction.store.ts';

const database = await createTestDatabase();
const env = { DATABASE_URL: database.urlFor('media'), DB_POOL_SIZE: 4, DB_MAX_OVERFLOW: 4 };
const log = createLog('media', { LOG_LEVEL: 'fatal', LOG_FORMAT: 'text' });
const { db, part } = createDatabase(
  { env, name: 'test', metrics: createMetrics(), log },
  (options) => new PrismaClient(options),
);

afterAll(async () => {
  await part.stop();
  await database.drop();
});

it('a policy is read by many requests at the same time', async () => {
  await part.start();
  const reads = Array.from({ length: 10 }, () => [readPolicy(db), readMaskVersion(db)]).flat();
  expect((await Promise.allSettled(reads)).filter(({ status }) => status === 'rejected')).toEqual([]);
});
