import { hostname } from 'node:os';
import { randomUUID } from 'node:crypto';
import { operationsJobs } from '@overtone/contracts';
import { createEventDatabase } from '@overtone/database';
import { concurrencyOf, createRecycling, worker } from '@overtone/jobs';
import { createObjectStore } from '@overtone/object-store';
import { createService, createServiceBase, type Service } from '@overtone/service-kit';
import { createOutboundGuard, parseRanges } from '@overtone/service-kit/outbound';
import { createDestinationCheck } from './allowed-destination.ts';
import { createBackupSlice } from './backup/backup.slice.ts';
import type { OperationsEnv } from './env.ts';
import { createErasureSlice } from './erasure/erasure.slice.ts';
import { PrismaClient } from './generated/client.ts';
import { createMirrorSlice } from './mirror/mirror.slice.ts';
import { createTelemetry } from './telemetry.ts';

/** Operations: backups of the database and the mirror of the media, on a schedule and on request. */
export function createOperations(env: OperationsEnv): Service {
  const base = createServiceBase('operations', env);
  const { log, metrics, bus } = base;
  const { db, outbox, slice, relay } = createEventDatabase(base, (options) => new PrismaClient(options));
  const objects = createObjectStore(env);
  const recycling = createRecycling();
  createTelemetry({ metrics, db });
  const guard = createOutboundGuard({ allowedRanges: parseRanges(env.OT_OUTBOUND_ALLOWED_RANGES) });
  const checkDestination = createDestinationCheck(guard, env.OT_BACKUP_ROOTS);
  const backups = createBackupSlice({ db, outbox, bus, log, env, checkDestination });
  const mirror = createMirrorSlice({ db, outbox, bus, log, env, objects, checkDestination });
  const workerId = `operations-${hostname()}-${randomUUID().slice(0, 8)}`;
  return createService({
    ...base,
    recycling,
    slices: [
      slice,
      relay,
      {
        parts: [{ name: 'objects', start: async () => {}, stop: async () => objects.close() }],
        checks: { object_storage: { critical: false, probe: (signal) => objects.ping(signal) } },
      },
      backups,
      mirror,
      createErasureSlice({ db }),
      {
        jobs: [
          worker(
            operationsJobs,
            { backup: backups.run, mirror: mirror.run },
            { workerId, concurrency: concurrencyOf(operationsJobs), recycling },
          ),
        ],
      },
    ],
  });
}
