import { jobDurable, stageJobs, workerJobs, type Stage, type waitingReasons } from '@overtone/contracts';
import type { WorkerState } from '../workers/workers.ts';

export type WaitingReason = (typeof waitingReasons)[number];

const speech = jobDurable(workerJobs.transcribe);
/** Shorter waits (a restarting worker, a busy queue) are not reported. */
export const reportAfterMs = 5_000;

/**
 * Why a waiting stage cannot start, or null when a live worker takes such jobs (it may be busy).
 * `paused`: an administrator paused the queue. `engine`: workers are live, but none has a speech engine. `worker`: no
 * worker takes this kind of job.
 */
export function reasonFor(stage: Stage, workers: WorkerState[], paused: readonly string[] = []): WaitingReason | null {
  if (paused.includes(stageJobs[stage].queue)) return 'paused';
  const durable = jobDurable(stageJobs[stage]);
  const pulling = workers.filter((worker) => worker.pulls.includes(durable));
  if (durable !== speech) return pulling.length > 0 ? null : 'worker';
  const able = stage === 'transcribe' ? pulling.filter((worker) => worker.engine !== null) : pulling;
  if (able.length > 0) return null;
  return workers.some((worker) => worker.service === 'transcription-worker') ? 'engine' : 'worker';
}
