import { setTimeout as sleep } from 'node:timers/promises';
import { dispatcherRpc, type Queue } from '@overtone/contracts';
import { isAppError } from '@overtone/service-kit';
import type { JsMsg } from 'nats';
import type { WorkerContext, Job } from './delivery.ts';
import type { Seat } from './seat.ts';

const recheckMs = 1_000;

/**
 * Runs a job that its handler fences itself: only the broker redelivers it, up to the job's attempts. Its output is not
 * awaited; the result is what the handler has stored.
 */
export async function runUnclaimed(
  context: WorkerContext,
  { def, handler }: Job,
  msg: JsMsg,
  { taskId, input: rawInput, seat }: { taskId: string; input: unknown; seat: Seat },
): Promise<void> {
  const { bus, leases, stop } = context;
  const attempt = msg.info.redeliveryCount;
  await whilePaused(context, def.queue, msg);
  if (stop.aborted) return msg.nak(0);
  const lease = leases.hold({ msg, taskId, token: attempt, queue: def.queue });
  try {
    const input = def.input.parse(rawInput);
    await handler(input, { taskId, token: attempt, attempt, signal: stop, progress: () => {}, seat });
    await bus.acknowledge(msg).catch(() => {});
  } catch (err) {
    const permanent = isAppError(err) && err.permanent;
    const again = stop.aborted || (!permanent && attempt < def.policy.attempts);
    const fields = { err: err as Error, subject: def.subject, task_id: taskId, attempt };
    if (again) bus.log.info(fields, 'job retry scheduled');
    else bus.log.error(fields, 'job failed');
    if (again) msg.nak(stop.aborted ? 0 : def.policy.backoffMs);
    else msg.term();
  } finally {
    await lease.release();
  }
}

/**
 * Holds the job back while its queue is paused: this uses up no attempt. A dispatcher that cannot be
 * reached changes nothing.
 */
async function whilePaused(
  { bus, stop }: Pick<WorkerContext, 'bus' | 'stop'>,
  queue: Queue,
  msg: JsMsg,
): Promise<void> {
  let held = false;
  for (;;) {
    held = await bus.request(dispatcherRpc.paused, { queue }).then(
      ({ paused }) => paused,
      () => held,
    );
    if (!held || stop.aborted) return;
    msg.working();
    await sleep(recheckMs, undefined, { signal: stop }).catch(() => {});
  }
}
