import {
  dispatcherRoutes,
  dispatcherRpc,
  leaseValue,
  liveness,
  workerValue,
  type AsrProvider,
} from '@overtone/contracts';
import { handle, periodic, rpc, type Bus, type Slice } from '@overtone/service-kit';
import type { Db } from '../database.ts';
import { createMirror } from './mirror.adapter.ts';
import { isWatchSettled, liveEntries, speechAbilities, workerObjectsOf, type Leases, type Workers } from './workers.ts';
import { createWorkersStore } from './workers.store.ts';

/** The live workers, their heartbeats and engines, and the leases on their tasks. */
export function createWorkersSlice({
  db,
  bus,
  listProviders,
}: {
  db: Db;
  bus: Bus;
  listProviders: () => Promise<AsrProvider[]>;
}): Slice & { workers: Workers; leases: Leases } {
  const leaseMirror = createMirror(bus, 'LEASES', leaseValue);
  const fleet = createMirror(bus, 'WORKERS', workerValue);
  const store = createWorkersStore({ db });
  const workers: Workers = {
    live: () =>
      isWatchSettled(fleet.since(), Date.now()) ? [...liveEntries(fleet.entries(), Date.now()).values()] : null,
    isLive: (id) =>
      !isWatchSettled(fleet.since(), Date.now(), liveness.heartbeat.graceMs) ||
      (fleet.entries().get(`worker.${id}`)?.expiresAt ?? 0) > Date.now(),
    areWatched: () => fleet.since() !== null,
    describe: (recorded, running, now) => workerObjectsOf(fleet.entries(), recorded, running, now),
    recorded: store.recorded,
    engines: () =>
      [...liveEntries(fleet.entries(), Date.now())]
        .flatMap(([id, { engines }]) => (engines ? [{ id, engines }] : []))
        .toSorted((x, y) => x.id.localeCompare(y.id)),
    reports: () =>
      [...liveEntries(fleet.entries(), Date.now())]
        .flatMap(([id, { settings }]) => (settings ? [{ id, settings }] : []))
        .toSorted((x, y) => x.id.localeCompare(y.id)),
  };
  const recordLiveWorkers = async (): Promise<void> => {
    const live = liveEntries(fleet.entries(), Date.now());
    if (live.size > 0) await store.record(live);
    await store.deleteOld();
  };

  return {
    workers,
    leases: {
      entries: leaseMirror.entries,
      of: (taskId) => leaseMirror.entries().get(`task.${taskId}`),
      drop: (taskId) => leaseMirror.remove(`task.${taskId}`),
      areComplete: () => isWatchSettled(leaseMirror.since(), Date.now()),
    },
    parts: [leaseMirror.part, fleet.part],
    routes: [
      handle(dispatcherRoutes.engines, async () => ({
        workers: [...liveEntries(fleet.entries(), Date.now())].map(([id, worker]) => ({
          id,
          service: worker.service,
          pulls: worker.pulls,
          engine: worker.engine,
          note: worker.engineNote,
          gpu: worker.gpu ?? null,
        })),
      })),
    ],
    // Media uses the answer to refuse what no engine can do.
    rpcs: [rpc(dispatcherRpc.languages, async () => speechAbilities(workers.live(), await listProviders()))],
    periodics: [periodic('record live workers', 5_000, recordLiveWorkers)],
  };
}
