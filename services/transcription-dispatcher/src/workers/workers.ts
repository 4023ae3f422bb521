import {
  liveness,
  type AnswerOf,
  type dispatcherRoutes,
  type leaseValue,
  type AsrProvider,
  type dispatcherRpc,
  type ProviderState,
  type ReplyOf,
  type ReportedSettings,
  type workerValue,
} from '@overtone/contracts';
import type { z } from 'zod';
import type { WorkerSeen } from '../generated/client.ts';

export type Lease = z.infer<typeof leaseValue>;
export type WorkerState = z.infer<typeof workerValue>;

/** The leases of running tasks, mirrored from the broker. */
export type Leases = {
  entries: () => ReadonlyMap<string, Lease>;
  of: (taskId: string) => Lease | undefined;
  drop: (taskId: string) => Promise<void>;
  /** Whether the watch has lasted long enough that a missing lease means a lost worker. */
  areComplete: () => boolean;
};

/** The workers that send heartbeats, mirrored from the broker. */
export type Workers = {
  /** The live workers, or null while they are not known. */
  live: () => WorkerState[] | null;
  /** Whether a worker sends heartbeats; true while that is not known. */
  isLive: (id: string) => boolean;
  /** Whether the heartbeats are being received. */
  areWatched: () => boolean;
  /** Online workers and those that went offline recently. */
  describe: (recorded: WorkerSeen[], running: RunningTask[], now: number) => WorkerObject[];
  recorded: () => Promise<WorkerSeen[]>;
  /** The engine settings that live workers report. */
  reports: () => { id: string; settings: ReportedSettings }[];
  /** The engines that live workers try, in order. */
  engines: () => { id: string; engines: ProviderState[] }[];
};

/** The entries that have not expired, by the id in their key. */
export function liveEntries<T extends { expiresAt: number }>(entries: ReadonlyMap<string, T>, now: number) {
  const live = [...entries].filter(([, entry]) => entry.expiresAt > now);
  return new Map(live.map(([key, entry]) => [key.slice(key.indexOf('.') + 1), entry]));
}

type RemoteTimes = { saidAt?: number | undefined; deliveredAt?: number; expiresAt: number };

/**
 * Converts an entry's times from the clock of the host that wrote it to the local clock; the two may differ by an hour.
 * The intervals between the written times are kept, counted from the time of receipt.
 * @param storedAt the broker's time, used when the writer sent none.
 */
export function toLocalClock<T extends RemoteTimes>(value: T, storedAt: number, receivedAt: number): T {
  const shift = receivedAt - (value.saidAt ?? storedAt);
  const { deliveredAt, expiresAt } = value;
  return {
    ...value,
    expiresAt: expiresAt + shift,
    ...(deliveredAt === undefined ? {} : { deliveredAt: deliveredAt + shift }),
  };
}

/** Whether the watch of leases or heartbeats has lasted long enough that a missing entry means a dead worker. */
export function isWatchSettled(watchingSince: number | null, now: number, graceMs = liveness.lease.graceMs): boolean {
  return watchingSince !== null && now - watchingSince >= graceMs;
}

/** All languages of the live speech engines; null: any language, or no engine is live. */
export function languagesOf(workers: readonly WorkerState[] | null): string[] | null {
  const engines = (workers ?? []).filter(({ engine }) => engine !== null);
  // An older worker reports no languages.
  if (engines.length === 0 || engines.some(({ languages }) => !languages || languages.length === 0)) return null;
  return [...new Set(engines.flatMap(({ languages }) => languages ?? []))].sort();
}

/** What the live engines can do for an upload. */
export function speechAbilities(
  workers: readonly WorkerState[] | null,
  providers: readonly AsrProvider[],
): ReplyOf<typeof dispatcherRpc.languages> {
  const engines = (workers ?? []).flatMap((worker) => worker.engines ?? []).filter(({ ready }) => ready);
  const translates = (of: readonly ProviderState[]) => (of.length === 0 ? null : of.some((state) => state.translates));
  return {
    languages: languagesOf(workers),
    translates: translates(engines),
    providers: providers
      .filter(({ enabled, selectable }) => enabled && selectable)
      .map(({ id, name }) => ({ id, name, translates: translates(engines.filter((state) => state.id === id)) })),
  };
}

export type WorkerObject = AnswerOf<typeof dispatcherRoutes.queues>['workers'][number];
type Doing = WorkerObject['doing'][number];
export type RunningTask = Doing & { worker: string };

/** Offline workers are shown for this long (specification, "Limits": task monitor). */
export const showOfflineMs = 600_000;

/** Online workers and those that went offline recently, with their running tasks. */
export function workerObjectsOf(
  fleet: ReadonlyMap<string, WorkerState>,
  seen: WorkerSeen[],
  running: RunningTask[],
  now: number,
): WorkerObject[] {
  const live = liveEntries(fleet, now);
  const known = new Map(seen.map((recorded) => [recorded.id, recorded]));
  const doing = (id: string): Doing[] => running.flatMap(({ worker, ...task }) => (worker === id ? [task] : []));
  const describe = (
    id: string,
    { service, pulls, engine, engineNote: note }: Pick<WorkerState, 'service' | 'pulls' | 'engine' | 'engineNote'>,
    presence: { state: 'online' | 'offline'; since: string; last_seen: string },
  ): WorkerObject => ({ id, service, pulls, engine, note, ...presence, doing: doing(id) });
  const online = [...live].map(([id, worker]) => {
    const since = (known.get(id)?.firstSeenAt ?? new Date(now)).toISOString();
    return describe(id, worker, { state: 'online', since, last_seen: new Date(now).toISOString() });
  });
  const offline = seen
    .filter((recorded) => !live.has(recorded.id) && now - recorded.lastSeenAt.getTime() <= showOfflineMs)
    .map(({ firstSeenAt, lastSeenAt, ...recorded }) =>
      describe(
        recorded.id,
        { ...recorded, engine: recorded.engine as WorkerState['engine'] },
        { state: 'offline', since: firstSeenAt.toISOString(), last_seen: lastSeenAt.toISOString() },
      ),
    );
  return [
    ...online.toSorted(byName),
    ...offline.toSorted((left, right) => right.last_seen.localeCompare(left.last_seen)),
  ];
}

function byName(left: WorkerObject, right: WorkerObject): number {
  return left.service.localeCompare(right.service) || left.id.localeCompare(right.id);
}
