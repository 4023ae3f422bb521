import { createDatabase, databaseEnv } from '@overtone/database';
import { createLog, createMetrics, readEnv, readKeyRing } from '@overtone/service-kit';
import { PrismaClient } from './generated/client.ts';
import { reseal } from './settings/reseal.ts';

// Run by `./overtone rotate-key`, or by hand where keys are mounted: ENCRYPTION_KEY with the new key in front.
const log = createLog('identity', { LOG_LEVEL: 'error', LOG_FORMAT: 'text' });
const { db, part } = createDatabase(
  { env: readEnv(databaseEnv), name: 'identity', metrics: createMetrics(), log },
  (options) => new PrismaClient(options),
);
try {
  process.stdout.write(`${JSON.stringify(await reseal(db, () => readKeyRing()))}\n`);
} finally {
  await part.stop();
}
