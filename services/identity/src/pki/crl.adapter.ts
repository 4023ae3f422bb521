import { Worker } from 'node:worker_threads';
import type { Log } from '@overtone/service-kit';
import type { Telemetry } from '../telemetry.ts';
import type { RevocationList } from './revocation-list.ts';

export type FetchOrder = {
  url: string;
  /** How long the server may send nothing. */
  silentMs: number;
  totalMs: number;
};
export type FetchReply =
  | { ok: true; lists: RevocationList[]; bytes: number }
  | {
      ok: false;
      reason: string;
      /** The server sent something, and that is no revocation list. */
      isUnreadable: boolean;
    };

const limits = { silentMs: 10_000, totalMs: 120_000 };
/** What one list of the largest size takes of JavaScript's heap; the list itself stands outside of it. */
const resourceLimits = { maxOldGenerationSizeMb: 256 };

/** Downloads and reads the lists of an address in a worker thread. */
export const fetchRevocationLists = (url: string): Promise<FetchReply> =>
  new Promise((resolve) => {
    const workerData: FetchOrder = { url, ...limits };
    const worker = new Worker(new URL('./fetch-lists.main.ts', import.meta.url), { workerData, resourceLimits });
    worker.unref();
    worker.once('message', (reply: FetchReply) => resolve(reply));
    worker.once('error', (error) => resolve({ ok: false, reason: error.message, isUnreadable: false }));
    worker.once('exit', () => resolve({ ok: false, reason: 'the worker thread ended', isUnreadable: false }));
  });

type Entry = {
  url: string;
  fetchedAt: number;
  /** After a failure: not again before. */
  retryAt: number;
  lists: readonly RevocationList[];
  fetching: { since: number; done: Promise<void> } | undefined;
};

type Deps = {
  log: Pick<Log, 'warn' | 'info'>;
  telemetry: Pick<Telemetry, 'listFetches'>;
  fetchLists?: typeof fetchRevocationLists;
  clock?: () => number;
};

/** How long a sign-in waits for a refresh, counted from its beginning: without a valid list, and with one. */
const waitMs = { withoutList: 10_000, withList: 1_500 };

/**
 * Fetches revocation lists and keeps them. While there is a list that is valid by its own dates, a sign-in waits for a due
 * refresh only as long as a responsive server takes; the rest of the refresh runs in the background.
 */
export const createCrlSource = ({ log, telemetry, fetchLists = fetchRevocationLists, clock = Date.now }: Deps) => {
  let entry: Entry | undefined;

  const refresh = async (mine: Entry): Promise<void> => {
    const startedAt = clock();
    const reply = await fetchLists(mine.url);
    const now = clock();
    telemetry.listFetches.inc({ result: reply.ok ? 'ok' : 'failed' });
    if (reply.ok) {
      mine.lists = reply.lists;
      mine.fetchedAt = now;
      const entries = reply.lists.reduce((sum, list) => sum + list.serials.count, 0);
      log.info({ url: mine.url, entries, bytes: reply.bytes, duration_ms: now - startedAt }, 'revocation list fetched');
    } else {
      // As long as the failure took: an unresponsive server costs sign-ins half of the time at most.
      mine.retryAt = now + (now - startedAt);
      log.warn({ url: mine.url, reason: reply.reason, duration_ms: now - startedAt }, 'revocation list fetch failed');
    }
  };

  const entryOf = (url: string): Entry => {
    if (entry?.url !== url) entry = { url, fetchedAt: -Infinity, retryAt: -Infinity, lists: [], fetching: undefined };
    return entry;
  };

  /** Starts a refresh when one is due and none is in progress. */
  const refreshWhenDue = (mine: Entry, keepSeconds: number): void => {
    const now = clock();
    const isDue = now - mine.fetchedAt >= keepSeconds * 1000 && now >= mine.retryAt;
    if (!isDue || mine.fetching) return;
    const done = refresh(mine).finally(() => (mine.fetching = undefined));
    mine.fetching = { since: performance.now(), done };
  };

  return {
    /** The newest lists that could be fetched; empty when there never was one. */
    listsOf: async (url: string, keepSeconds: number): Promise<readonly RevocationList[]> => {
      const mine = entryOf(url);
      refreshWhenDue(mine, keepSeconds);
      if (mine.fetching) {
        const hasList = mine.lists.some((list) => (list.nextUpdate ?? -Infinity) >= clock());
        const until = mine.fetching.since + (hasList ? waitMs.withList : waitMs.withoutList);
        await Promise.race([mine.fetching.done, elapsed(until - performance.now())]);
      }
      return mine.lists;
    },
    /** Starts a refresh when one is due, without waiting for it. @returns what there is already. */
    refreshInBackground: (url: string, keepSeconds: number): readonly RevocationList[] => {
      const mine = entryOf(url);
      refreshWhenDue(mine, keepSeconds);
      return mine.lists;
    },
  };
};
export type CrlSource = ReturnType<typeof createCrlSource>;

const elapsed = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, Math.max(0, ms)).unref());
