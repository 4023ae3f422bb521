import type { Queue } from '@overtone/contracts';
import type { JsMsg, KV } from 'nats';
import type { Bus } from '../bus/bus.ts';
import { replyOf } from '../bus/confirm.ts';

const renewMs = 5_000;
const lifeMs = 15_000;

type Held = { bus: Bus; msg: JsMsg; taskId: string; token: number; queue: Queue; workerId: string };

/**
 * Keeps a claimed task visibly alive: renews the broker's acknowledgement wait and the lease in LEASES every 5 s.
 * Leases are for visibility and quick recovery; safety rests on the fencing token in the dispatcher's database.
 */
export const holdLease = async (h: Held): Promise<{ release: () => Promise<void> }> => {
  const deliveredAt = Date.now();
  const key = `task.${h.taskId}`;
  let kv: KV | undefined;
  const renew = async () => {
    h.msg.working();
    kv ??= await h.bus.kv('LEASES');
    const value = {
      worker: h.workerId,
      service: h.bus.service,
      queue: h.queue,
      token: h.token,
      ticket: replyOf(h.msg),
      deliveredAt,
      expiresAt: Date.now() + lifeMs,
    };
    await kv.put(key, JSON.stringify(value));
  };
  const quietly = () =>
    renew().catch((e: unknown) => {
      kv = undefined;
      h.bus.log.debug({ err: e as Error }, 'lease not renewed');
    });
  await quietly();
  const timer = setInterval(() => void quietly(), renewMs);
  return {
    release: async () => {
      clearInterval(timer);
      await kv?.delete(key).catch(() => {});
    },
  };
};
