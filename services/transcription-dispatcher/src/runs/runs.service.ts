import { randomUUID } from 'node:crypto';
import {
  transcriptionEvents,
  transcriptionLive,
  type DataOf,
  type mediaEvents,
  type RunOptions,
  type Stage,
} from '@overtone/contracts';
import type { Outbox } from '@overtone/database';
import type { Bus, Delivery } from '@overtone/service-kit';
import { txOptions, type Db, type Tx } from '../database.ts';
import type { Run } from '../generated/client.ts';
import type { JobRequests, Priority } from '../job-requests/job-requests.ts';
import type { Timing } from '../timing/timing.ts';
import { outcomeOfFailure } from './sequence.ts';
import { factsOf, runsStore as store } from './runs.store.ts';

export type RunsDeps = {
  db: Db;
  outbox: Outbox;
  jobRequests: JobRequests;
  timing: Timing;
  bus: Pick<Bus, 'publishLive'>;
};
type RunRequest = {
  fileId: string;
  ownerId: string;
  objectKey: string;
  contentType: string;
  options: RunOptions;
};

const noOptions: RunOptions = { language: null, minSpeakers: null, maxSpeakers: null, diarize: true };

/** Opens, advances and ends runs. Methods that take a `tx` run in the caller's transaction. */
export function createRuns({ db, outbox, jobRequests, timing, bus }: RunsDeps) {
  /** Tells workers to stop cancelled tasks, after the commit. May be lost: the tokens are invalid already. */
  const notifyWorkers = (tasks: string[]) => {
    for (const taskId of tasks) bus.publishLive(transcriptionLive.taskCancelled, { taskId });
  };

  const open = async (
    tx: Tx,
    request: RunRequest,
    priority: Priority,
    delivery: Pick<Delivery, 'id' | 'time'>,
  ): Promise<Run> => {
    await discardFailedTasks(tx, request.fileId);
    const run = await store.insert(tx, {
      ...request,
      priority,
      id: randomUUID(),
      openedBy: delivery.id,
      orderedAt: delivery.time,
      traceparent: jobRequests.traceparent(),
      status: 'running',
    });
    await timing.open(tx, run);
    await outbox.add(tx, transcriptionEvents.runOpened, idsOf(run));
    await jobRequests.enqueue(tx, 'prepare', factsOf(run), []);
    return run;
  };

  return {
    /** Opens the first run of an uploaded file; does nothing when the file has a run already. */
    uploaded: async (data: DataOf<typeof mediaEvents.uploaded>, delivery: Pick<Delivery, 'id' | 'time'>) =>
      db.$transaction(async (tx) => {
        await store.lockFile(tx, data.fileId);
        if (await store.latest(tx, data.fileId)) return;
        await open(tx, toRunRequest(data), priorityOf(data.source), delivery);
      }, txOptions),

    /** Opens a new run. Supersedes a running one without an event; its late results are rejected by their tokens. */
    reprocess: async (data: DataOf<typeof mediaEvents.reprocessOrdered>, delivery: Pick<Delivery, 'id' | 'time'>) => {
      const stopped = await db.$transaction(async (tx) => {
        await store.lockFile(tx, data.fileId);
        if (await store.openedBy(tx, delivery.id)) return [];
        const current = await store.running(tx, data.fileId);
        // A later request was handled first: this one is obsolete.
        if (current && current.orderedAt > delivery.time) return [];
        const tasks = current ? await store.end(tx, current.id, 'cancelled') : [];
        await open(tx, toRunRequest(data), 0, delivery);
        return tasks;
      }, txOptions);
      notifyWorkers(stopped);
    },

    /**
     * Cancels the file's run. A request that arrives before its upload inserts a cancelled run, so that the upload opens
     * none. A request older than the run is ignored, because it refers to an earlier one.
     */
    cancel: async (data: { fileId: string; ownerId: string }, delivery: Pick<Delivery, 'id' | 'time'>) => {
      const stopped = await db.$transaction(async (tx) => {
        await store.lockFile(tx, data.fileId);
        const run = await store.running(tx, data.fileId);
        if (run && run.orderedAt > delivery.time) return [];
        if (run) {
          await discardFailedTasks(tx, data.fileId);
          await outbox.add(tx, transcriptionEvents.runCancelled, idsOf(run));
          return store.end(tx, run.id, 'cancelled');
        }
        if (await store.latest(tx, data.fileId)) return [];
        const tombstone = await store.insert(tx, {
          ...data,
          id: randomUUID(),
          objectKey: '',
          contentType: '',
          options: noOptions,
          openedBy: delivery.id,
          orderedAt: delivery.time,
          traceparent: null,
          priority: 1,
          status: 'cancelled',
        });
        await outbox.add(tx, transcriptionEvents.runCancelled, idsOf(tombstone));
        return [];
      }, txOptions);
      notifyWorkers(stopped);
    },

    /** Cancels tasks outside a run and discards failed ones of a deleted file. */
    cancelIndexTasks: async (fileId: string) => {
      await db.task.updateMany({
        where: { fileId, runId: null, status: { in: ['pending', 'in_progress'] } },
        data: { status: 'cancelled', token: { increment: 1 }, completedAt: new Date(), nextAttemptAt: null },
      });
      await discardFailedTasks(db, fileId);
    },

    /** Enqueues the indexing of a stored final transcript. */
    transcriptStored: async ({ runId, provisional, transcriptVersion }: DataOf<typeof mediaEvents.transcriptStored>) =>
      provisional
        ? undefined
        : db.$transaction(async (tx) => {
            const run = await store.lock(tx, runId);
            if (run?.status !== 'running') return;
            const results = await store.results(tx, runId);
            if (!results.some((r) => r.stage === 'assemble')) return;
            await jobRequests.enqueue(tx, 'index', factsOf(run), results, { transcriptVersion });
          }, txOptions),

    /** Handles a stage that has failed permanently. */
    giveUp: async (tx: Tx, run: Run, stage: Stage, error: { code: string; message: string; retryable: boolean }) => {
      const outcome = outcomeOfFailure(stage, error.message);
      await store.failStage(tx, run.id, stage);
      if (outcome.kind === 'fail-run') {
        await store.end(tx, run.id, 'failed');
        await timing.close(tx, run.id);
        await outbox.add(tx, transcriptionEvents.runFailed, { ...idsOf(run), stage, ...error });
        return;
      }
      const warnings = [...run.warnings.filter((w) => w !== outcome.note), outcome.note];
      if (outcome.kind === 'finish-without') {
        await store.end(tx, run.id, 'completed', warnings);
        await timing.close(tx, run.id);
        await outbox.add(tx, transcriptionEvents.runCompleted, { ...idsOf(run), warnings, dropped: [] });
        return;
      }
      await tx.run.update({ where: { id: run.id }, data: { warnings } });
      await jobRequests.enqueue(tx, 'assemble', factsOf(run), await store.results(tx, run.id), {
        degraded: outcome.note,
      });
    },
  };
}

function idsOf(run: Run) {
  return { runId: run.id, fileId: run.fileId, ownerId: run.ownerId };
}

/** Files of the watch folder have normal priority; a user waits for all others. */
function priorityOf(source: DataOf<typeof mediaEvents.uploaded>['source']): Priority {
  return source === 'watch' ? 1 : 0;
}

export type Runs = ReturnType<typeof createRuns>;

/** Discards a file's dead jobs when it is processed again, cancelled or deleted. */
function discardFailedTasks(tx: Tx, fileId: string) {
  return tx.task.updateMany({
    where: { fileId, status: 'failed', discardedAt: null },
    data: { discardedAt: new Date() },
  });
}

function toRunRequest({ fileId, ownerId, objectKey, contentType, options }: RunRequest): RunRequest {
  return {
    fileId,
    ownerId,
    objectKey,
    contentType,
    options,
  };
}
