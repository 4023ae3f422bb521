import { setTimeout as sleep } from 'node:timers/promises';
import { dispatcherRpc, type Queue } from '@overtone/contracts';
import type { JsMsg } from 'nats';
import { isAppError } from '../errors.ts';
import type { Bench, Job } from './delivery.ts';

const lookAgainMs = 1_000;

/**
 * Keeps the job in hand, unbegun, while an administrator holds its queue: no try is used up. A dispatcher that cannot be
 * asked changes nothing.
 */
const whilePaused = async ({ bus, stop }: Pick<Bench, 'bus' | 'stop'>, queue: Queue, msg: JsMsg): Promise<void> => {
  let held = false;
  for (;;) {
    held = await bus.ask(dispatcherRpc.paused, { queue }).then(
      ({ paused }) => paused,
      () => held,
    );
    if (!held || stop.aborted) return;
    msg.working();
    await sleep(lookAgainMs, undefined, { signal: stop }).catch(() => {});
  }
};

/**
 * Does a job that its handler fences itself: the broker alone repeats it, up to the job's attempts. Nobody waits for
 * its output, so what counts is what the handler has stored.
 */
export const runUnclaimed = async (
  bench: Bench,
  { def, handler }: Job,
  msg: JsMsg,
  taskId: string,
  rawInput: unknown,
): Promise<void> => {
  const { bus, leases, stop } = bench;
  const attempt = msg.info.redeliveryCount;
  await whilePaused(bench, def.queue, msg);
  if (stop.aborted) return msg.nak(0);
  const lease = leases.hold({ msg, taskId, token: attempt, queue: def.queue });
  try {
    const input = def.input.parse(rawInput);
    await handler(input, { taskId, token: attempt, attempt, signal: stop, progress: () => {} });
    await bus.acknowledge(msg).catch(() => {});
  } catch (err) {
    const permanent = isAppError(err) && err.permanent;
    const again = stop.aborted || (!permanent && attempt < def.policy.attempts);
    const said = { err: err as Error, subject: def.subject, task_id: taskId, attempt };
    if (again) bus.log.info(said, 'job comes again');
    else bus.log.error(said, 'job failed');
    if (again) msg.nak(stop.aborted ? 0 : def.policy.backoffMs);
    else msg.term();
  } finally {
    await lease.release();
  }
};
