import { createDatabase, databaseEnv, resealSettings } from '@overtone/database';
import { createLog, createMetrics, readEnv, readKeyRing } from '@overtone/service-kit';
import { PrismaClient } from './generated/client.ts';

// Run by `./overtone rotate-key`, or by hand where keys are mounted: ENCRYPTION_KEY with the new key in front.
const log = createLog('transcription-dispatcher', { LOG_LEVEL: 'error', LOG_FORMAT: 'text' });
const { db, part } = createDatabase(
  { env: readEnv(databaseEnv), name: 'transcription-dispatcher', metrics: createMetrics(), log },
  (options) => new PrismaClient(options),
);
try {
  const reseal = { table: 'dispatcher_settings', keyRing: () => readKeyRing() } as const;
  process.stdout.write(`${JSON.stringify(await db.$transaction((tx) => resealSettings(tx, reseal)))}\n`);
} finally {
  await part.stop();
}
