import { liveness, type workerValue } from '@overtone/contracts';
import type { Bus } from '@overtone/service-kit';
import type { KV } from 'nats';
import type { z } from 'zod';

type Value = z.infer<typeof workerValue>;
/** What a worker reports about itself. */
export type Ability = Partial<Omit<Value, 'service' | 'pulls' | 'saidAt' | 'expiresAt'>>;

const { everyMs, lifeMs } = liveness.heartbeat;

/** Writes heartbeats with the pulled queues to WORKERS: without one for `lifeMs` a worker counts as dead. */
export function beat(
  bus: Bus,
  { workerId, about }: { workerId: string; about?: () => Ability },
  pulls: () => string[],
): { stop: () => Promise<void> } {
  const key = `worker.${workerId}`;
  let kv: KV | undefined;
  let busy = false;
  const writeHeartbeat = async (): Promise<void> => {
    kv ??= await bus.kv('WORKERS');
    const saidAt = Date.now();
    const value: Value = {
      engine: null,
      engineNote: null,
      ...about?.(),
      service: bus.service,
      pulls: pulls(),
      saidAt,
      expiresAt: saidAt + lifeMs,
    };
    await kv.put(key, JSON.stringify(value));
  };
  // The dispatcher creates the bucket; until then heartbeats are skipped.
  const tryHeartbeat = async (): Promise<void> => {
    if (busy || !bus.connected()) return;
    busy = true;
    await writeHeartbeat().catch((error: unknown) => {
      kv = undefined;
      bus.log.debug({ err: error as Error }, 'heartbeat not written');
    });
    busy = false;
  };
  void tryHeartbeat();
  const timer = setInterval(() => void tryHeartbeat(), everyMs).unref();
  return {
    stop: async () => {
      clearInterval(timer);
      await kv?.delete(key).catch(() => {});
    },
  };
}
