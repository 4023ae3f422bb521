import type { JobDef } from '@overtone/contracts';
import type { JsMsg } from 'nats';
import type { Bus } from '../bus/bus.ts';

/** A claimed job: its fencing token, and how to tell of progress. */
export type JobDelivery = {
  taskId: string;
  /** Grows with every claim of the task; part of every artefact's name and of every write. */
  token: number;
  attempt: number;
  /** Aborted when the task was cancelled, its lease lost or the worker stops. */
  signal: AbortSignal;
  /** @param fraction 0..1 of this stage. */
  progress: (fraction: number, message: string) => void;
};
export type AnyHandler = (input: unknown, d: JobDelivery) => Promise<unknown>;

/** A delivery under way. */
export type Doing = {
  bus: Bus;
  msg: JsMsg;
  def: JobDef;
  handler: AnyHandler;
  workerId: string;
  stop: AbortSignal;
  running: Map<string, AbortController>;
};
