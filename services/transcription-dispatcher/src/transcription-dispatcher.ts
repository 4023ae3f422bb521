import { createEventDatabase, createSettingsStore } from '@overtone/database';
import { createService, createServiceBase, type Service } from '@overtone/service-kit';
import { createOutboundGuard, parseRanges } from '@overtone/service-kit/outbound';
import { createStatements } from './database.ts';
import type { DispatcherEnv } from './env.ts';
import { PrismaClient } from './generated/client.ts';
import { createGpuProfilesSlice } from './gpu-profiles/gpu-profiles.slice.ts';
import { createFiles, createPeople } from './ports/files.adapter.ts';
import { createModelsSlice } from './models/models.slice.ts';
import { createQueuesSlice } from './queues/queues.slice.ts';
import { createRunsSlice } from './runs/runs.slice.ts';
import { createAsrProvidersSlice } from './settings/asr-providers.slice.ts';
import { createSettingsSlice } from './settings/settings.slice.ts';
import { createTasksSlice } from './tasks/tasks.slice.ts';
import { createTaskStore } from './tasks/tasks.store.ts';
import { createWorkersSlice } from './workers/workers.slice.ts';

/** The dispatcher: selects the next task, tracks its holder, and handles failures and dead workers. */
export function createTranscriptionDispatcher(env: DispatcherEnv): Service {
  const base = createServiceBase('transcription-dispatcher', env);
  const { bus, log, metrics } = base;
  const database = createEventDatabase(base, (options) => new PrismaClient(options));
  const { db, outbox } = database;
  const statements = createStatements({ pool: database.pool, wake: database.wakeOutbox });
  const expressMaxSeconds = env.TRANSCRIPTION_EXPRESS_MAX_SECONDS;
  const tasks = createTaskStore({ db, statements, outbox, expressMaxSeconds });
  const files = createFiles({ bus });
  const people = createPeople({ bus });

  const settingsStore = createSettingsStore({ table: 'dispatcher_settings', keyRing: env.keyRing });
  const workersSlice = createWorkersSlice({ db, bus, listProviders: () => asr.listProviders() });
  const { workers, leases } = workersSlice;
  const guard = createOutboundGuard({ allowedRanges: parseRanges(env.OT_OUTBOUND_ALLOWED_RANGES) });
  const asr = createAsrProvidersSlice({ db, outbox, bus, store: settingsStore, workers, guard });
  const runsSlice = createRunsSlice({ db, outbox, bus, log, tasks, workers });
  const { runs } = runsSlice;
  const { fractionOf } = runs;
  const queuesSlice = createQueuesSlice({ db, outbox, bus, log, metrics, workers, leases, files, people, fractionOf });
  const { signals } = queuesSlice;

  return createService({
    ...base,
    slices: [
      database.slice,
      // Creates the buckets that the workers' slice watches.
      queuesSlice,
      workersSlice,
      // Publishes to the streams that the queues' slice creates: starts after them and stops before them.
      database.relay,
      runsSlice,
      createTasksSlice({
        env,
        db,
        statements,
        outbox,
        bus,
        log,
        metrics,
        tasks,
        runs,
        leases,
        signals,
        files,
        workers,
      }),
      createSettingsSlice({ db, outbox, store: settingsStore, workers }),
      asr,
      createModelsSlice({ db, outbox, bus }),
      createGpuProfilesSlice({ db, enabled: env.ENABLE_VRAM_PROFILING }),
    ],
  });
}
