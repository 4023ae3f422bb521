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
import type { Orders, Priority } from '../orders/orders.ts';
import type { Timing } from '../timing/timing.ts';
import { verdictOn } from './sequence.ts';
import { factsOf, runsStore as store } from './runs.store.ts';

export type RunsDeps = { db: Db; outbox: Outbox; orders: Orders; timing: Timing; bus: Pick<Bus, 'say'> };
type Opening = {
  fileId: string;
  ownerId: string;
  objectKey: string;
  contentType: string;
  options: RunOptions;
};
/** People wait for what they hand in and for what they order anew; what is found by itself is as usual. */
const urgencyOf = (source: DataOf<typeof mediaEvents.uploaded>['source']): Priority => (source === 'watch' ? 1 : 0);
const idsOf = (run: Run) => ({ runId: run.id, fileId: run.fileId, ownerId: run.ownerId });
const noOptions: RunOptions = { language: null, minSpeakers: null, maxSpeakers: null, diarize: true };

/** Runs: opened, led from stage to stage, ended. Every method that takes a `tx` only works inside the caller's. */
export const createRuns = ({ db, outbox, orders, timing, bus }: RunsDeps) => {
  /** Workers stop what nobody wants any more; only told after the commit, and harmless when lost (tokens are dead). */
  const tellWorkers = (tasks: string[]) => {
    for (const taskId of tasks) bus.say(transcriptionLive.taskCancelled, { taskId });
  };

  const open = async (
    tx: Tx,
    opening: Opening,
    priority: Priority,
    delivery: Pick<Delivery, 'id' | 'time'>,
  ): Promise<Run> => {
    await buryDead(tx, opening.fileId);
    const run = await store.insert(tx, {
      ...opening,
      priority,
      id: randomUUID(),
      openedBy: delivery.id,
      orderedAt: delivery.time,
      traceparent: orders.traceparent(),
      status: 'running',
    });
    await timing.open(tx, run);
    await outbox.add(tx, transcriptionEvents.runOpened, idsOf(run));
    await orders.place(tx, 'prepare', factsOf(run), []);
    return run;
  };

  return {
    /** A file was uploaded: open its first run. A second delivery, or a file that has a run already, opens nothing. */
    uploaded: async (data: DataOf<typeof mediaEvents.uploaded>, delivery: Pick<Delivery, 'id' | 'time'>) =>
      db.$transaction(async (tx) => {
        await store.lockFile(tx, data.fileId);
        if (await store.latest(tx, data.fileId)) return;
        await open(tx, openingOf(data), urgencyOf(data.source), delivery);
      }, txOptions),

    /** Everything again: an earlier run is superseded in silence, its late results are refused by their tokens. */
    reprocess: async (data: DataOf<typeof mediaEvents.reprocessOrdered>, delivery: Pick<Delivery, 'id' | 'time'>) => {
      const stopped = await db.$transaction(async (tx) => {
        await store.lockFile(tx, data.fileId);
        if (await store.openedBy(tx, delivery.id)) return [];
        const old = await store.running(tx, data.fileId);
        // A later order was handled first: this one is history.
        if (old && old.orderedAt > delivery.time) return [];
        const tasks = old ? await store.end(tx, old.id, 'cancelled') : [];
        await open(tx, openingOf(data), 0, delivery);
        return tasks;
      }, txOptions);
      tellWorkers(stopped);
    },

    /**
     * Stop the file's run. `forget` is for a deleted file. An order that overtakes the upload it is about leaves an
     * ended run behind, so that the upload opens none; an order older than the run is about an earlier one.
     */
    cancel: async (data: { fileId: string; ownerId: string }, delivery: Pick<Delivery, 'id' | 'time'>) => {
      const stopped = await db.$transaction(async (tx) => {
        await store.lockFile(tx, data.fileId);
        const run = await store.running(tx, data.fileId);
        if (run && run.orderedAt > delivery.time) return [];
        if (run) {
          await buryDead(tx, data.fileId);
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
      tellWorkers(stopped);
    },

    /** Orders outside a run are dropped with their file, and what failed of it is of no use to anybody. */
    dropOrders: async (fileId: string) => {
      await db.task.updateMany({
        where: { fileId, runId: null, status: { in: ['pending', 'in_progress'] } },
        data: { status: 'cancelled', token: { increment: 1 }, completedAt: new Date(), nextAttemptAt: null },
      });
      await buryDead(db, fileId);
    },

    /** The transcript people read is stored: order the index of it. */
    transcriptStored: async ({ runId, provisional, transcriptVersion }: DataOf<typeof mediaEvents.transcriptStored>) =>
      provisional
        ? undefined
        : db.$transaction(async (tx) => {
            const run = await store.lock(tx, runId);
            if (run?.status !== 'running') return;
            const results = await store.results(tx, runId);
            if (!results.some((r) => r.stage === 'assemble')) return;
            await orders.place(tx, 'index', factsOf(run), results, { transcriptVersion });
          }, txOptions),

    /** A stage has used up its attempts, or can never succeed. */
    giveUp: async (tx: Tx, run: Run, stage: Stage, error: { code: string; message: string; retryable: boolean }) => {
      const verdict = verdictOn(stage, error.message);
      await store.failStage(tx, run.id, stage);
      if (verdict.kind === 'fail-run') {
        await store.end(tx, run.id, 'failed');
        await timing.close(tx, run.id);
        await outbox.add(tx, transcriptionEvents.runFailed, { ...idsOf(run), stage, ...error });
        return;
      }
      const warnings = [...run.warnings.filter((w) => w !== verdict.note), verdict.note];
      if (verdict.kind === 'finish-without') {
        await store.end(tx, run.id, 'completed', warnings);
        await timing.close(tx, run.id);
        await outbox.add(tx, transcriptionEvents.runCompleted, { ...idsOf(run), warnings, dropped: [] });
        return;
      }
      await tx.run.update({ where: { id: run.id }, data: { warnings } });
      await orders.place(tx, 'assemble', factsOf(run), await store.results(tx, run.id), { degraded: verdict.note });
    },
  };
};
export type Runs = ReturnType<typeof createRuns>;

/** What failed of a file is no longer dead once everything is done anew or stopped, or the file is gone. */
const buryDead = (tx: Tx, fileId: string) =>
  tx.task.updateMany({ where: { fileId, status: 'failed', discardedAt: null }, data: { discardedAt: new Date() } });

const openingOf = ({ fileId, ownerId, objectKey, contentType, options }: Opening): Opening => ({
  fileId,
  ownerId,
  objectKey,
  contentType,
  options,
});
