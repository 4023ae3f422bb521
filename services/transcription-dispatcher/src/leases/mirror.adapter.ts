import { setTimeout as sleep } from 'node:timers/promises';
import type { Bus, Part } from '@overtone/service-kit';
import type { KV, QueuedIterator, KvEntry } from 'nats';
import type { z } from 'zod';

export type Mirror<T> = {
  get: (key: string) => T | undefined;
  entries: () => ReadonlyMap<string, T>;
  /** Since when, in epoch milliseconds, the mirror follows the bucket without a gap; null while it does not. */
  since: () => number | null;
  remove: (key: string) => Promise<void>;
  part: Part;
};

/**
 * A key-value bucket kept in memory by a watch: reading it costs no round trip. After a lost connection the watch is
 * made anew; entries stay meanwhile, because absence of news is no news of absence.
 */
export const createMirror = <S extends z.ZodType>(bus: Bus, bucket: string, schema: S): Mirror<z.infer<S>> => {
  const seen = new Map<string, z.infer<S>>();
  let since: number | null = null;
  let kv: KV | undefined;
  let watch: QueuedIterator<KvEntry> | undefined;
  const stop = new AbortController();
  let loop = Promise.resolve();

  const apply = (entry: KvEntry): void => {
    const value = entry.operation === 'PUT' ? schema.safeParse(entry.json()) : undefined;
    if (value?.success) seen.set(entry.key, value.data);
    else seen.delete(entry.key);
  };

  const follow = async (): Promise<void> => {
    kv = await bus.kv(bucket);
    const before = new Set(seen.keys());
    watch = await kv.watch({
      initializedFn: () => {
        for (const key of before) seen.delete(key);
        before.clear();
        since ??= Date.now();
      },
    });
    for await (const entry of watch) {
      before.delete(entry.key);
      apply(entry);
    }
  };

  const run = async (): Promise<void> => {
    while (!stop.signal.aborted) {
      await follow().catch((err: unknown) => bus.log.debug({ err: err as Error, bucket }, 'bucket not followed'));
      since = null;
      await sleep(500, undefined, { signal: stop.signal }).catch(() => {});
    }
  };
  const again = (): void => {
    since = null;
    watch?.stop();
  };

  return {
    get: (key) => seen.get(key),
    entries: () => seen,
    since: () => since,
    remove: async (key) => {
      seen.delete(key);
      await kv?.delete(key);
    },
    part: {
      name: `bucket ${bucket}`,
      start: async () => {
        bus.onDisconnect(again);
        bus.onReconnect(again);
        loop = run();
      },
      stop: async () => {
        stop.abort();
        watch?.stop();
        await loop;
      },
    },
  };
};
