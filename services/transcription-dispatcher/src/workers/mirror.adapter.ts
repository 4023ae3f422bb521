import { setTimeout as sleep } from 'node:timers/promises';
import type { Bus, Part } from '@overtone/service-kit';
import type { KV, QueuedIterator, KvEntry } from 'nats';
import type { z } from 'zod';
import { toLocalClock } from './workers.ts';

/**
 * A key-value bucket mirrored in memory by a watch: reads cost no round trip. Entries stay while the connection is lost and
 * the watch is opened again. Times are converted to the local clock.
 */
export function createMirror<S extends z.ZodType<{ expiresAt: number }>>(bus: Bus, bucket: string, schema: S) {
  const { mirrored, apply, load, remove } = createEntries(schema);
  let since: number | null = null;
  let kv: KV | undefined;
  let watch: QueuedIterator<KvEntry> | undefined;
  const stop = new AbortController();
  let loop = Promise.resolve();

  const follow = async (): Promise<void> => {
    kv = await bus.kv(bucket);
    let initialEntries: KvEntry[] | undefined = [];
    watch = await kv.watch({
      initializedFn: () => {
        load(initialEntries ?? []);
        initialEntries = undefined;
        since ??= Date.now();
      },
    });
    for await (const entry of watch) {
      if (initialEntries) initialEntries.push(entry);
      else apply(entry, 0);
    }
  };
  const run = async (): Promise<void> => {
    while (!stop.signal.aborted) {
      await follow().catch((err: unknown) => bus.log.debug({ err: err as Error, bucket }, 'bucket watch lost'));
      since = null;
      await sleep(500, undefined, { signal: stop.signal }).catch(() => {});
    }
  };
  const restartWatch = (): void => {
    since = null;
    watch?.stop();
  };

  const part: Part = {
    name: `bucket ${bucket}`,
    start: async () => {
      bus.onDisconnect(restartWatch);
      bus.onRenewal(restartWatch);
      loop = run();
    },
    stop: async () => {
      stop.abort();
      watch?.stop();
      await loop;
    },
  };

  return {
    entries: (): ReadonlyMap<string, z.infer<S>> => mirrored,
    /** Start of the current uninterrupted watch in epoch milliseconds; null while the watch is down. */
    since: () => since,
    remove: async (key: string): Promise<void> => {
      remove(key);
      await kv?.delete(key);
    },
    part,
  };
}

/** The mirrored entries of a bucket, with their times by the local clock. */
function createEntries<S extends z.ZodType<{ expiresAt: number }>>(schema: S) {
  const mirrored = new Map<string, z.infer<S>>();
  const storedAt = new Map<string, number>();
  const remove = (key: string): void => {
    mirrored.delete(key);
    storedAt.delete(key);
  };
  const apply = (entry: KvEntry, ageMs: number): void => {
    const value = entry.operation === 'PUT' ? schema.safeParse(entry.json()) : undefined;
    if (!value?.success) return remove(entry.key);
    mirrored.set(entry.key, toLocalClock(value.data, entry.created.getTime(), Date.now() - ageMs));
    storedAt.set(entry.key, entry.created.getTime());
  };
  /** Replaces all entries by those of a new watch. */
  const load = (entries: KvEntry[]): void => {
    for (const { entry, ageMs } of withAges(entries)) {
      // Unchanged entries keep the times of their first receipt.
      if (storedAt.get(entry.key) !== entry.created.getTime()) apply(entry, ageMs);
    }
    const presentKeys = new Set(entries.map((entry) => entry.key));
    for (const key of mirrored.keys()) if (!presentKeys.has(key)) remove(key);
  };
  return { mirrored, apply, load, remove };
}

/** Entries older than the watch with their minimum age by the broker's clock, which may differ from the local one. */
function withAges(entries: KvEntry[]): { entry: KvEntry; ageMs: number }[] {
  const latest = Math.max(...entries.map((entry) => entry.created.getTime()));
  return entries.map((entry) => ({ entry, ageMs: latest - entry.created.getTime() }));
}
