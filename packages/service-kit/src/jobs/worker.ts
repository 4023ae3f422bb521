import { setTimeout as sleep } from 'node:timers/promises';
import {
  dispatcherRpc,
  jobDurable,
  jobMessage,
  transcriptionLive,
  type InputOf,
  type JobDef,
  type OutputOf,
  type Queue,
  type RpcDef,
  type RequestOf,
  type ReplyOf,
  type Stage,
} from '@overtone/contracts';
import type { JsMsg } from 'nats';
import type { Bus } from '../bus/bus.ts';
import { runInFlow } from '../context.ts';
import { AppError, isAppError } from '../errors.ts';
import { inSpan } from '../tracing.ts';
import type { AnyHandler, Doing, JobDelivery } from './delivery.ts';
import { holdLease } from './lease.ts';
import { runUnclaimed } from './unclaimed.ts';
import { coalesce } from './coalesce.ts';

export type JobHandlers<C extends Record<string, JobDef>> = {
  [K in keyof C]: (input: InputOf<C[K]>, d: JobDelivery) => Promise<OutputOf<C[K]>>;
};
export type WorkerOptions = {
  workerId: string;
  /** Jobs at once per queue; 1 where nothing is said. */
  concurrency: Partial<Record<Queue, number>>;
  /** Whether this worker can do the jobs of a durable now (e.g. it has an engine); asked before every pull. */
  able?: (durable: string) => boolean;
};
export type Worker = { start: (bus: Bus) => { stop: () => Promise<void> } };

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
    const aborter = new AbortController();
    const running = new Map<string, AbortController>();
    // Only the dispatcher cancels, and only tasks of its own.
    if (Object.values(catalogue).some((def) => def.fencedBy === 'dispatcher'))
      bus.hear(transcriptionLive.taskCancelled, ({ taskId }) => running.get(taskId)?.abort(cancelled()));
    const bySubject = new Map(
      Object.entries(catalogue).map(([name, def]) => [def.subject, { def, handler: handlers[name] as AnyHandler }]),
    );
    const durables = new Map(Object.values(catalogue).map((def) => [jobDurable(def), def.queue]));
    const loops = [...durables].flatMap(([durable, queue]) =>
      Array.from({ length: options.concurrency[queue] ?? 1 }, () =>
        pull(bus, durable, options, aborter.signal, (msg) => {
          const job = bySubject.get(msg.subject);
          if (job) return doJob({ bus, msg, ...job, workerId: options.workerId, stop: aborter.signal, running });
          // Another version's job on a shared durable: leave it to a worker that knows it.
          msg.nak(5_000);
          return Promise.resolve();
        }),
      ),
    );
    return {
      stop: async () => {
        aborter.abort(new AppError('unavailable', 'job_lost', 'The worker is stopping'));
        await Promise.all(loops);
      },
    };
  },
});

const cancelled = () => new AppError('conflict', 'job_cancelled', 'The job was cancelled');

const pull = async (
  bus: Bus,
  durable: string,
  options: WorkerOptions,
  signal: AbortSignal,
  onMessage: (msg: JsMsg) => Promise<void>,
): Promise<void> => {
  while (!signal.aborted) {
    if (options.able && !options.able(durable)) {
      await sleep(1_000, undefined, { signal }).catch(() => {});
      continue;
    }
    try {
      const handle = await bus.jetstream().consumers.get('JOBS', durable);
      // Batch size 1: a worker never holds jobs that another one could be doing.
      while (!signal.aborted && (!options.able || options.able(durable))) {
        const batch = await handle.fetch({ max_messages: 1, expires: 5_000 });
        const stop = () => batch.stop();
        signal.addEventListener('abort', stop, { once: true });
        for await (const msg of batch) await onMessage(msg);
        signal.removeEventListener('abort', stop);
      }
    } catch (e) {
      bus.log.debug({ err: e as Error, durable }, 'job pull interrupted');
      await sleep(500, undefined, { signal }).catch(() => {});
    }
  }
};

const doJob = async (d: Doing): Promise<void> => {
  const body = jobMessage.safeParse(d.msg.json());
  if (!body.success) {
    d.bus.log.error({ subject: d.def.subject }, 'job message does not fit its schema');
    d.msg.term();
    return;
  }
  const { taskId } = body.data;
  const flow = {
    requestId: d.msg.headers?.get('ot-request-id') || taskId,
    route: d.def.subject,
    userId: null,
    dbQueries: 0,
  };
  const from = { traceparent: d.msg.headers?.get('traceparent') ?? '' };
  await runInFlow(flow, () =>
    inSpan(d.def.subject, { from, attributes: { 'job.task': taskId } }, () =>
      (d.def.fencedBy === 'handler' ? runUnclaimed : claimAndRun)(d, taskId, body.data.input),
    ),
  );
};

const claimAndRun = async (d: Doing, taskId: string, rawInput: unknown): Promise<void> => {
  const claim = await persist(d, dispatcherRpc.claim, { taskId, workerId: d.workerId });
  if (!claim) return;
  if (claim.outcome === 'gone') return d.bus.acknowledge(d.msg);
  if (claim.outcome === 'busy') return d.msg.nak(claim.retryInMs);
  const { token, attempt } = claim;
  const aborter = new AbortController();
  d.running.set(taskId, aborter);
  const onStop = () => aborter.abort(d.stop.reason);
  d.stop.addEventListener('abort', onStop, { once: true });
  const lease = await holdLease({ bus: d.bus, msg: d.msg, taskId, token, queue: d.def.queue, workerId: d.workerId });
  const progress = progressOf(d, taskId, token, rawInput);
  try {
    const input = d.def.input.parse(rawInput);
    const output = await d.handler(input, { taskId, token, attempt, signal: aborter.signal, progress: progress.push });
    await persist(d, dispatcherRpc.complete, { taskId, token, output: d.def.output.parse(output) });
  } catch (e) {
    await giveBack(d, { taskId, token }, aborter.signal.aborted ? (aborter.signal.reason as unknown) : e);
  } finally {
    progress.flush();
    d.stop.removeEventListener('abort', onStop);
    d.running.delete(taskId);
    await lease.release();
    await d.bus.acknowledge(d.msg).catch(() => {});
  }
};

/** A job that did not end well: back to the queue when the worker stops, failed with its reason otherwise. */
const giveBack = async (d: Doing, held: { taskId: string; token: number }, thrown: unknown): Promise<void> => {
  const known = isAppError(thrown) ? thrown : undefined;
  if (known?.code === 'job_lost') return void (await persist(d, dispatcherRpc.release, held));
  if (known?.code !== 'job_cancelled')
    d.bus.log.warn({ err: thrown as Error, task_id: held.taskId, subject: d.def.subject }, 'job failed');
  const message = known?.message ?? 'The job failed unexpectedly';
  await persist(d, dispatcherRpc.fail, {
    ...held,
    code: known?.code ?? 'internal_error',
    message,
    retryable: known ? !known.permanent : true,
  });
};

/**
 * Asks the dispatcher until it answers. Claims are fenced and outcomes idempotent by token, so asking again is safe;
 * the message stays ours meanwhile. @returns undefined when the worker stops before an answer.
 */
const persist = async <R extends RpcDef>(d: Doing, def: R, request: RequestOf<R>): Promise<ReplyOf<R> | undefined> => {
  for (let pause = 100; ; pause = Math.min(5_000, pause * 2)) {
    try {
      return await d.bus.ask(def, request);
    } catch (e) {
      if (isAppError(e) && e.kind !== 'unavailable') throw e;
      if (d.stop.aborted && pause > 2_000) return undefined;
      d.msg.working();
      await sleep(pause);
    }
  }
};

const ofRun = (input: unknown) => input as { runId: string; fileId: string; ownerId: string };

const progressOf = (d: Doing, taskId: string, token: number, rawInput: unknown) => {
  const { runId, fileId, ownerId } = ofRun(rawInput);
  const stage = d.def.subject.split('.').at(-1) as Stage;
  return coalesce<[number, string]>(250, (fraction, message) =>
    d.bus.say(transcriptionLive.taskProgress, {
      taskId,
      token,
      runId,
      fileId,
      ownerId,
      stage,
      fraction: Math.min(1, Math.max(0, fraction)),
      message,
    }),
  );
};
