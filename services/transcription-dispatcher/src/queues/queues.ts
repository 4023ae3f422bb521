import { queuesWithJobs, type AnswerOf, type dispatcherRoutes, type Queue } from '@overtone/contracts';
import type { QueueGauges } from '../broker/broker.ts';
import type { QueuePause, WorkerSeen } from '../generated/client.ts';
import type { WorkerState } from '../leases/leases.ts';

type Overview = AnswerOf<typeof dispatcherRoutes.queues>;
export type QueueObject = Overview['queues'][number];
export type WorkerObject = Overview['workers'][number];
type Doing = WorkerObject['doing'][number];

/** Offline workers are shown for this long (specification, "Limits": task monitor). */
export const showOfflineMs = 600_000;

export type QueueCounts = ReadonlyMap<string, { retrying: number; dead: number }>;
type Names = ReadonlyMap<string, string>;

export function pauseObjectOf(p: QueuePause, names: Names): NonNullable<QueueObject['paused']> {
  return {
    reason: p.reason,
    by: p.pausedBy,
    by_name: names.get(p.pausedBy) ?? null,
    at: p.pausedAt.toISOString(),
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
    const paused = pauses.find((p) => p.queue === queue);
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

const emptyGauges: QueueGauges = { depth: 0, reserved: 0, orphaned: 0, oldestUnackedSeconds: 0 };

export type RunningTask = Doing & { worker: string };

function workerId(key: string): string {
  return key.replace(/^worker\./, '');
}

/** Online workers and those that went offline recently, with their running tasks. */
export function workerObjectsOf(
  fleet: ReadonlyMap<string, WorkerState>,
  seen: WorkerSeen[],
  running: RunningTask[],
  now: number,
): WorkerObject[] {
  const live = new Map([...fleet].flatMap(([key, w]) => (w.expiresAt > now ? [[workerId(key), w] as const] : [])));
  const known = new Map(seen.map((recorded) => [recorded.id, recorded]));
  const doing = (id: string): Doing[] => running.flatMap(({ worker, ...task }) => (worker === id ? [task] : []));
  const online = [...live].map(([id, w]): WorkerObject => {
    const since = known.get(id)?.firstSeenAt ?? new Date(now);
    const presence = { state: 'online', since: since.toISOString(), last_seen: new Date(now).toISOString() } as const;
    return {
      id,
      service: w.service,
      pulls: w.pulls,
      engine: w.engine,
      note: w.engineNote,
      ...presence,
      doing: doing(id),
    };
  });
  const offline = seen
    .filter((recorded) => !live.has(recorded.id) && now - recorded.lastSeenAt.getTime() <= showOfflineMs)
    .map((recorded): WorkerObject => ({
      id: recorded.id,
      service: recorded.service,
      pulls: recorded.pulls,
      engine: recorded.engine as WorkerObject['engine'],
      note: recorded.engineNote,
      state: 'offline',
      since: recorded.firstSeenAt.toISOString(),
      last_seen: recorded.lastSeenAt.toISOString(),
      doing: doing(recorded.id),
    }));
  return [...online.toSorted(byName), ...offline.toSorted((a, b) => b.last_seen.localeCompare(a.last_seen))];
}

function byName(a: WorkerObject, b: WorkerObject): number {
  return a.service.localeCompare(b.service) || a.id.localeCompare(b.id);
}
