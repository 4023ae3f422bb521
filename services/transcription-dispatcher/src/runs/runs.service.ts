import { randomUUID } from 'node:crypto';
import {
  transcriptionEvents,
  transcriptionLive,
  type DataOf,
  type mediaEvents,
  type RunOptions,
} from '@overtone/contracts';
import type { Outbox } from '@overtone/database';
import { carrier, type Bus, type Delivery } from '@overtone/service-kit';
import { txOptions, type Db, type Tx } from '../database.ts';
import type { Run } from '../generated/client.ts';
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

/** Opens runs, and enqueues the indexing of their transcripts. */
export function createRuns({ db, outbox, tasks, timing, bus }: RunsDeps) {
  const open = async (tx: Tx, request: RunRequest, priority: Priority, { id, time }: Origin): Promise<void> => {
    await tasks.discardDeadOfFile(tx, request.fileId);
    const { fileId, ownerId, objectKey, contentType, options } = request;
    const run = await store.insert(tx, {
      fileId,
      ownerId,
      objectKey,
      contentType,
      options,
      priority,
      id: randomUUID(),
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
      }, txOptions),

    /** Opens a new run. Supersedes a running one without an event; its late results are rejected by their tokens. */
    openAgain: async (data: DataOf<typeof mediaEvents.reprocessOrdered>, delivery: Origin): Promise<void> => {
      const stopped = await db.$transaction(async (tx) => {
        await store.lockFile(tx, data.fileId);
        if (await store.openedBy(tx, delivery.id)) return [];
        const current = await store.running(tx, data.fileId);
        // A later request was handled first: this one is obsolete.
        if (current && current.orderedAt > delivery.time) return [];
        const cancelled = current ? await stopRun({ tx, runId: current.id, status: 'cancelled', tasks }) : [];
        await open(tx, data, 0, delivery);
        return cancelled;
      }, txOptions);
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
      }, txOptions);
    },
  };
}

/** Cancels the runs of stopped and deleted files. */
export function createCancellation({ db, outbox, tasks, bus }: Omit<RunsDeps, 'timing'>) {
  /** A cancelled run for a file without a run, so that a late upload opens none. */
  const insertTombstone = (tx: Tx, file: { fileId: string; ownerId: string }, { id, time }: Origin): Promise<Run> =>
    store.insert(tx, {
      fileId: file.fileId,
      ownerId: file.ownerId,
      id: randomUUID(),
      objectKey: '',
      contentType: '',
      options: noOptions,
      openedBy: id,
      orderedAt: time,
      traceparent: null,
      priority: 1,
      status: 'cancelled',
    });

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
        return stopRun({ tx, runId: run.id, status: 'cancelled', tasks });
      }
      if (await store.latest(tx, file.fileId)) return [];
      await outbox.add(tx, transcriptionEvents.runCancelled, idsOf(await insertTombstone(tx, file, delivery)));
      return [];
    }, txOptions);
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
export async function stopRun({
  tx,
  runId,
  status,
  tasks,
}: {
  tx: Tx;
  runId: string;
  status: 'failed' | 'cancelled';
  tasks: Pick<RunTasks, 'cancelTasksOfRun'>;
}): Promise<string[]> {
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
