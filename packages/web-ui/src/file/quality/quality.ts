import type { FileDetail, SegmentObject } from '@overtone/contracts';
import { doubtOf, type IndexedSegment } from '../transcript.ts';

/** Words by the three steps of confidence. `unknown`: typed or checked by a person, or of an engine that reports none. */
export type Confidence = { sure: number; some: number; strong: number; unknown: number };
export type Quality = Confidence & { words: number; overlap: number; worst: readonly Passage[] };
/** A passage with words that are probably wrong. */
export type Passage = { start: number; words: number; doubted: number };
type Counts = Confidence & { words: number; overlap: number };

/** Passages that are named as those to check first. */
const maxPassages = 5;
const cache = new WeakMap<SegmentObject, Counts>();

/** What the engine says of its own words, as the reader sees them. */
export function qualityOf(loaded: readonly IndexedSegment[]): Quality {
  const total: Counts = { sure: 0, some: 0, strong: 0, unknown: 0, words: 0, overlap: 0 };
  const passages: (Passage & { strong: number })[] = [];
  for (const { segment } of loaded) {
    const counts = cache.get(segment) ?? countIn(segment);
    for (const key of Object.keys(total) as (keyof Counts)[]) total[key] += counts[key];
    const { words, some, strong } = counts;
    if (strong > 0) passages.push({ start: segment.start_time, words, doubted: some + strong, strong });
  }
  const worst = passages
    .toSorted((x, y) => y.strong - x.strong || y.doubted / y.words - x.doubted / x.words || x.start - y.start)
    .slice(0, maxPassages)
    .map(({ strong: _, ...passage }) => passage);
  return { ...total, worst };
}

function countIn(segment: SegmentObject): Counts {
  const counts: Counts = { sure: 0, some: 0, strong: 0, unknown: 0, words: segment.words.length, overlap: 0 };
  for (const { confidence, overlap } of segment.words) {
    counts[confidence === null ? 'unknown' : (doubtOf(confidence) ?? 'sure')] += 1;
    if (overlap) counts.overlap += 1;
  }
  cache.set(segment, counts);
  return counts;
}

export type SoundFault = 'quiet' | 'noisy' | 'clipped';
/** Decibels: speech is recorded at -30 to -10, and engines make more errors when noise comes within 15 of the voices. */
const soundLimits = { level: -42, distance: 15, clipped: 0.01 };

/** What is wrong with the sound of a recording. */
export function judgeSound({ level_db, noise_db, clipped }: NonNullable<FileDetail['sound_level']>): SoundFault[] {
  return [
    ...(level_db < soundLimits.level ? ['quiet' as const] : []),
    ...(level_db - noise_db < soundLimits.distance ? ['noisy' as const] : []),
    ...(clipped > soundLimits.clipped ? ['clipped' as const] : []),
  ];
}
