import {
  jobDurable,
  jobMessage,
  transcriptionLive,
  type InputOf,
  type JobDef,
  type OutputOf,
  type Queue,
} from '@overtone/contracts';
import { AppError, inSpan, runInFlow, type Worker } from '@overtone/service-kit';
import type { JsMsg } from 'nats';
import type { AnyHandler, WorkerContext, Job, JobDelivery } from './delivery.ts';
import { beat, type Ability } from './heartbeat.ts';
import { createLeases } from './lease.ts';
import { createPlaces, type Place } from './places.ts';
import { createRemoteRoom, takeSeat, type TakenSeat } from './seat.ts';
import { createPostponed } from './postponed.ts';
import { pull, type OpenPull } from './pull.ts';
import { handleJobSignal } from './job-signal.ts';
import { runUnclaimed } from './unclaimed.ts';
import type { Recycling } from './recycling.ts';

export type JobHandlers<C extends Record<string, JobDef>> = {
  [K in keyof C]: (input: InputOf<C[K]>, delivery: JobDelivery) => Promise<OutputOf<C[K]>>;
};
export type WorkerOptions = {
  workerId: string;
  /** Concurrent jobs per queue; default 1. Read again every second, like `express`: both may be getters. */
  concurrency: Partial<Record<Queue, number>>;
  /** Places per queue, beside those, that only take short jobs of users for whom nothing is done there. */
  express?: Partial<Record<Queue, number>>;
  /** Jobs that only wait for another server: how many beside those, and of which kinds all are such jobs now. */
  remote?: { concurrency: () => number; subjects: () => readonly string[] };
  /** Whether this worker can do the jobs of a durable now (e.g. it has an engine); asked before every pull. */
  able?: (durable: string) => boolean;
  /** What the heartbeat says of this worker besides that it lives. */
  about?: () => Ability;
  /** Where the tasks are done in this process itself, and not in children: counts them. */
  recycling?: Recycling;
};
/**
 * Does jobs: pull, claim (fencing token), work under a lease, commit at the dispatcher, and only then acknowledge.
 * A worker that dies loses its lease; the job is redelivered and later reports of the dead worker are rejected as stale.
 */
export function worker<C extends Record<string, JobDef>>(
  catalogue: C,
  handlers: JobHandlers<C>,
  options: WorkerOptions,
): Worker {
  return {
    start: (bus) => {
      const [aborter, pulling] = [new AbortController(), new AbortController()];
      const pending = createPending();
      const { settle } = pending;
      const remote = createRemoteRoom(() => options.remote?.concurrency() ?? 0);
      const handleMessage = createMessageHandler(catalogue, handlers, options.recycling, {
        bus,
        settle,
        workerId: options.workerId,
        stop: aborter.signal,
        leases: createLeases(bus, options.workerId),
        remote: { ...remote, subjects: () => options.remote?.subjects() ?? [], postponed: createPostponed() },
      });
      const able = (durable: string): boolean => options.able?.(durable) ?? true;
      const places = createPlaces(options);
      const durables = [...new Map(Object.values(catalogue).map((def) => [jobDurable(def), def.queue]))];
      const pulled = (): string[] =>
        durables.flatMap(([durable, queue]) => (places.of(queue).length > 0 ? [durable] : []));
      const heart = beat(bus, options, () => pulled().filter(able));
      const open = new Set<OpenPull>();
      // The broker forgets pulls with their connection or their stream.
      bus.onRenewal(() => open.forEach((openPull) => openPull.stop()));
      const loops = startLoops((start) => {
        for (const openPull of open) if (!openPull.isWanted()) openPull.stop();
        for (const [durable, queue] of durables)
          for (const place of places.of(queue)) {
            const taking = { take: handleMessage, takeSeat: () => takeSeat(place, places, remote), settle };
            const run = () => pull({ bus, durable, able, place, signal: pulling.signal, open, ...taking });
            start(`${durable} ${place.lane} ${place.index}`, run);
          }
      }, pulling.signal);
      return {
        retire: async () => {
          pulling.abort();
          await loops.ended();
          await pending.settled();
        },
        stop: async () => {
          pulling.abort();
          aborter.abort(new AppError('unavailable', 'job_lost', 'The worker is stopping'));
          await loops.ended();
          await pending.settled();
          await heart.stop();
        },
      };
    },
  };
}

/** Jobs and reports that must end before the worker may. */
function createPending() {
  const pending = new Set<Promise<unknown>>();
  return {
    settle: (work: Promise<unknown>): void => {
      pending.add(work);
      void work.finally(() => pending.delete(work));
    },
    /** A job that ends adds its report. */
    settled: async (): Promise<void> => {
      while (pending.size > 0) await Promise.all(pending);
    },
  };
}

const limitsMs = 1_000;
type StartLoop = (name: string, run: () => Promise<void>) => void;

/** Starts the loops that do not run yet, again every second: a limit may have been raised. */
function startLoops(each: (start: StartLoop) => void, signal: AbortSignal): { ended: () => Promise<unknown> } {
  const running = new Map<string, Promise<void>>();
  const startMissing = (): void =>
    each((name, run) => {
      if (running.has(name) || signal.aborted) return;
      const loop = run().finally(() => running.delete(name));
      running.set(name, loop);
    });
  startMissing();
  const timer = setInterval(startMissing, limitsMs).unref();
  signal.addEventListener('abort', () => clearInterval(timer), { once: true });
  return { ended: () => Promise.all(running.values()) };
}

function cancelled() {
  return new AppError('conflict', 'job_cancelled', 'The job was cancelled');
}

/** A failed task counts, too. */
function counted(handler: AnyHandler, queue: Queue, recycling: Recycling | undefined): AnyHandler {
  return (input, delivery) => handler(input, delivery).finally(() => recycling?.recordTask(queue));
}

/** @returns a handler of job messages, which resolves to the pause in milliseconds before its slot pulls again. */
function createMessageHandler<C extends Record<string, JobDef>>(
  catalogue: C,
  handlers: JobHandlers<C>,
  recycling: Recycling | undefined,
  base: Omit<WorkerContext, 'jobs' | 'running'>,
) {
  const { bus } = base;
  const jobs = new Map<string, Job>(
    Object.entries(catalogue).map(([name, def]) => [
      def.subject,
      { def, handler: counted(handlers[name] as AnyHandler, def.queue, recycling) },
    ]),
  );
  const context: WorkerContext = { ...base, jobs, running: new Map<string, AbortController>() };
  // Only the dispatcher cancels, and only tasks of its own.
  if (Object.values(catalogue).some((def) => def.fencedBy === 'dispatcher'))
    bus.subscribeLive(transcriptionLive.taskCancelled, ({ taskId }) => context.running.get(taskId)?.abort(cancelled()));

  return async (msg: JsMsg, durable: string, taken: { place: Place; seat: TakenSeat }): Promise<number> => {
    const job = jobs.get(msg.subject);
    if (job?.def.fencedBy === 'dispatcher') return handleJobSignal(context, msg, durable, taken);
    const body = jobMessage.safeParse(msg.json());
    if (!body.success) {
      bus.log.error({ subject: msg.subject }, 'job message does not fit its schema');
      msg.term();
      return 0;
    }
    // Another version's job on a shared durable. Handled as a job signal, or else left to a worker that knows it.
    if (!job && body.data.input === undefined) return handleJobSignal(context, msg, durable, taken);
    if (!job) {
      msg.nak(5_000);
      return 0;
    }
    const { taskId, input } = body.data;
    const requestId = msg.headers?.get('ot-request-id') || taskId;
    const from = { traceparent: msg.headers?.get('traceparent') ?? '' };
    await runInFlow({ requestId, route: msg.subject, userId: null, dbQueries: 0 }, () =>
      inSpan(msg.subject, { from, attributes: { 'job.task': taskId } }, () =>
        runUnclaimed(context, job, msg, { taskId, input, seat: taken.seat }),
      ),
    );
    return 0;
  };
}
