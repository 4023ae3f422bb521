import { mediaEvents, transcriptionLive, userErasureOrdered } from '@overtone/contracts';
import type { Outbox } from '@overtone/database';
import { consumer, periodic, restingPeriodic, type Bus, type Log, type Slice } from '@overtone/service-kit';
import type { Db } from '../database.ts';
import type { Workers } from '../workers/workers.ts';
import { createErasure } from './erasure.service.ts';
import { createOutcomes, createReminders } from './outcomes.service.ts';
import { createProgress } from './progress.service.ts';
import { createCancellation, createRuns } from './runs.service.ts';
import type { Runs, RunTasks } from './runs.ts';
import { runsStore } from './runs.store.ts';
import { createTiming } from './timing.store.ts';
import { createWaiting } from './waiting.service.ts';

export type RunsSliceDeps = { db: Db; outbox: Outbox; bus: Bus; log: Log; tasks: RunTasks; workers: Workers };

/** The runs of files through their stages: opening, cancelling, outcomes, progress and waiting reasons. */
export function createRunsSlice({ db, outbox, bus, log, tasks, workers }: RunsSliceDeps): Slice & { runs: Runs } {
  const timing = createTiming({ db });
  const runs = createRuns({ db, outbox, tasks, timing, bus });
  const { cancel, forgetFile } = createCancellation({ db, outbox, tasks, bus });
  const progress = createProgress({ db, bus, rates: timing.rates, log });
  const waiting = createWaiting({ db, outbox, workers: workers.live });

  return {
    runs: {
      lockFile: runsStore.lockFile,
      lock: runsStore.lock,
      latest: runsStore.latest,
      retryStage: runsStore.reviveStage,
      ...createOutcomes({ db, outbox, tasks, timing, log }),
      ...createReminders({ db, outbox, log }),
      fractionOf: progress.fractionOf,
    },
    consumers: [
      /** A file was uploaded: opens its first run, once. */
      consumer(mediaEvents.uploaded, 'start-run', runs.openFirst),
      /** A user requested a new transcription: a new run supersedes the running one. */
      consumer(mediaEvents.reprocessOrdered, 'restart-run', runs.openAgain),
      /** A user stopped a file: cancels its run and notifies its workers. */
      consumer(mediaEvents.cancelOrdered, 'cancel-run', cancel),
      /** A file was deleted: cancels its run and its index tasks. */
      consumer(mediaEvents.deleted, 'forget-file', forgetFile),
      /** Media stored the final transcript: enqueues its indexing. */
      consumer(mediaEvents.transcriptStored, 'order-index', runs.enqueueIndex),
      /** A person is erased: cancels their runs, deletes tasks and results, and keeps runs without a name. */
      consumer(userErasureOrdered, 'erase-person', createErasure({ db, outbox, cancel })),
    ],
    periodics: [
      restingPeriodic('update waiting reasons', 2_000, waiting.update, tasks.nextCheck),
      periodic('repeat progress', 2_000, progress.republish),
    ],
    parts: [
      {
        name: 'progress',
        start: async () => bus.subscribeLive(transcriptionLive.taskProgress, progress.receive),
        stop: async () => {},
      },
    ],
  };
}
