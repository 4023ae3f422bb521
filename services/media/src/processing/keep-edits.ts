import type { Word } from '@overtone/contracts';
import { meanConfidence } from '../transcripts/transcripts.ts';
import type { NewSegment } from './transcript-rows.ts';

/** A segment that was edited while the run was in progress. */
export type EditedSegment = {
  id: string;
  start: number;
  end: number;
  text: string;
  words: Word[];
  confidence: number | null;
  version: number;
  editedAt: Date | null;
  editedBy: string | null;
};

/**
 * The new transcript with the segments that users edited during the run: an edited segment replaces the run's words in its
 * time range and gets the speaker who speaks most of that range.
 */
export function keepEdits(fresh: NewSegment[], edited: EditedSegment[]): NewSegment[] {
  if (edited.length === 0) return fresh;
  const covered = (at: number): boolean => edited.some(({ start, end }) => at >= start && at <= end);
  const remaining = fresh.flatMap((segment) => {
    if (segment.words.length === 0) return covered(middle(segment)) ? [] : [segment];
    const words = segment.words.filter((word) => !covered(middle(word)));
    if (words.length === segment.words.length) return [segment];
    return piecesOf(segment, words);
  });
  const kept = edited.map((segment) => ({ ...segment, speaker: speakerOf(segment, fresh), keptId: segment.id }));
  return [...remaining, ...kept].sort((a, b) => a.start - b.start || a.end - b.end);
}

function middle({ start, end }: { start: number; end: number }): number {
  return (start + end) / 2;
}

function overlap(a: { start: number; end: number }, b: { start: number; end: number }): number {
  return Math.min(a.end, b.end) - Math.max(a.start, b.start);
}

// The rest of a segment may be two pieces, one before and one after the edit.
function piecesOf(segment: NewSegment, words: Word[]): NewSegment[] {
  const indexes = words.map((word) => segment.words.indexOf(word));
  const pieces: Word[][] = [];
  words.forEach((word, i) => {
    const open = pieces.at(-1);
    if (open && indexes[i] === (indexes[i - 1] ?? -2) + 1) open.push(word);
    else pieces.push([word]);
  });
  return pieces.map((piece) => ({
    ...segment,
    start: piece[0]?.start ?? segment.start,
    end: piece.at(-1)?.end ?? segment.end,
    text: piece.map(({ word }) => word).join(' '),
    confidence: meanConfidence(piece),
    words: piece,
  }));
}

function speakerOf(segment: EditedSegment, fresh: NewSegment[]): number | null {
  const seconds = new Map<number, number>();
  for (const other of fresh) {
    const shared = overlap(segment, other);
    if (other.speaker !== null && shared > 0) seconds.set(other.speaker, (seconds.get(other.speaker) ?? 0) + shared);
  }
  return [...seconds].sort(([, a], [, b]) => b - a)[0]?.[0] ?? null;
}
