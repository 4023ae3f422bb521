import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { dispatcherRpc, type ReplyOf, type RequestOf, type RpcDef } from '@overtone/contracts';
import type { JsMsg } from 'nats';
import { runInFlow } from '../context.ts';
import { isAppError } from '../errors.ts';
import { inSpan } from '../tracing.ts';
import type { Bench } from './delivery.ts';
import type { Place } from './places.ts';
import { progressOf } from './progress.ts';

type Claimed = Extract<ReplyOf<typeof dispatcherRpc.claim>, { outcome: 'claimed' }>;

/**
 * Uses a ticket: asks the dispatcher which task is next and does it. The ticket is acknowledged when the task has ended
 * or none waits any more, and goes back when none is for this worker now.
 * @returns for how many milliseconds this place should ask for nothing more.
 */
export const useTicket = async (bench: Bench, msg: JsMsg, durable: string, place: Place): Promise<number> => {
  const subjects = [...bench.jobs.values()].filter((j) => j.def.fencedBy === 'dispatcher').map((j) => j.def.subject);
  const { workerId } = bench;
  const request = { claimId: randomUUID(), durable, workerId, lane: place.lane, subjects };
  const claim = await persist(bench, msg, dispatcherRpc.claim, request);
  if (!claim) {
    msg.nak();
    return 0;
  }
  if (claim.outcome === 'gone') {
    await bench.bus.acknowledge(msg);
    return 0;
  }
  if (claim.outcome === 'wait') {
    msg.nak();
    return claim.retryInMs;
  }
  const { taskId, subject, traceparent } = claim;
  await runInFlow({ requestId: taskId, route: subject, userId: null, dbQueries: 0 }, () =>
    inSpan(subject, { from: { traceparent: traceparent ?? '' }, attributes: { 'job.task': taskId } }, () =>
      run(bench, msg, claim),
    ),
  );
  return 0;
};

/** Resolves when the handler has ended: its place is free then, while what came of it is still being told. */
const run = async (bench: Bench, msg: JsMsg, claim: Claimed): Promise<void> => {
  const { taskId, token, attempt, subject } = claim;
  const { stop } = bench;
  const { def, handler } = bench.jobs.get(subject) ?? unknownJob(subject);
  const aborter = new AbortController();
  bench.running.set(taskId, aborter);
  const onStop = () => aborter.abort(stop.reason);
  stop.addEventListener('abort', onStop, { once: true });
  if (stop.aborted) onStop();
  const lease = bench.leases.hold({ msg, taskId, token, queue: def.queue });
  const progress = progressOf(bench.bus, subject, { taskId, token }, claim.input);
  let told: Promise<unknown>;
  try {
    const input = def.input.parse(claim.input);
    const output = await handler(input, { taskId, token, attempt, signal: aborter.signal, progress: progress.push });
    told = persist(bench, msg, dispatcherRpc.complete, { taskId, token, output: def.output.parse(output) }).catch(
      (e: unknown) => giveBack(bench, msg, claim, e),
    );
  } catch (e) {
    told = giveBack(bench, msg, claim, aborter.signal.aborted ? (aborter.signal.reason as unknown) : e);
  } finally {
    progress.flush();
    stop.removeEventListener('abort', onStop);
    bench.running.delete(taskId);
  }
  const done = async (): Promise<void> => {
    try {
      await told;
    } finally {
      await Promise.all([lease.release(), bench.bus.acknowledge(msg).catch(() => {})]);
    }
  };
  bench.settle(
    done().catch((err: unknown) => bench.bus.log.warn({ err: err as Error, task_id: taskId }, 'outcome not told')),
  );
};

/** Only jobs that were asked for are answered with. */
const unknownJob = (subject: string): never => {
  throw new Error(`no handler for ${subject}`);
};

/** A job that did not end well: back to the queue when the worker stops, failed with its reason otherwise. */
const giveBack = async (bench: Bench, msg: JsMsg, claim: Claimed, thrown: unknown): Promise<void> => {
  const held = { taskId: claim.taskId, token: claim.token };
  const known = isAppError(thrown) ? thrown : undefined;
  if (known?.code === 'job_lost') return void (await persist(bench, msg, dispatcherRpc.release, held));
  if (known?.code !== 'job_cancelled')
    bench.bus.log.warn({ err: thrown as Error, task_id: claim.taskId, subject: claim.subject }, 'job failed');
  const message = known?.message ?? 'The job failed unexpectedly';
  await persist(bench, msg, dispatcherRpc.fail, {
    ...held,
    code: known?.code ?? 'internal_error',
    message,
    retryable: known ? !known.permanent : true,
  });
};

/**
 * Asks the dispatcher until it answers. A claim is known by its id and an outcome by its token, so asking again is
 * safe; the ticket stays ours meanwhile. @returns undefined when the worker stops before an answer.
 */
const persist = async <R extends RpcDef>(
  { bus, stop }: Bench,
  msg: JsMsg,
  def: R,
  request: RequestOf<R>,
): Promise<ReplyOf<R> | undefined> => {
  for (let pause = 100; ; pause = Math.min(5_000, pause * 2)) {
    try {
      return await bus.ask(def, request);
    } catch (e) {
      if (isAppError(e) && e.kind !== 'unavailable') throw e;
      if (stop.aborted && pause > 2_000) return undefined;
      msg.working();
      await sleep(pause);
    }
  }
};
