import { createHash } from 'node:crypto';
import type { InputOf, JobDef } from '@overtone/contracts';
import { periodic, traceHeaders, type Bus, type Periodic } from '@overtone/service-kit';

/** An id that everybody derives alike from a name. */
export function namedId(name: string): string {
  const hash = createHash('sha256').update(name).digest('hex');
  return `${hash.slice(0, 8)}-${hash.slice(8, 12)}-8${hash.slice(13, 16)}-a${hash.slice(17, 20)}-${hash.slice(20, 32)}`;
}

/** Puts a job that its handler fences on the bus; one that is put there twice within minutes is there once. */
export function putJob<J extends JobDef>(bus: Bus, job: J, taskId: string, input: InputOf<J>): Promise<void> {
  const headers = traceHeaders();
  headers.set('Nats-Msg-Id', taskId);
  return bus.publish(job.subject, JSON.stringify({ taskId, input }), { headers });
}

/** The slot that a moment belongs to; every replica names it the same. */
export function slotOf(now: number, everyMs: number): Date {
  return new Date(Math.floor(now / everyMs) * everyMs);
}

/** Orders a periodic job once for every slot of `everyMs`: each replica does, and the broker keeps one. */
export function everySlot(
  name: string,
  everyMs: number,
  bus: Pick<Bus, 'connected'>,
  order: (slot: Date) => Promise<void>,
): Periodic {
  let ordered = 0;
  return periodic(name, Math.min(5_000, everyMs / 4), async () => {
    const slot = slotOf(Date.now(), everyMs);
    if (slot.getTime() === ordered || !bus.connected()) return;
    await order(slot);
    ordered = slot.getTime();
  });
}
