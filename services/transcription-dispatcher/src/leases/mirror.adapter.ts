import { setTimeout as sleep } from 'node:timers/promises';
import type { Bus, Part } from '@overtone/service-kit';
import type { KV, QueuedIterator, KvEntry } from 'nats';
import type { z } from 'zod';
import { inOurTime } from './leases.ts';

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
 * made anew; entries stay meanwhile, because absence of news is no news of absence. Times are by this host's clock.
 */
export const createMirror = <S extends z.ZodType<{ expiresAt: number }>>(
  bus: Bus,
  bucket: string,
  schema: S,
): Mirror<z.infer<S>> => {
  const seen = new Map<string, z.infer<S>>();
  const storedAt = new Map<string, number>();
  let since: number | null = null;
  let kv: KV | undefined;
  let watch: QueuedIterator<KvEntry> | undefined;
  const stop = new AbortController();
  let loop = Promise.resolve();

  const forget = (key: string): void => {
    seen.delete(key);
    storedAt.delete(key);
  };
  const apply = (entry: KvEntry, ageMs: number): void => {
    const value = entry.operation === 'PUT' ? schema.safeParse(entry.json()) : undefined;
    if (!value?.success) return forget(entry.key);
    seen.set(entry.key, inOurTime(value.data, entry.created.getTime(), Date.now() - ageMs));
    storedAt.set(entry.key, entry.created.getTime());
  };

  const follow = async (): Promise<void> => {
    kv = await bus.kv(bucket);
    let standing: KvEntry[] | undefined = [];
    watch = await kv.watch({
      initializedFn: () => {
        for (const { entry, ageMs } of aged(standing ?? [])) {
          // Heard before, and no news since.
          if (storedAt.get(entry.key) !== entry.created.getTime()) apply(entry, ageMs);
        }
        const still = new Set(standing?.map((entry) => entry.key));
        for (const key of seen.keys()) if (!still.has(key)) forget(key);
        standing = undefined;
        since ??= Date.now();
      },
    });
    for await (const entry of watch) {
      if (standing) standing.push(entry);
      else apply(entry, 0);
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
      forget(key);
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

/** What stood in a bucket before it was followed, and at least how long: by the broker's clock, whatever ours shows. */
const aged = (entries: KvEntry[]): { entry: KvEntry; ageMs: number }[] => {
  const latest = Math.max(...entries.map((entry) => entry.created.getTime()));
  return entries.map((entry) => ({ entry, ageMs: latest - entry.created.getTime() }));
};
