import type { JsMsg } from 'nats';
import { isAppError } from '../errors.ts';
import type { Bench, Job } from './delivery.ts';

/**
 * Does a job that its handler fences itself: the broker alone repeats it, up to the job's attempts. Nobody waits for
 * its output, so what counts is what the handler has stored.
 */
export const runUnclaimed = async (
  { bus, leases, stop }: Bench,
  { def, handler }: Job,
  msg: JsMsg,
  taskId: string,
  rawInput: unknown,
): Promise<void> => {
  const attempt = msg.info.redeliveryCount;
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
