import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  dispatcherRpc,
  transcriptionLive,
  type ReplyOf,
  type RequestOf,
  type RpcDef,
  type Stage,
} from '@overtone/contracts';
import { inSpan, isAppError, isFullStorage, runInFlow, coalesce, type Bus } from '@overtone/service-kit';
import type { JsMsg } from 'nats';
import type { WorkerContext } from './delivery.ts';
import type { Place } from './places.ts';
import { JobPostponed, type TakenSeat } from './seat.ts';

/** A worker whose remote jobs are as many as allowed looks this often for another one. */
const remoteFullMs = 500;

type Claimed = Extract<ReplyOf<typeof dispatcherRpc.claim>, { outcome: 'claimed' }>;

/**
 * Handles a job signal: claims the next task from the dispatcher and runs it. The signal is acknowledged when the task has ended
 * or none is waiting, and returned when none is for this worker now.
 * @returns for how many milliseconds this slot should not claim again.
 */
export async function handleJobSignal(
  context: WorkerContext,
  msg: JsMsg,
  durable: string,
  { place, seat }: { place: Place; seat: TakenSeat },
): Promise<number> {
  const { workerId, remote } = context;
  const isRemoteFull = remote.isFull();
  const request = { claimId: randomUUID(), durable, workerId, lane: place.lane, ...claimable(context, isRemoteFull) };
  const claim = await persist(context, msg, dispatcherRpc.claim, request);
  if (!claim) {
    msg.nak();
    return 0;
  }
  if (claim.outcome === 'gone') {
    await context.bus.acknowledge(msg);
    return 0;
  }
  if (claim.outcome === 'wait') {
    msg.nak();
    return isRemoteFull ? Math.max(remoteFullMs, claim.retryInMs) : claim.retryInMs;
  }
  const { taskId, subject, traceparent } = claim;
  remote.postponed.delete(taskId);
  await runInFlow({ requestId: taskId, route: subject, userId: null, dbQueries: 0 }, () =>
    inSpan(subject, { from: { traceparent: traceparent ?? '' }, attributes: { 'job.task': taskId } }, () =>
      run(context, msg, claim, seat),
    ),
  );
  return 0;
}

/** What a worker claims. Without room for a remote job: no job that is known to be one. */
function claimable({ jobs, remote }: WorkerContext, isRemoteFull: boolean): { subjects: string[]; except?: string[] } {
  const claimed = [...jobs.values()].filter(({ def }) => def.fencedBy === 'dispatcher');
  const subjects = claimed.map(({ def }) => def.subject);
  if (!isRemoteFull) return { subjects };
  const { except, exceptSubjects } = remote.postponed.current();
  const allRemote = [...remote.subjects(), ...exceptSubjects];
  const local = subjects.filter((subject) => !allRemote.includes(subject));
  return { subjects: local.length > 0 ? local : subjects, except };
}

/** Resolves when the handler has ended: its slot is free then, while the outcome is still being reported. */
async function run(context: WorkerContext, msg: JsMsg, claim: Claimed, seat: TakenSeat): Promise<void> {
  const { taskId, token, attempt, subject } = claim;
  const { stop } = context;
  const { def, handler } = context.jobs.get(subject) ?? unknownJob(subject);
  const aborter = new AbortController();
  context.running.set(taskId, aborter);
  const onStop = () => aborter.abort(stop.reason);
  stop.addEventListener('abort', onStop, { once: true });
  if (stop.aborted) onStop();
  const lease = context.leases.hold({ msg, taskId, token, queue: def.queue });
  seat.onChange(() => lease.changeTo({ remote: seat.isRemote() }));
  const progress = progressOf(context.bus, subject, { taskId, token }, claim.input);
  let report: Promise<unknown>;
  try {
    const input = def.input.parse(claim.input);
    const { signal } = aborter;
    const output = await handler(input, { taskId, token, attempt, signal, progress: progress.push, seat });
    report = persist(context, msg, dispatcherRpc.complete, { taskId, token, output: def.output.parse(output) }).catch(
      (error: unknown) => giveBack(context, msg, claim, error),
    );
  } catch (error) {
    report = giveBack(context, msg, claim, aborter.signal.aborted ? (aborter.signal.reason as unknown) : error);
  } finally {
    progress.flush();
    stop.removeEventListener('abort', onStop);
    context.running.delete(taskId);
  }
  const done = async (): Promise<void> => {
    try {
      await report;
    } finally {
      await Promise.all([lease.release(), context.bus.acknowledge(msg).catch(() => {})]);
    }
  };
  context.settle(
    done().catch((err: unknown) =>
      context.bus.log.warn({ err: err as Error, task_id: taskId }, 'outcome not reported'),
    ),
  );
}

/** The dispatcher only returns jobs that were requested. */
function unknownJob(subject: string): never {
  throw new Error(`no handler for ${subject}`);
}

/** Returns a failed job to the queue when the worker stops; otherwise reports it as failed with its reason. */
async function giveBack(context: WorkerContext, msg: JsMsg, claim: Claimed, thrown: unknown): Promise<void> {
  const held = { taskId: claim.taskId, token: claim.token };
  if (thrown instanceof JobPostponed) {
    context.remote.postponed.add(claim.taskId, claim.subject);
    return void (await persist(context, msg, dispatcherRpc.release, { ...held, keepsPosition: true }));
  }
  const known = isAppError(thrown) ? thrown : undefined;
  if (known?.code === 'job_lost') return void (await persist(context, msg, dispatcherRpc.release, held));
  if (known?.code !== 'job_cancelled')
    context.bus.log.warn({ err: thrown as Error, task_id: claim.taskId, subject: claim.subject }, 'job failed');
  await persist(context, msg, dispatcherRpc.fail, { ...held, ...failureOf(thrown) });
}

function failureOf(thrown: unknown): { code: string; message: string; retryable: boolean } {
  if (isAppError(thrown)) return { code: thrown.code, message: thrown.message, retryable: !thrown.permanent };
  if (isFullStorage(thrown)) return { code: 'storage_full', message: 'The storage is full', retryable: true };
  return { code: 'internal_error', message: 'The job failed unexpectedly', retryable: true };
}

/**
 * Repeats a request until the dispatcher replies. Claim id and fencing token make it idempotent, so retries are
 * safe; the signal's ack wait is extended during that time. @returns undefined when the worker stops before a reply.
 */
async function persist<R extends RpcDef>(
  { bus, stop }: WorkerContext,
  msg: JsMsg,
  def: R,
  request: RequestOf<R>,
): Promise<ReplyOf<R> | undefined> {
  for (let pause = 100; ; pause = Math.min(5_000, pause * 2)) {
    try {
      return await bus.request(def, request);
    } catch (error) {
      if (isAppError(error) && error.kind !== 'unavailable') throw error;
      if (stop.aborted && pause > 2_000) return undefined;
      msg.working();
      await sleep(pause);
    }
  }
}

/** Tells of a task's progress, a few times a second at most. */
function progressOf(bus: Bus, subject: string, held: { taskId: string; token: number }, input: unknown) {
  const { runId, fileId, ownerId } = ofRun(input);
  const stage = subject.split('.').at(-1) as Stage;
  return coalesce<[number, string]>(250, (fraction, message) =>
    bus.publishLive(transcriptionLive.taskProgress, {
      ...held,
      runId,
      fileId,
      ownerId,
      stage,
      fraction: Math.min(1, Math.max(0, fraction)),
      message,
    }),
  );
}

function ofRun(input: unknown) {
  return input as { runId: string; fileId: string; ownerId: string };
}
