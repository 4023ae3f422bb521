import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Log } from '@overtone/service-kit';
import type { Db } from '../database.ts';
import type { People } from '../ports/people.adapter.ts';
import { SourceUnavailable, type Listing, type Place } from './place.ts';
import type { Takes } from './take.service.ts';
import {
  createFilter,
  decide,
  isNotMounted,
  ownerFolderOf,
  type Entry,
  type FoundOwner,
  type Rules,
} from './watch-sources.ts';
import * as store from './watch-sources.store.ts';
import type { Known, NewDecision, Source } from './watch-sources.store.ts';

export type ScannerDeps = {
  db: Db;
  people: Pick<People, 'exists' | 'find'>;
  takes: Takes;
  openPlace: (source: Source, onChange: () => void) => Promise<Place>;
  maxBytes: number;
  log: Log;
};

/** A file system that does not respond within this time is unavailable. */
const listWithinMs = 120_000;
/** After this time of imports the source is compared again, because other files may have arrived. */
const takeForMs = 60_000;
/** Files of one source that are imported at once. */
const concurrentTakes = 3;
const ownerCacheMs = 60_000;
const eventDelayMs = 500;
/** Scans that events cause take at most this share of the time. */
const maxShare = 1 / 20;

/** Scans all sources that this process holds; another process continues when this one is lost. */
export function createScanner(deps: ScannerDeps) {
  const { db, log } = deps;
  const holder = randomUUID();
  const runners = new Map<string, Runner>();
  const remove = (id: string): void => {
    runners.get(id)?.stop();
    runners.delete(id);
  };
  return {
    /** Now, while this process has sources: their files arrive without a request. */
    nextCheck: async (): Promise<Date | null> => (runners.size > 0 ? new Date() : null),
    /** Takes sources over and starts the scans that are due. */
    check: async (): Promise<void> => {
      const sources = await store.claimSources(db, holder);
      const held = new Set(sources.map(({ id }) => id));
      for (const id of runners.keys()) if (!held.has(id)) remove(id);
      for (const source of sources) {
        const current = runners.get(source.id);
        if (current && current.version !== source.version) remove(source.id);
        const runner = runners.get(source.id) ?? createRunner(deps, source);
        runners.set(source.id, runner);
        runner
          .poll(source)
          .catch((err: unknown) => log.warn({ err: err as Error, source: source.id }, 'watch scan failed'));
      }
    },
    stop: async (): Promise<void> => {
      const stopping = [...runners.values()];
      for (const id of runners.keys()) remove(id);
      await Promise.all(
        stopping.map((runner) => Promise.race([runner.ended(), sleep(5_000, undefined, { ref: false })])),
      );
      await store.releaseSources(db, holder);
    },
  };
}

type Runner = {
  version: number;
  poll: (source: Source) => Promise<void>;
  ended: () => Promise<void>;
  stop: () => void;
};

/** The state of one source in this process, for one version of its settings. */
function createRunner(deps: ScannerDeps, { version }: Source): Runner {
  const aborter = new AbortController();
  const owners = createOwners(deps.people);
  const sightings = new Map<string, { version: string; since: number }>();
  let place: Place | undefined;
  let known: Map<string, Known> | undefined;
  let running: Promise<void> | undefined;
  let nextAt = 0;
  let earliestAt = 0;
  let startedAt = 0;
  let hasChanged = false;
  let listing: Promise<unknown> | undefined;

  /** A listing that hangs is not started a second time: each one occupies a thread of the file system. */
  const list = async (open: Place): Promise<Listing> => {
    if (listing) throw noResponse();
    const late = AbortSignal.timeout(listWithinMs);
    const started = open.list(AbortSignal.any([aborter.signal, late]));
    listing = started.then(
      () => (listing = undefined),
      () => (listing = undefined),
    );
    const timeout = once(late, 'abort', { signal: aborter.signal }).then(() => Promise.reject(noResponse()));
    timeout.catch(() => undefined);
    return await Promise.race([started, timeout]);
  };
  const onChange = (): void => {
    hasChanged = true;
    nextAt = Math.min(nextAt, Math.max(Date.now() + eventDelayMs, earliestAt));
  };

  const scan = async (source: Source): Promise<void> => {
    startedAt = Date.now();
    hasChanged = false;
    let result: { dueAt: number; scanMs: number } = { dueAt: Infinity, scanMs: 0 };
    try {
      known ??= await store.loadKnown(deps.db, source.id);
      place ??= await deps.openPlace(source, onChange);
      result = await scanOnce(deps, { source, place, list, known, sightings, owners, signal: aborter.signal });
    } catch (error) {
      if (aborter.signal.aborted) return;
      if (!(error instanceof SourceUnavailable)) throw error;
      await store.setUnavailable(deps.db, source, error);
    } finally {
      const now = Date.now();
      earliestAt = now + result.scanMs / maxShare;
      const pollAt = startedAt + source.settings.poll_seconds * 1000;
      // What changed during the scan may have been listed before.
      const dueAt = hasChanged ? now : result.dueAt;
      nextAt = Math.max(now + eventDelayMs, Math.min(pollAt, Math.max(dueAt, earliestAt)));
    }
  };

  return {
    version,
    poll: async (source) => {
      const isRequested = source.scanRequestedAt !== null && source.scanRequestedAt.getTime() > startedAt;
      if (running || aborter.signal.aborted || (Date.now() < nextAt && !isRequested)) return;
      running = scan(source);
      try {
        await running;
      } finally {
        running = undefined;
      }
    },
    ended: async () => {
      await running?.catch(() => undefined);
    },
    stop: () => {
      aborter.abort();
      place?.close();
    },
  };
}

type Scan = {
  source: Source;
  place: Place;
  list: (place: Place) => Promise<Listing>;
  known: Map<string, Known>;
  sightings: Map<string, { version: string; since: number }>;
  owners: Owners;
  signal: AbortSignal;
};

/** @returns when the next decision is due, and how long the listing took. */
async function scanOnce(deps: ScannerDeps, scan: Scan): Promise<{ dueAt: number; scanMs: number }> {
  const { source, place, known, signal } = scan;
  const startedAt = Date.now();
  const listing = await scan.list(place);
  const { entries, identity } = listing;
  // Decisions are stored once: only the listing is repeated by every scan.
  const scanMs = Math.max(1, Date.now() - startedAt);
  if (isNotMounted(listing, source))
    throw new SourceUnavailable(
      'not_mounted',
      'Another, empty folder is there instead of the one with the files. It is probably not mounted.',
    );
  const work = await compare(deps, scan, entries);
  await store.setAvailable(deps.db, source, {
    files: entries.length,
    hasEvents: place.hasEvents(),
    scanMs,
    rootIdentity: entries.length > 0 || source.rootIdentity === null ? identity : source.rootIdentity,
  });
  const waiting = work.takes.values();
  const takeNext = async (): Promise<void> => {
    for (const { entry, ownerId, tags, collection } of waiting) {
      if (signal.aborted) return;
      if (Date.now() - startedAt > takeForMs) {
        work.dueAt = Date.now();
        return;
      }
      const take = { source, place, entry, ownerId, tags, collection, signal, known: known.get(entry.path) };
      const stored = await deps.takes.take(take);
      remember(known, source, stored);
      if (stored.decision === 'waiting') scan.sightings.delete(entry.path);
      if (stored.afterState === 'pending') work.finishes.push(entry);
      if (stored.decision === 'waiting' || stored.decision === 'failed')
        work.dueAt = Math.min(work.dueAt, stored.nextAttemptAt ?? Date.now() + source.settings.stable_seconds * 1000);
    }
  };
  const ended = await Promise.allSettled(Array.from({ length: concurrentTakes }, takeNext));
  const failed = ended.find((result) => result.status === 'rejected');
  if (failed) throw failed.reason;
  for (const entry of work.finishes) {
    if (signal.aborted) break;
    await deps.takes.finish({ source, place, entry });
    const row = await store.findDecision(deps.db, source.id, entry.path);
    const current = known.get(entry.path);
    if (row && current) {
      current.afterState = row.afterState;
      current.nextAttemptAt = row.nextAttemptAt?.getTime() ?? null;
    }
  }
  return { dueAt: work.dueAt, scanMs };
}

function noResponse(): SourceUnavailable {
  return new SourceUnavailable('no_response', 'The source does not respond.');
}

type Work = {
  takes: { entry: Entry; ownerId: string; tags: string[]; collection: string | null }[];
  finishes: Entry[];
  dueAt: number;
};

/** Decides about every file and stores what is new. */
async function compare(deps: ScannerDeps, scan: Scan, entries: readonly Entry[]): Promise<Work> {
  const { source, known, sightings, owners } = scan;
  const now = Date.now();
  const { settings, version: sourceVersion } = source;
  const rules: Rules = { settings, sourceVersion, maxBytes: deps.maxBytes, isIncluded: createFilter(settings) };
  const work: Work = { takes: [], finishes: [], dueAt: Infinity };
  const decisions: NewDecision[] = [];
  const back: string[] = [];
  const present = new Set<string>();
  await owners.load(
    source,
    entries.filter((entry) => isOpen(known.get(entry.path), entry)),
  );
  for (const entry of entries) {
    present.add(entry.path);
    const remembered = known.get(entry.path);
    if (remembered?.isGone && remembered.version === entry.version) back.push(entry.path);
    const sighting = sightingOf(sightings, entry, now);
    const owner = owners.of(source, entry.path);
    const decision = decide({ entry, remembered, sighting, owner, now }, rules);
    switch (decision.kind) {
      case 'unchanged':
        sightings.delete(entry.path);
        if (remembered?.nextAttemptAt) work.dueAt = Math.min(work.dueAt, remembered.nextAttemptAt);
        break;
      case 'finish':
        work.finishes.push(entry);
        break;
      case 'take':
        work.takes.push({ entry, ...decision });
        break;
      case 'wait':
        work.dueAt = Math.min(work.dueAt, decision.until);
        if (remembered?.decision !== 'waiting' || remembered.version !== entry.version)
          decisions.push({ entry, decision: 'waiting', reason: decision.reason, fileId: importedFileOf(remembered) });
        break;
      case 'reject': {
        const { decision: kind, reason, retryAt: nextAttemptAt } = decision;
        decisions.push({ entry, decision: kind, reason, nextAttemptAt });
        if (nextAttemptAt !== null) work.dueAt = Math.min(work.dueAt, nextAttemptAt);
        break;
      }
    }
  }
  const missing = [...known].filter(([path, { isGone }]) => !isGone && !present.has(path)).map(([path]) => path);
  await store.storeDecisions(deps.db, source, decisions);
  await store.markGone(deps.db, source.id, missing, true);
  await store.markGone(deps.db, source.id, back, false);
  for (const stored of decisions) remember(known, source, stored);
  for (const path of missing) {
    const row = known.get(path);
    if (row?.afterState === 'done') known.delete(path);
    else if (row) row.isGone = true;
  }
  for (const path of back) {
    const row = known.get(path);
    if (row) row.isGone = false;
  }
  for (const path of sightings.keys()) if (!present.has(path)) sightings.delete(path);
  return work;
}

/** The import of an earlier version is kept while the file waits: often only its times have changed. */
function importedFileOf(remembered: Known | undefined): string | null {
  return remembered?.decision === 'imported' || remembered?.decision === 'waiting' ? remembered.fileId : null;
}

/** Whether a decision about this file may need its owner. */
function isOpen(remembered: Known | undefined, { version }: Entry): boolean {
  return (
    !remembered ||
    remembered.version !== version ||
    ['waiting', 'failed', 'owner_unknown'].includes(remembered.decision)
  );
}

function sightingOf(sightings: Scan['sightings'], { path, version }: Entry, now: number) {
  const seen = sightings.get(path);
  if (seen?.version === version) return seen;
  const fresh = { version, since: now };
  sightings.set(path, fresh);
  return fresh;
}

function remember(known: Map<string, Known>, source: Source, stored: NewDecision): void {
  const { entry, decision, attempts = 0, nextAttemptAt = null, afterState = null, fileId = null } = stored;
  const { version } = entry;
  const row = { version, decision, sourceVersion: source.version, attempts, nextAttemptAt, afterState, fileId };
  known.set(entry.path, { ...row, isGone: false });
}

type Owners = ReturnType<typeof createOwners>;

/** Accounts that own files, looked up for many files at once. */
function createOwners(people: ScannerDeps['people']) {
  const found = new Map<string, { id: string | null; until: number }>();
  const keyOf = ({ settings, ownerId }: Source, path: string): string | null =>
    settings.owner_rule === 'fixed' ? ownerId : ownerFolderOf(path);
  return {
    load: async (source: Source, entries: readonly Entry[]): Promise<void> => {
      const keys = new Set(entries.flatMap(({ path }) => keyOf(source, path) ?? []));
      const unknown = [...keys].filter((key) => (found.get(key)?.until ?? 0) < Date.now());
      const until = Date.now() + ownerCacheMs;
      try {
        if (source.settings.owner_rule === 'fixed')
          for (const id of unknown) found.set(id, { id: (await people.exists(id)) ? id : null, until });
        else
          for (let at = 0; at < unknown.length; at += 100) {
            const names = unknown.slice(at, at + 100).filter((name) => name.length <= 320);
            const accounts = await people.find(names);
            for (const name of unknown.slice(at, at + 100)) found.set(name, { id: accounts.get(name) ?? null, until });
          }
      } catch {
        // Files wait until identity responds; known accounts stay known.
      }
    },
    of: (source: Source, path: string): FoundOwner => {
      const key = keyOf(source, path);
      return key === null ? null : found.get(key)?.id;
    },
  };
}
