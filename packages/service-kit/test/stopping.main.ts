import { routesOf } from '@overtone/contracts';
import { z } from 'zod';
import {
  busEnv,
  createBus,
  createLog,
  createMetrics,
  createService,
  handle,
  readEnv,
  runService,
  serviceEnv,
} from '../src/index.ts';

// A service with one route, as a process of its own: for what only the end of a process shows.
const env = readEnv({ ...serviceEnv, ...busEnv });
const log = createLog('media', env);
const route = routesOf('media')({
  method: 'GET',
  path: '/api/there',
  access: 'public',
  summary: 'Whether it is there',
  answer: z.object({ there: z.boolean() }),
});
await runService(
  createService({
    name: 'media',
    version: '1.2.3',
    env,
    log,
    metrics: createMetrics(),
    bus: createBus({ service: 'media', url: env.NATS_URL, log }),
    whoIs: () => null,
    routes: [handle(route, async () => ({ there: true }))],
  }),
);
