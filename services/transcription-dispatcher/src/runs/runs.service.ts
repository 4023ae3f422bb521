import {
  transcriptionEvents,
  transcriptionLive,
  type DataOf,
  type mediaEvents,
  type RunOptions,
} from '@overtone/contracts';
import type { Outbox } from '@overtone/database';
import { carrier, type Bus, type Delivery } from '@overtone/service-kit';
import type { Db, Tx } from '../database.ts';
import type { Priority, RunFacts, RunTasks } from './runs.ts';
import { factsOf, idsOf, runsStore as store } from './runs.store.ts';
import type { Timing } from './timing.store.ts';

export type RunsDeps = {
  db: Db;
  outbox: Outbox;
  tasks: RunTasks;
  timing: Timing;
  bus: Pick<Bus, 'publishLive'>;
};
type RunRequest = Pick<RunFacts, 'fileId' | 'ownerId' | 'objectKey' | 'contentType' | 'options'>;
type Origin = Pick<Delivery, 'id' | 'time'>;

const noOptions: RunOptions = { language: null, minSpeakers: null, maxSpeakers: null, diarize: true };
/** A cancelled run for a file without a run, so that a late upload opens none. */
const tombstone = {
  objectKey: '',
  contentType: '',
  options: noOptions,
  traceparent: null,
  priority: 1,
  status: 'cancelled',
} as const;

/** Opens runs, and enqueues the indexing of their transcripts. */
export function createRuns({ db, outbox, tasks, timing, bus }: RunsDeps) {
  const open = async (tx: Tx, request: RunRequest, priority: Priority, { id, time }: Origin): Promise<void> => {
    await tasks.discardDeadOfFile(tx, request.fileId);
    const { fileId, ownerId, objectKey, contentType, options } = request;
    const file = { fileId, ownerId, objectKey, contentType, options };
    const run = await store.insert(tx, {
      ...file,
      priority,
      openedBy: id,
      orderedAt: time,
      traceparent: carrier().traceparent ?? null,
      status: 'running',
    });
    await timing.open(tx, run);
    await outbox.add(tx, transcriptionEvents.runOpened, idsOf(run));
    await tasks.enqueue(tx, 'prepare', factsOf(run), []);
  };

  return {
    /** Opens the first run of an uploaded file; does nothing when the file has a run already. */
    openFirst: (data: DataOf<typeof mediaEvents.uploaded>, delivery: Origin): Promise<void> =>
      db.$transaction(async (tx) => {
        await store.lockFile(tx, data.fileId);
        if (await store.latest(tx, data.fileId)) return;
        await open(tx, data, priorityOf(data.source), delivery);
      }),

    /** Opens a new run. Supersedes a running one without an event; its late results are rejected by their tokens. */
    openAgain: async (data: DataOf<typeof mediaEvents.reprocessOrdered>, delivery: Origin): Promise<void> => {
      const stopped = await db.$transaction(async (tx) => {
        await store.lockFile(tx, data.fileId);
        if (await store.openedBy(tx, delivery.id)) return [];
        const current = await store.running(tx, data.fileId);
        // A later request was handled first: this one is obsolete.
        if (current && current.orderedAt > delivery.time) return [];
        const cancelled = current ? await stopRun(tx, tasks, { runId: current.id, status: 'cancelled' }) : [];
        await open(tx, data, 0, delivery);
        return cancelled;
      });
      notifyWorkers(bus, stopped);
    },

    /** Enqueues the indexing of a stored final transcript. */
    enqueueIndex: async (data: DataOf<typeof mediaEvents.transcriptStored>): Promise<void> => {
      const { runId, provisional, transcriptVersion } = data;
      if (provisional) return;
      await db.$transaction(async (tx) => {
        const run = await store.lock(tx, runId);
        if (run?.status !== 'running') return;
        const results = await store.results(tx, runId);
        if (!results.some(({ stage }) => stage === 'assemble')) return;
        await tasks.enqueue(tx, 'index', factsOf(run), results, { transcriptVersion });
      });
    },
  };
}

/** Cancels the runs of stopped and deleted files. */
export function createCancellation({ db, outbox, tasks, bus }: Omit<RunsDeps, 'timing'>) {
  /**
   * Cancels the file's run. A request that arrives before its upload inserts a cancelled run, so that the upload opens
   * none. A request older than the run is ignored, because it refers to an earlier one.
   */
  const cancel = async (file: { fileId: string; ownerId: string }, delivery: Origin): Promise<void> => {
    const stopped = await db.$transaction(async (tx) => {
      await store.lockFile(tx, file.fileId);
      const run = await store.running(tx, file.fileId);
      if (run && run.orderedAt > delivery.time) return [];
      if (run) {
        await tasks.discardDeadOfFile(tx, file.fileId);
        await outbox.add(tx, transcriptionEvents.runCancelled, idsOf(run));
        return stopRun(tx, tasks, { runId: run.id, status: 'cancelled' });
      }
      if (await store.latest(tx, file.fileId)) return [];
      const origin = { openedBy: delivery.id, orderedAt: delivery.time };
      const cancelled = await store.insert(tx, { ...tombstone, fileId: file.fileId, ownerId: file.ownerId, ...origin });
      await outbox.add(tx, transcriptionEvents.runCancelled, idsOf(cancelled));
      return [];
    });
    notifyWorkers(bus, stopped);
  };

  return {
    cancel,
    /** Cancels the run and the index tasks of a deleted file, and discards its dead jobs. */
    forgetFile: async (file: { fileId: string; ownerId: string }, delivery: Origin): Promise<void> => {
      await cancel(file, delivery);
      await tasks.cancelStandaloneTasks(db, file.fileId);
      await tasks.discardDeadOfFile(db, file.fileId);
    },
  };
}

/** Ends a run without a result, with its open tasks and stages. @returns the cancelled tasks. */
export async function stopRun(
  tx: Tx,
  tasks: Pick<RunTasks, 'cancelTasksOfRun'>,
  { runId, status }: { runId: string; status: 'failed' | 'cancelled' },
): Promise<string[]> {
  await store.end(tx, runId, status);
  // Locks tasks before stages, as a claim does.
  const cancelled = await tasks.cancelTasksOfRun(tx, runId);
  await store.cancelOpenStages(tx, runId);
  return cancelled;
}

/** Tells workers to stop cancelled tasks, after the commit. May be lost: the tokens are invalid already. */
function notifyWorkers(bus: Pick<Bus, 'publishLive'>, tasks: string[]): void {
  for (const taskId of tasks) bus.publishLive(transcriptionLive.taskCancelled, { taskId });
}

/** Files of the watch folder have normal priority; a user waits for all others. */
function priorityOf(source: DataOf<typeof mediaEvents.uploaded>['source']): Priority {
  return source === 'watch' ? 1 : 0;
}
