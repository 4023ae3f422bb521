import { queuesWithJobs, type AnswerOf, type dispatcherRoutes, type Queue } from '@overtone/contracts';
import type { QueueGauges } from '../broker/broker.ts';
import type { QueuePause, WorkerSeen } from '../generated/client.ts';
import type { WorkerState } from '../leases/leases.ts';

type Overview = AnswerOf<typeof dispatcherRoutes.queues>;
export type QueueObject = Overview['queues'][number];
export type WorkerObject = Overview['workers'][number];
type Doing = WorkerObject['doing'][number];

/** Offline workers stay so long (specification, "Limits": task monitor). */
export const offlineForMs = 600_000;

export type QueueCounts = ReadonlyMap<string, { retrying: number; dead: number }>;
type Names = ReadonlyMap<string, string>;

export const pauseObjectOf = (p: QueuePause, names: Names): NonNullable<QueueObject['paused']> => ({
  reason: p.reason,
  by: p.pausedBy,
  by_name: names.get(p.pausedBy) ?? null,
  at: p.pausedAt.toISOString(),
});

/** Every queue that has a job kind, including empty queues. */
export const queueObjectsOf = (
  gauges: ReadonlyMap<Queue, QueueGauges>,
  counts: QueueCounts,
  pauses: QueuePause[],
  names: Names,
): QueueObject[] =>
  queuesWithJobs.map((queue) => {
    const { depth, reserved, orphaned, oldestUnackedSeconds } = gauges.get(queue) ?? nothing;
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
const nothing: QueueGauges = { depth: 0, reserved: 0, orphaned: 0, oldestUnackedSeconds: 0 };

export type RunningTask = Doing & { worker: string };
const workerId = (key: string): string => key.replace(/^worker\./, '');

/** Workers that speak up now, and those that fell silent a short while ago; what each does. */
export const workerObjectsOf = (
  fleet: ReadonlyMap<string, WorkerState>,
  seen: WorkerSeen[],
  running: RunningTask[],
  now: number,
): WorkerObject[] => {
  const live = new Map([...fleet].flatMap(([key, w]) => (w.expiresAt > now ? [[workerId(key), w] as const] : [])));
  const known = new Map(seen.map((s) => [s.id, s]));
  const doing = (id: string): Doing[] => running.flatMap(({ worker, ...task }) => (worker === id ? [task] : []));
  const online = [...live].map(([id, w]): WorkerObject => {
    const since = known.get(id)?.firstSeenAt ?? new Date(now);
    const heard = { state: 'online', since: since.toISOString(), last_seen: new Date(now).toISOString() } as const;
    return { id, service: w.service, pulls: w.pulls, engine: w.engine, note: w.engineNote, ...heard, doing: doing(id) };
  });
  const offline = seen
    .filter((s) => !live.has(s.id) && now - s.lastSeenAt.getTime() <= offlineForMs)
    .map((s): WorkerObject => ({
      id: s.id,
      service: s.service,
      pulls: s.pulls,
      engine: s.engine as WorkerObject['engine'],
      note: s.engineNote,
      state: 'offline',
      since: s.firstSeenAt.toISOString(),
      last_seen: s.lastSeenAt.toISOString(),
      doing: doing(s.id),
    }));
  return [...online.toSorted(byName), ...offline.toSorted((a, b) => b.last_seen.localeCompare(a.last_seen))];
};
const byName = (a: WorkerObject, b: WorkerObject): number =>
  a.service.localeCompare(b.service) || a.id.localeCompare(b.id);
