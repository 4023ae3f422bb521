import type { workerValue } from '@overtone/contracts';
import type { KV } from 'nats';
import type { z } from 'zod';
import type { Bus } from '../bus/bus.ts';

type Value = z.infer<typeof workerValue>;
/** What a worker may say of itself. */
export type Ability = Partial<Omit<Value, 'service' | 'pulls' | 'saidAt' | 'expiresAt'>>;

const everyMs = 1_000;
const lifeMs = 4_000;

/** Shows in WORKERS that this process lives, every second, and what it pulls: who falls silent is dead within four. */
export const beat = (
  bus: Bus,
  { workerId, about }: { workerId: string; about?: () => Ability },
  pulls: () => string[],
): { stop: () => Promise<void> } => {
  const key = `worker.${workerId}`;
  let kv: KV | undefined;
  let busy = false;
  const tell = async (): Promise<void> => {
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
  // The dispatcher makes the bucket; until it has, there is nobody to tell.
  const quietly = async (): Promise<void> => {
    if (busy || !bus.connected()) return;
    busy = true;
    await tell().catch((e: unknown) => {
      kv = undefined;
      bus.log.debug({ err: e as Error }, 'heartbeat not told');
    });
    busy = false;
  };
  void quietly();
  const timer = setInterval(() => void quietly(), everyMs).unref();
  return {
    stop: async () => {
      clearInterval(timer);
      await kv?.delete(key).catch(() => {});
    },
  };
};
