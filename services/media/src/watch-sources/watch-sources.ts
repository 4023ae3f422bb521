import type { WatchDecisionKind, WatchSourceSettings } from '@overtone/contracts';
import picomatch from 'picomatch';

/** A file of a source as a scan sees it. `version` changes with its content. */
export type Entry = {
  /** Below the source, with slashes. */
  path: string;
  bytes: number;
  modifiedAt: Date;
  version: string;
  /** Why it is refused without a look at it; empty otherwise. */
  refusal: string;
};
/** The stored decision about a file. */
export type Remembered = {
  version: string;
  decision: WatchDecisionKind;
  sourceVersion: number;
  /** When a decision that may change without an event is made again. */
  nextAttemptAt: number | null;
  attempts: number;
  afterState: string | null;
};
/** When the present version of a file was first seen. */
type Sighting = { since: number };
/** An account; null: there is none; undefined: unknown, because identity does not respond. */
export type FoundOwner = string | null | undefined;

export type Rules = {
  settings: WatchSourceSettings;
  sourceVersion: number;
  maxBytes: number;
  isIncluded: (path: string) => boolean;
};
export type Facts = {
  entry: Entry;
  remembered: Remembered | undefined;
  sighting: Sighting;
  owner: FoundOwner;
  now: number;
};

/** What happens with a file in a scan. */
export type Decision =
  /** The stored decision stands. */
  | { kind: 'unchanged' }
  /** The import is stored; the source file still has to be moved or deleted. */
  | { kind: 'finish' }
  | { kind: 'take'; ownerId: string; tags: string[]; collection: string | null }
  | { kind: 'wait'; until: number; reason: string }
  | { kind: 'reject'; decision: RejectedKind; reason: string; retryAt: number | null };
type RejectedKind = Extract<
  WatchDecisionKind,
  'excluded' | 'too_small' | 'too_large' | 'too_old' | 'owner_unknown' | 'link_refused'
>;

const dayMs = 24 * 3_600_000;
/** An account may be created later. */
const ownerAgainMs = 60_000;
/** Tags that a path may give to a file, and their length. */
const maxTags = 5;
const maxTagLength = 50;
const maxCollectionLength = 120;
const firstPauseMs = 10_000;
const longestPauseMs = 3_600_000;

/** Decides about one file. It reads nothing but its arguments. */
export function decide({ entry, remembered, sighting, owner, now }: Facts, rules: Rules): Decision {
  const { settings, maxBytes } = rules;
  const stands = standing({ entry, remembered, now }, rules);
  if (stands) return stands;
  if (entry.refusal !== '') return reject('link_refused', entry.refusal);
  if (!rules.isIncluded(entry.path)) return reject('excluded', 'The patterns of the source exclude this file.');
  const maxAgeMs = (settings.max_age_days ?? Infinity) * dayMs;
  if (now - entry.modifiedAt.getTime() > maxAgeMs)
    return reject('too_old', `The file is older than ${settings.max_age_days} days.`);
  const stableAt = sighting.since + settings.stable_seconds * 1000;
  if (now < stableAt)
    return { kind: 'wait', until: stableAt, reason: 'The file has changed recently. It may still be written.' };
  if (entry.bytes < Math.max(1, settings.min_bytes))
    return reject(
      'too_small',
      entry.bytes === 0 ? 'The file is empty.' : `The file has fewer than ${settings.min_bytes} bytes.`,
    );
  const limit = Math.min(maxBytes, settings.max_bytes ?? Infinity);
  if (entry.bytes > limit) return reject('too_large', `The file has more than ${limit} bytes.`);
  if (owner === undefined)
    return { kind: 'wait', until: now + firstPauseMs, reason: 'The accounts cannot be looked up at the moment.' };
  if (owner === null)
    return { ...reject('owner_unknown', ownerReason(entry.path, settings)), retryAt: now + ownerAgainMs };
  return {
    kind: 'take',
    ownerId: owner,
    tags: tagsOf(entry.path, settings),
    collection: collectionOf(entry.path, settings),
  };
}

/** Whether the stored decision about this version of the file still holds. */
function standing(
  { entry, remembered, now }: Pick<Facts, 'entry' | 'remembered' | 'now'>,
  { sourceVersion, settings }: Rules,
): Decision | null {
  if (!remembered || remembered.version !== entry.version || remembered.decision === 'waiting') return null;
  const { decision, nextAttemptAt, afterState } = remembered;
  const isDue = nextAttemptAt === null || nextAttemptAt <= now;
  if (decision === 'imported' || decision === 'duplicate') {
    const isOpen = afterState === 'pending' || afterState === 'failed';
    return isOpen && isDue && settings.after !== 'keep' ? { kind: 'finish' } : { kind: 'unchanged' };
  }
  const mayChange = decision === 'failed' || decision === 'owner_unknown';
  if ((mayChange && isDue) || remembered.sourceVersion !== sourceVersion) return null;
  return { kind: 'unchanged' };
}

function reject(decision: RejectedKind, reason: string): Extract<Decision, { kind: 'reject' }> {
  return { kind: 'reject', decision, reason, retryAt: null };
}

function ownerReason(path: string, { owner_rule: rule, owner }: WatchSourceSettings): string {
  if (rule === 'fixed') return `There is no active account ${owner}.`;
  const folder = ownerFolderOf(path);
  return folder === null
    ? 'The file is not in a folder that is named after an account.'
    : `There is no active account ${folder}, and the first folder names the owner.`;
}

/**
 * Whether an empty folder stands where a file system was mounted. A source whose files are moved or deleted is usually
 * empty: there another folder, now on the system disk, counts. Users may empty a folder, and disks may get other numbers.
 */
export function isNotMounted(
  {
    entries,
    identity,
    isOnSystemDisk,
  }: { entries: readonly Entry[]; identity: string | null; isOnSystemDisk: boolean },
  { files, rootIdentity }: { files: number; rootIdentity: string | null },
): boolean {
  if (entries.length > 0 || identity === null || rootIdentity === null || identity === rootIdentity) return false;
  const [disk, folder] = identity.split(':');
  const [diskBefore, folderBefore] = rootIdentity.split(':');
  return files > 0 || (isOnSystemDisk && disk !== diskBefore && folder !== folderBefore);
}

/** The first folder of a path; null for a file directly in the source. */
export function ownerFolderOf(path: string): string | null {
  const [first, ...rest] = path.split('/');
  return rest.length === 0 ? null : (first ?? null);
}

type FolderRules = Pick<WatchSourceSettings, 'owner_rule' | 'folders_as'>;

/** Folders become tags, except the one that names the owner and the one that names the collection. */
export function tagsOf(path: string, rules: FolderRules): string[] {
  const folders = foldersOf(path, rules).slice(rules.folders_as === 'collection' ? 1 : 0);
  const names = folders.map((folder) => nameOf(folder, maxTagLength));
  return [...new Set(names)].filter(hasLetters).slice(0, maxTags);
}

/** The name of the collection that the file is added to; null: none. */
export function collectionOf(path: string, rules: FolderRules): string | null {
  if (rules.folders_as !== 'collection') return null;
  const name = nameOf(foldersOf(path, rules)[0] ?? '', maxCollectionLength);
  return hasLetters(name) ? name : null;
}

/** The folders below the source, or below that of the owner. */
function foldersOf(path: string, { owner_rule: rule }: FolderRules): string[] {
  return path.split('/').slice(rule === 'first_folder' ? 1 : 0, -1);
}

function nameOf(folder: string, length: number): string {
  return folder.normalize('NFC').trim().slice(0, length).trim().toWellFormed();
}

function hasLetters(name: string): boolean {
  return /[^\s_-]/.test(name);
}

/** Whether the patterns of a source allow a path. Names that begin with a dot are never imported. */
export function createFilter({ include, exclude }: Pick<WatchSourceSettings, 'include' | 'exclude'>) {
  const isIncluded = include.length === 0 ? () => true : createMatcher(include);
  const isExcluded = createMatcher(exclude);
  return (path: string): boolean =>
    !path.split('/').some((part) => part.startsWith('.')) && isIncluded(path) && !isExcluded(path);
}

/** A pattern without a slash applies to the file name, others to the whole path. */
function createMatcher(patterns: readonly string[]): (path: string) => boolean {
  const matchers = patterns.map((pattern) =>
    picomatch(pattern, { dot: true, nocase: true, basename: !pattern.includes('/') }),
  );
  return (path) => matchers.some((matches) => matches(path));
}

/** Pause before a failed file is attempted again. */
export function pauseAfter(attempts: number): number {
  return Math.min(longestPauseMs, firstPauseMs * 2 ** Math.min(20, Math.max(0, attempts - 1)));
}
