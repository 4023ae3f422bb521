import { jobDurable, stageJobs, workerJobs, type Stage, type waitingReasons } from '@overtone/contracts';
import type { WorkerState } from '../leases/leases.ts';

export type WaitingReason = (typeof waitingReasons)[number];

const speech = jobDurable(workerJobs.transcribe);
/** Shorter gaps (a worker restarting, a queue being worked off) are no reason to tell anybody. */
export const patienceMs = 5_000;

/**
 * Why a waiting stage cannot be begun, or null when a live worker takes such jobs (it may just be busy).
 * `paused`: an administrator holds its queue. `engine`: workers are there, but none has a speech engine. `worker`: there
 * is none at all for this kind of job.
 */
export const reasonFor = (
  stage: Stage,
  workers: WorkerState[],
  paused: readonly string[] = [],
): WaitingReason | null => {
  if (paused.includes(stageJobs[stage].queue)) return 'paused';
  const durable = jobDurable(stageJobs[stage]);
  const pulling = workers.filter((w) => w.pulls.includes(durable));
  if (durable !== speech) return pulling.length > 0 ? null : 'worker';
  const able = stage === 'transcribe' ? pulling.filter((w) => w.engine !== null) : pulling;
  if (able.length > 0) return null;
  return workers.some((w) => w.service === 'transcription-worker') ? 'engine' : 'worker';
};
