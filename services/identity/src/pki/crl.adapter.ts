import { Worker } from 'node:worker_threads';
import type { Log } from '@overtone/service-kit';
import pTimeout from 'p-timeout';
import type { Telemetry } from '../telemetry.ts';
import type { RevocationList } from './revocation-list.ts';

export type FetchRequest = {
  url: string;
  /** Longest time without data from the server. */
  idleTimeoutMs: number;
  totalTimeoutMs: number;
};
export type FetchReply =
  | { ok: true; lists: RevocationList[]; bytes: number }
  | {
      ok: false;
      reason: string;
      /** The response is no revocation list. */
      isUnreadable: boolean;
    };

const timeouts = { idleTimeoutMs: 10_000, totalTimeoutMs: 120_000 };
/** Enough for a list of the largest size, whose bytes are outside of the JavaScript heap. */
const resourceLimits = { maxOldGenerationSizeMb: 256 };

/** Downloads and reads the lists of an address in a worker thread. */
export function fetchRevocationLists(url: string): Promise<FetchReply> {
  return new Promise((resolve) => {
    const workerData: FetchRequest = { url, ...timeouts };
    const worker = new Worker(new URL('./fetch-lists.main.ts', import.meta.url), { workerData, resourceLimits });
    worker.unref();
    worker.once('message', (reply: FetchReply) => resolve(reply));
    worker.once('error', (error) => resolve({ ok: false, reason: error.message, isUnreadable: false }));
    worker.once('exit', () => resolve({ ok: false, reason: 'the worker thread ended', isUnreadable: false }));
  });
}

type Lists = readonly RevocationList[];
/** The lists of one address. */
type Entry = {
  url: string;
  fetchedAt: number;
  /** Earliest time of the next attempt after a failure. */
  retryAt: number;
  lists: Lists;
  /** The refresh in progress. */
  refresh: { startedAt: number; done: Promise<void> } | undefined;
};

type Deps = {
  log: Pick<Log, 'warn' | 'info'>;
  telemetry: Pick<Telemetry, 'listFetches'>;
  fetchLists?: typeof fetchRevocationLists;
  clock?: () => number;
};

/** Longest time from the start of a refresh that sign-ins wait for it: without a valid list, and with one. */
const waitMs = { withoutList: 10_000, withList: 1_500 };

/**
 * Fetches revocation lists and keeps them. While the known list is valid by its dates, a sign-in waits for a refresh only
 * as long as a responsive server takes; a slower refresh continues in the background.
 */
export function createCrlSource({ clock = Date.now, ...deps }: Deps) {
  const refresh = createRefresh({ clock, ...deps });
  let entry: Entry | undefined;

  /** The entry of the address, whose refresh is started when it is due and none is in progress. */
  const refreshedEntryOf = (url: string, cacheSeconds: number): Entry => {
    if (entry?.url !== url) entry = createEntry(url);
    const target = entry;
    const isDue = clock() - target.fetchedAt >= cacheSeconds * 1000 && clock() >= target.retryAt;
    if (isDue && !target.refresh) {
      const done = refresh(target).finally(() => (target.refresh = undefined));
      target.refresh = { startedAt: performance.now(), done };
    }
    return target;
  };

  return {
    /** The lists of the last successful download; empty before the first one. */
    listsOf: async (url: string, cacheSeconds: number): Promise<Lists> => {
      const target = refreshedEntryOf(url, cacheSeconds);
      if (target.refresh) {
        const hasValidList = target.lists.some((list) => (list.nextUpdate ?? -Infinity) >= clock());
        const until = target.refresh.startedAt + (hasValidList ? waitMs.withList : waitMs.withoutList);
        const milliseconds = Math.max(1, until - performance.now());
        await pTimeout(target.refresh.done, { milliseconds, message: false });
      }
      return target.lists;
    },
    /** Starts a refresh when one is due, without waiting for it. @returns the lists that are known already. */
    refreshInBackground: (url: string, cacheSeconds: number): Lists => refreshedEntryOf(url, cacheSeconds).lists,
    /** Takes over lists that were fetched before a restart; the next refresh is due immediately. */
    restore: (url: string, lists: Lists): void => {
      entry = createEntry(url, lists);
    },
  };
}

export type CrlSource = ReturnType<typeof createCrlSource>;

function createEntry(url: string, lists: Lists = []): Entry {
  return { url, fetchedAt: -Infinity, retryAt: -Infinity, lists, refresh: undefined };
}

/** Downloads the lists of an entry; a failed download keeps those that it has. */
function createRefresh({ log, telemetry, fetchLists = fetchRevocationLists, clock }: Deps & { clock: () => number }) {
  return async (target: Entry): Promise<void> => {
    const { url } = target;
    const startedAt = clock();
    const reply = await fetchLists(url);
    const now = clock();
    const duration_ms = now - startedAt;
    telemetry.listFetches.inc({ result: reply.ok ? 'ok' : 'failed' });
    if (reply.ok) {
      target.lists = reply.lists;
      target.fetchedAt = now;
      const entries = reply.lists.reduce((sum, list) => sum + list.serials.count, 0);
      log.info({ url, entries, bytes: reply.bytes, duration_ms }, 'revocation list fetched');
    } else {
      // A pause as long as the failure took: sign-ins wait for an unresponsive server half of the time at most.
      target.retryAt = now + duration_ms;
      log.warn({ url, reason: reply.reason, duration_ms }, 'revocation list fetch failed');
    }
  };
}
