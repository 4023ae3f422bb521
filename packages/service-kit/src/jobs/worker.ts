import {
  jobDurable,
  jobMessage,
  transcriptionLive,
  type InputOf,
  type JobDef,
  type OutputOf,
  type Queue,
} from '@overtone/contracts';
import type { JsMsg } from 'nats';
import type { Bus } from '../bus/bus.ts';
import { runInFlow } from '../context.ts';
import { AppError } from '../errors.ts';
import { inSpan } from '../tracing.ts';
import type { AnyHandler, Bench, Job, JobDelivery } from './delivery.ts';
import { beat, type Ability } from './heartbeat.ts';
import { createLeases } from './lease.ts';
import { createPlaces, type Place } from './places.ts';
import { pull } from './pull.ts';
import { useTicket } from './ticket.ts';
import { runUnclaimed } from './unclaimed.ts';
import type { Wear } from './wear.ts';

export type JobHandlers<C extends Record<string, JobDef>> = {
  [K in keyof C]: (input: InputOf<C[K]>, d: JobDelivery) => Promise<OutputOf<C[K]>>;
};
export type WorkerOptions = {
  workerId: string;
  /** Jobs at once per queue; 1 where nothing is said. */
  concurrency: Partial<Record<Queue, number>>;
  /** Places per queue, beside those, that only take short jobs of users for whom nothing is done there. */
  express?: Partial<Record<Queue, number>>;
  /** Whether this worker can do the jobs of a durable now (e.g. it has an engine); asked before every pull. */
  able?: (durable: string) => boolean;
  /** What the heartbeat says of this worker besides that it lives. */
  about?: () => Ability;
  /** Where the tasks are done in this process itself, and not in children: counts them. */
  wear?: Wear;
};
export type Worker = {
  start: (bus: Bus) => {
    /** Takes nothing new; resolves when everything in hand is done. */
    retire: () => Promise<void>;
    stop: () => Promise<void>;
  };
};

/**
 * Does jobs: pull, claim (fencing token), work under a lease, commit at the dispatcher, and only then acknowledge.
 * A worker that dies loses its lease; the job is redelivered and whatever the dead one still says is refused as stale.
 */
export const worker = <C extends Record<string, JobDef>>(
  catalogue: C,
  handlers: JobHandlers<C>,
  options: WorkerOptions,
): Worker => ({
  start: (bus) => {
    const [aborter, pulling] = [new AbortController(), new AbortController()];
    const untold = new Set<Promise<unknown>>();
    const settle = (told: Promise<unknown>): void => {
      untold.add(told);
      void told.finally(() => untold.delete(told));
    };
    const bench = benchOf(catalogue, handlers, options.wear, {
      bus,
      settle,
      workerId: options.workerId,
      stop: aborter.signal,
      leases: createLeases(bus, options.workerId),
    });
    const able = (durable: string): boolean => options.able?.(durable) ?? true;
    const places = createPlaces(options);
    const durables = [...new Map(Object.values(catalogue).map((def) => [jobDurable(def), def.queue]))].filter(
      ([, queue]) => places.of(queue).length > 0,
    );
    const heart = beat(bus, options, () => durables.map(([durable]) => durable).filter(able));
    const loops = durables.flatMap(([durable, queue]) =>
      places.of(queue).map((place) => pull({ bus, durable, able, place, signal: pulling.signal, take: bench })),
    );
    return {
      retire: async () => {
        pulling.abort();
        await Promise.all(loops);
      },
      stop: async () => {
        pulling.abort();
        aborter.abort(new AppError('unavailable', 'job_lost', 'The worker is stopping'));
        await Promise.all(loops);
        await Promise.all(untold);
        await heart.stop();
      },
    };
  },
});

const cancelled = () => new AppError('conflict', 'job_cancelled', 'The job was cancelled');

/** A task that fails wears its process, too. */
const counted =
  (handler: AnyHandler, queue: Queue, wear: Wear | undefined): AnyHandler =>
  (input, d) =>
    handler(input, d).finally(() => wear?.did(queue));

/** Where this worker's jobs are done. @returns what is done with a message, and for how long its place rests then. */
const benchOf = <C extends Record<string, JobDef>>(
  catalogue: C,
  handlers: JobHandlers<C>,
  wear: Wear | undefined,
  base: Omit<Bench, 'jobs' | 'running'>,
) => {
  const { bus } = base;
  const jobs = new Map<string, Job>(
    Object.entries(catalogue).map(([name, def]) => [
      def.subject,
      { def, handler: counted(handlers[name] as AnyHandler, def.queue, wear) },
    ]),
  );
  const bench: Bench = { ...base, jobs, running: new Map<string, AbortController>() };
  // Only the dispatcher cancels, and only tasks of its own.
  if (Object.values(catalogue).some((def) => def.fencedBy === 'dispatcher'))
    bus.hear(transcriptionLive.taskCancelled, ({ taskId }) => bench.running.get(taskId)?.abort(cancelled()));

  return async (msg: JsMsg, durable: string, place: Place): Promise<number> => {
    const job = jobs.get(msg.subject);
    if (job?.def.fencedBy === 'dispatcher') return useTicket(bench, msg, durable, place);
    const body = jobMessage.safeParse(msg.json());
    if (!body.success) {
      bus.log.error({ subject: msg.subject }, 'job message does not fit its schema');
      msg.term();
      return 0;
    }
    // Another version's job on a shared durable. As good a ticket as any, or else left to a worker that knows it.
    if (!job && body.data.input === undefined) return useTicket(bench, msg, durable, place);
    if (!job) {
      msg.nak(5_000);
      return 0;
    }
    const { taskId, input } = body.data;
    const requestId = msg.headers?.get('ot-request-id') || taskId;
    const from = { traceparent: msg.headers?.get('traceparent') ?? '' };
    await runInFlow({ requestId, route: msg.subject, userId: null, dbQueries: 0 }, () =>
      inSpan(msg.subject, { from, attributes: { 'job.task': taskId } }, () =>
        runUnclaimed(bench, job, msg, taskId, input),
      ),
    );
    return 0;
  };
};
