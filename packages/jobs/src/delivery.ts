import type { JobDef } from '@overtone/contracts';
import type { Bus } from '@overtone/service-kit';
import type { Leases } from './lease.ts';
import type { Postponed } from './postponed.ts';
import type { RemoteRoom, Seat } from './seat.ts';

/** A claimed job: its fencing token and its progress callback. */
export type JobDelivery = {
  taskId: string;
  /** Grows with every claim of the task; part of every artefact's name and of every write. */
  token: number;
  attempt: number;
  /** Aborted when the task was cancelled, its lease lost or the worker stops. */
  signal: AbortSignal;
  /** @param fraction 0..1 of this stage. */
  progress: (fraction: number, message: string) => void;
  /** For a job that only waits for another server. */
  seat: Seat;
};
export type AnyHandler = (input: unknown, delivery: JobDelivery) => Promise<unknown>;
export type Job = { def: JobDef; handler: AnyHandler };

/** What every job of a worker needs. */
export type WorkerContext = {
  bus: Bus;
  jobs: ReadonlyMap<string, Job>;
  leases: Leases;
  workerId: string;
  stop: AbortSignal;
  /** Running tasks, to be aborted. */
  running: Map<string, AbortController>;
  /** The remote jobs: how many, which kinds are all remote now, and waiting tasks that were found to be remote. */
  remote: RemoteRoom & { subjects: () => readonly string[]; postponed: Postponed };
  /** Registers a report that must be sent before the worker may end. */
  settle: (report: Promise<unknown>) => void;
};
