import {
  jobDurable,
  queuesWithJobs,
  topology,
  type AnswerOf,
  type dispatcherRoutes,
  type Queue,
} from '@overtone/contracts';
import type { QueuePause } from '../generated/client.ts';

export type QueueObject = AnswerOf<typeof dispatcherRoutes.queues>['queues'][number];
/** A durable of JOBS as the broker lists it. */
export type QueueState = { durable: string; pending: number; unacknowledged: number };
export type QueueGauges = {
  depth: number;
  reserved: number;
  remote: number;
  orphaned: number;
  oldestUnackedSeconds: number;
};

/** The job signals in the broker. */
export type JobSignals = {
  /** Creates missing streams, durables and buckets; cheap when none is missing. */
  provision: () => Promise<void>;
  /**
   * Counts the messages that each durable delivers or has delivered. A message on JOBS may be neither: when the broker has
   * lost the messages but not the position of a durable, new ones before that position are never delivered.
   */
  countSignals: () => Promise<ReadonlyMap<string, number>>;
  /** Acknowledges a job signal on behalf of a dead worker. A lost acknowledgement is harmless. */
  acknowledgeSignal: (replySubject: string) => void;
  /** Sets what is called when JOBS had to be created: the broker is new or has lost its store. */
  onLoss: (notify: () => void) => void;
};

/** Every durable that the platform's jobs need, with the subjects it receives. */
export const durables: readonly { name: string; filter: string; ackWaitMs: number }[] = [
  ...new Map(
    Object.values(topology)
      .flatMap((service) => service.works)
      .map((job) => [
        jobDurable(job),
        { name: jobDurable(job), filter: `job.${job.queue}.${job.domain}.*`, ackWaitMs: job.policy.ackWaitMs },
      ]),
  ).values(),
];

export type QueueCounts = ReadonlyMap<string, { retrying: number; dead: number }>;
type Names = ReadonlyMap<string, string>;

export function pauseObjectOf(pause: QueuePause, names: Names): NonNullable<QueueObject['paused']> {
  return {
    reason: pause.reason,
    by: pause.pausedBy,
    by_name: names.get(pause.pausedBy) ?? null,
    at: pause.pausedAt.toISOString(),
  };
}

/** Every queue that has a job kind, including empty queues. */
export function queueObjectsOf(
  gauges: ReadonlyMap<Queue, QueueGauges>,
  counts: QueueCounts,
  pauses: QueuePause[],
  names: Names,
): QueueObject[] {
  return queuesWithJobs.map((queue) => {
    const { depth, reserved, orphaned, oldestUnackedSeconds } = gauges.get(queue) ?? emptyGauges;
    const paused = pauses.find((pause) => pause.queue === queue);
    return {
      queue,
      depth,
      reserved,
      orphaned,
      oldest_unacked_seconds: Math.round(Math.max(0, oldestUnackedSeconds) * 10) / 10,
      ...(counts.get(queue) ?? { retrying: 0, dead: 0 }),
      paused: paused ? pauseObjectOf(paused, names) : null,
    };
  });
}

const emptyGauges: QueueGauges = { depth: 0, reserved: 0, remote: 0, orphaned: 0, oldestUnackedSeconds: 0 };
