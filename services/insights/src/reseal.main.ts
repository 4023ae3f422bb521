import { createDatabase, databaseEnv } from '@overtone/database';
import { createLog, createMetrics, readEnv, readKeyRing } from '@overtone/service-kit';
import { PrismaClient } from './generated/client.ts';
import { resealProviders } from './providers/providers.store.ts';

// Run by `./overtone rotate-key`, or by hand where keys are mounted: ENCRYPTION_KEY with the new key in front.
const log = createLog('insights', { LOG_LEVEL: 'error', LOG_FORMAT: 'text' });
const { db, part } = createDatabase(
  { env: readEnv(databaseEnv), name: 'insights', metrics: createMetrics(), log },
  (options) => new PrismaClient(options),
);
try {
  process.stdout.write(`${JSON.stringify(await db.$transaction((tx) => resealProviders(tx, readKeyRing())))}\n`);
} finally {
  await part.stop();
}
