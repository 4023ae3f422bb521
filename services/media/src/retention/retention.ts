import { createHash } from 'node:crypto';
import type { retentionReasons, retentionRemovals, RetentionConditions } from '@overtone/contracts';
import { isQuarantined } from '../access/access.ts';
import { isSettled, type FileRow } from '../files/files.ts';

export type Removal = (typeof retentionRemovals)[number];
type Reason = (typeof retentionReasons)[number];
export type Rule = { id: string; name: string; removes: Removal; conditions: RetentionConditions };
/** The columns that a rule reads, with the normalized names of the file's tags and the collections that count for rules. */
export type Candidate = Pick<
  FileRow,
  | 'id'
  | 'status'
  | 'uploadTime'
  | 'lastUsedOn'
  | 'fileSize'
  | 'deletedAt'
  | 'recordingRemovedAt'
  | 'transcriptVersion'
  | 'transcriptProvisional'
> & { tagNames: readonly string[]; collectionIds: readonly string[] };

const dayMs = 24 * 3_600_000;

/**
 * Why a rule applies to a file now; empty: it does not apply. Files in the bin, files being processed, and files that
 * would have neither recording nor transcript afterwards are never touched.
 */
export function reasonsOf({ removes, conditions }: Rule, file: Candidate, now: Date): Reason[] {
  if (file.deletedAt !== null || !isSettled(file.status) || isQuarantined(file)) return [];
  if (removes === 'recording' && !hasBoth(file)) return [];
  const checks = checksOf(conditions, file, now);
  return checks.every(({ holds }) => holds) ? checks.map(({ reason }) => reason) : [];
}

function hasBoth(file: Candidate): boolean {
  const hasTranscript = file.transcriptVersion > 0 && !file.transcriptProvisional && file.status === 'completed';
  return hasTranscript && file.recordingRemovedAt === null;
}

function checksOf(conditions: RetentionConditions, file: Candidate, now: Date): { reason: Reason; holds: boolean }[] {
  const { older_than_days: age, unused_for_days: unused, larger_than_bytes: size, any_tag: tags } = conditions;
  const { any_collection: collections } = conditions;
  const isPast = (time: Date, days: number): boolean => now.getTime() - time.getTime() > days * dayMs;
  return [
    ...(age === undefined ? [] : [{ reason: 'age' as const, holds: isPast(file.uploadTime, age) }]),
    // The day of the last use has no time: the file was used until its end.
    ...(unused === undefined ? [] : [{ reason: 'unused' as const, holds: isPast(file.lastUsedOn, unused + 1) }]),
    ...(size === undefined ? [] : [{ reason: 'size' as const, holds: bytesOf(file) > size }]),
    ...(tags === undefined ? [] : [{ reason: 'tag' as const, holds: tags.some((tag) => file.tagNames.includes(tag)) }]),
    ...(collections === undefined
      ? []
      : [{ reason: 'collection' as const, holds: collections.some((id) => file.collectionIds.includes(id)) }]),
  ];
}

/** Size of the recording that a deletion frees. */
export function bytesOf(file: Pick<Candidate, 'fileSize' | 'recordingRemovedAt'>): number {
  return file.recordingRemovedAt === null ? Number(file.fileSize) : 0;
}

type Limits = {
  /** Files that are not in the bin. */
  libraryFiles: number;
  maxPercent: number;
  /** Files that rules removed without an approval in the last 24 hours. */
  removedToday: number;
};

/** How many files rules may remove today without an approval; one is always possible, also in a small library. */
export function allowanceOf({ libraryFiles, maxPercent, removedToday }: Limits): number {
  // Today's files were part of the library, too.
  const allowed = Math.max(1, Math.floor(((libraryFiles + removedToday) * maxPercent) / 100));
  return Math.max(0, allowed - removedToday);
}

/**
 * The brake: rules are admitted in their order while their sets fit together into the allowance. A set that does not fit
 * is held as a whole, because part of it would not be what the rule says.
 */
export function admitSets(counts: readonly number[], allowance: number): ('admitted' | 'held')[] {
  let left = allowance;
  return counts.map((count) => {
    if (count > left) return 'held';
    left -= count;
    return 'admitted';
  });
}

/** Identifies a set of files and what happens to them, independent of their order. */
export function digestOf({ removes }: Pick<Rule, 'removes'>, fileIds: readonly string[]): string {
  const hash = createHash('sha256').update(`${removes}\n`);
  for (const id of fileIds.toSorted()) hash.update(`${id}\n`);
  return hash.digest('hex');
}
