import { isAppError } from '../errors.ts';
import type { Doing } from './delivery.ts';
import { holdLease } from './lease.ts';

/**
 * Does a job that its handler fences itself: the broker alone repeats it, up to the job's attempts. Nobody waits for
 * its output, so what counts is what the handler has stored.
 */
export const runUnclaimed = async (d: Doing, taskId: string, rawInput: unknown): Promise<void> => {
  const attempt = d.msg.info.redeliveryCount;
  const lease = await holdLease({
    bus: d.bus,
    msg: d.msg,
    taskId,
    token: attempt,
    queue: d.def.queue,
    workerId: d.workerId,
  });
  try {
    const input = d.def.input.parse(rawInput);
    await d.handler(input, { taskId, token: attempt, attempt, signal: d.stop, progress: () => {} });
    await d.bus.acknowledge(d.msg).catch(() => {});
  } catch (err) {
    const permanent = isAppError(err) && err.permanent;
    const again = d.stop.aborted || (!permanent && attempt < d.def.policy.attempts);
    const said = { err: err as Error, subject: d.def.subject, task_id: taskId, attempt };
    if (again) d.bus.log.info(said, 'job comes again');
    else d.bus.log.error(said, 'job failed');
    if (again) d.msg.nak(d.stop.aborted ? 0 : d.def.policy.backoffMs);
    else d.msg.term();
  } finally {
    await lease.release();
  }
};
