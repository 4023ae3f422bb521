import {
  busEnv,
  createBus,
  createLog,
  createMetrics,
  createService,
  readEnv,
  runService,
  serviceEnv,
} from '@overtone/service-kit';
import { createDatabase, databaseEnv } from '../src/index.ts';

// A service that owns tables, as a separate process, for tests of its start without a database.
const env = readEnv({ ...serviceEnv, ...busEnv, ...databaseEnv });
const log = createLog('media', env);
const metrics = createMetrics();
const { checks, part } = createDatabase({ env, name: 'media', metrics, log }, () => ({
  $disconnect: async () => {},
}));
await runService(
  createService({
    name: 'media',
    version: '1.2.3',
    env,
    log,
    metrics,
    bus: createBus({ service: 'media', url: env.NATS_URL, log }),
    whoIs: () => null,
    parts: [part],
    checks,
  }),
);
