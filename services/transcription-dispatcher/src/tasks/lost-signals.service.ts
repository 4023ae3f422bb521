import type { Log } from '@overtone/service-kit';
import type { JobSignals } from '../queues/queues.ts';
import { messageGraceMs, missingSignals } from './loss.ts';
import type { OpenTasks } from './open-tasks.read-model.ts';
import type { TaskStore } from './tasks.store.ts';

export type LostSignalsDeps = {
  openTasks: OpenTasks;
  tasks: Pick<TaskStore, 'republishWaiting'>;
  signals: Pick<JobSignals, 'countSignals'>;
  log: Log;
};
const republishBatch = 1_000;

/** Publishes new job signals for waiting tasks whose signals the broker has lost. */
export function createLostSignals({ openTasks, tasks, signals, log }: LostSignalsDeps) {
  /** Publishes signals for up to `count` tasks waiting on a durable since before `cutoff`, in bounded transactions. */
  const republish = async (durable: string, count: number, cutoff: Date): Promise<number> => {
    let published = 0;
    for (let last = republishBatch; last === republishBatch && published < count; published += last) {
      last = await tasks.republishWaiting(durable, cutoff, Math.min(republishBatch, count - published));
    }
    return published;
  };

  return {
    replace: async (graceMs = messageGraceMs): Promise<number> => {
      const open = await openTasks.openByDurable(graceMs);
      if (open.length === 0) return 0;
      const cutoff = await openTasks.timeBeforeNow(graceMs);
      let published = 0;
      for (const [durable, count] of missingSignals(open, await signals.countSignals()))
        published += await republish(durable, count, cutoff);
      if (published > 0) log.warn({ count: published }, 'lost job signals republished');
      return published;
    },

    /** Publishes a job signal for every waiting task after the broker has lost its store. */
    rebuildQueue: async (): Promise<void> => {
      const cutoff = await openTasks.timeBeforeNow(0);
      let published = 0;
      for (const { durable, open } of await openTasks.openByDurable(0))
        published += await republish(durable, open, cutoff);
      if (published > 0) log.warn({ count: published }, 'queue rebuilt from the database');
    },
  };
}

export type LostSignals = ReturnType<typeof createLostSignals>;
