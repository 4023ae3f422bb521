import { liveness, type Queue } from '@overtone/contracts';
import { replyOf, type Bus } from '@overtone/service-kit';
import type { JsMsg, KV } from 'nats';

const { everyMs, lifeMs } = liveness.lease;

type Held = { msg: JsMsg; taskId: string; token: number; queue: Queue };
export type Lease = { release: () => Promise<void>; changeTo: (more: { remote: boolean }) => void };
export type Leases = { hold: (held: Held) => Lease };

/**
 * Keeps a claimed task visibly alive: renews the broker's acknowledgement wait and the lease in LEASES.
 * Leases are for visibility and quick recovery; safety rests on the fencing token in the dispatcher's database. So
 * the job starts without waiting for the lease to be written.
 */
export function createLeases(bus: Bus, workerId: string): Leases {
  let bucket: Promise<KV> | undefined;
  const write = async (work: (kv: KV) => Promise<unknown>): Promise<void> => {
    try {
      bucket ??= bus.kv('LEASES');
      await work(await bucket);
    } catch (error) {
      bucket = undefined;
      bus.log.debug({ err: error as Error }, 'lease not written');
    }
  };
  return {
    hold: ({ msg, taskId, token, queue }) => {
      const key = `task.${taskId}`;
      let value = {
        worker: workerId,
        service: bus.service,
        queue,
        token,
        ticket: replyOf(msg),
        deliveredAt: Date.now(),
        remote: false,
      };
      const put = (kv: KV) => {
        const saidAt = Date.now();
        return kv.put(key, JSON.stringify({ ...value, saidAt, expiresAt: saidAt + lifeMs }));
      };
      // In sequence: a release never overtakes a write.
      let last = write(put);
      const timer = setInterval(() => {
        msg.working();
        last = last.then(() => write(put));
      }, everyMs).unref();
      return {
        changeTo: ({ remote }) => {
          value = { ...value, remote };
          last = last.then(() => write(put));
        },
        release: () => {
          clearInterval(timer);
          return last.then(() => write((kv) => kv.delete(key)));
        },
      };
    },
  };
}
