import { createPool, pingDatabase } from '@overtone/database';
import {
  createAssertionVerifier,
  createBus,
  createLog,
  createMetrics,
  createService,
  version,
  type Part,
  type Service,
} from '@overtone/service-kit';
import type { DirectorySyncEnv } from './env.ts';

const name = 'directory-sync';

/** The periodic sweep of the directory. It has no directory to sweep until sign-in knows one. */
export const createDirectorySync = (env: DirectorySyncEnv): Service => {
  const log = createLog(name, env);
  const metrics = createMetrics();
  const bus = createBus({ service: name, url: env.NATS_URL, user: env.NATS_USER, password: env.NATS_PASSWORD, log });
  const pool = createPool({ env, name, metrics, log });
  const database: Part = { name: 'database', start: async () => {}, stop: () => pool.end() };

  return createService({
    name,
    version,
    env,
    log,
    metrics,
    bus,
    whoIs: createAssertionVerifier(env.ASSERTION_PUBLIC_KEY, name),
    parts: [database],
    routes: [],
    checks: { database: { critical: true, probe: () => pingDatabase(pool) } },
  });
};
