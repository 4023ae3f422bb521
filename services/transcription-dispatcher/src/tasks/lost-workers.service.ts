import type { Log, Sample } from '@overtone/service-kit';
import type { JobSignals } from '../queues/queues.ts';
import type { Leases } from '../workers/workers.ts';
import { lostWorker, type Failures } from './failures.service.ts';
import { isHeld } from './loss.ts';
import type { OpenTasks, RunningTask } from './open-tasks.read-model.ts';
import type { TaskStore } from './tasks.store.ts';

export type LostWorkersDeps = {
  openTasks: OpenTasks;
  tasks: Pick<TaskStore, 'requeue'>;
  failures: Pick<Failures, 'failLost'>;
  leases: Leases;
  signals: Pick<JobSignals, 'acknowledgeSignal'>;
  maxInfraRequeues: number;
  log: Log;
};
export type Recovered = { found: number; reset: number };

/** Requeues the tasks of lost workers: running tasks without a live lease. */
export function createLostWorkers({
  openTasks,
  tasks,
  failures,
  leases,
  signals,
  maxInfraRequeues,
  log,
}: LostWorkersDeps) {
  const withoutLiveLease = (running: RunningTask[]): RunningTask[] =>
    running.filter((task) => !isHeld(task, leases.of(task.id), Date.now()));

  /** @returns false when the task ended or was claimed again since it was read. */
  const requeueOrFail = async ({ id, token, stage, worker, ...task }: RunningTask): Promise<boolean> => {
    const infraRequeues = task.infraRequeues + 1;
    log.warn({ task_id: id, stage, worker, infra_requeues: infraRequeues }, 'worker lost');
    if (infraRequeues > maxInfraRequeues) return failures.failLost({ taskId: id, token });
    return tasks.requeue({ id, token, outcome: 'lost', error: lostWorker });
  };

  return {
    /** None while the lease watch is incomplete. */
    findLostTasks: (running: RunningTask[]): RunningTask[] => (leases.areComplete() ? withoutLiveLease(running) : []),

    /** Requeues lost tasks under a new token. */
    requeueAll: async (lost: RunningTask[]): Promise<Recovered> => {
      let reset = 0;
      for (const task of lost) {
        // Its lease may have been renewed since the tasks were read.
        if (withoutLiveLease([task]).length === 0) continue;
        const signal = leases.of(task.id)?.ticket;
        if (await requeueOrFail(task)) reset += 1;
        await leases.drop(task.id).catch(() => {});
        // The dead worker's signal; the requeued task has a new one.
        if (signal) signals.acknowledgeSignal(signal);
      }
      return { found: lost.length, reset };
    },

    /** Gauges of lost tasks; the lease gauge is omitted while the lease watch is incomplete. */
    samples: async (infraThreshold: number): Promise<Sample[]> => {
      const [running, files] = await Promise.all([
        openTasks.running(),
        openTasks.countInfraRequeuedFiles(infraThreshold),
      ]);
      return [
        ...(leases.areComplete()
          ? [{ name: 'transcription_runs_without_lease', value: withoutLiveLease(running).length }]
          : []),
        { name: 'transcription_files_infra_requeued', value: files },
      ];
    },
  };
}

export type LostWorkers = ReturnType<typeof createLostWorkers>;
