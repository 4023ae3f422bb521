import type { Word, WordsArtefact } from '@overtone/contracts';
import { joinUnspaced } from '@overtone/contracts/unspaced';
import { meanConfidence } from '../transcripts/transcripts.ts';

/** A segment to be stored; `speaker` is an index into the speakers stored with it. */
export type NewSegment = {
  start: number;
  end: number;
  speaker: number | null;
  text: string;
  confidence: number | null;
  words: Word[];
  /** Set for an edited segment: the row keeps its id, so that an open editor can continue. */
  keptId?: string;
  version?: number;
  editedAt?: Date | null;
  editedBy?: string | null;
  redactions?: unknown;
  redactionKey?: string | null;
};

/** A segment that was edited while the run was in progress. */
export type EditedSegment = Omit<NewSegment, 'speaker'> & { keptId: string };

const pauseSeconds = 0.8;
const maxSeconds = 20;
const maxWords = 60;

/** Splits words without speakers at pauses: a readable transcript until diarization has finished. */
export function provisionalSegments({ words }: Pick<WordsArtefact, 'words'>): NewSegment[] {
  const groups: Word[][] = [];
  for (const word of words) {
    const open = groups.at(-1);
    const [first, last] = [open?.[0], open?.at(-1)];
    const continues =
      open && first && last && word.start - last.end < pauseSeconds && word.end - first.start < maxSeconds;
    if (continues && open.length < maxWords) open.push(word);
    else groups.push([word]);
  }
  return groups.map((group) => {
    const joined = joinUnspaced(group);
    return {
      start: group[0]?.start ?? 0,
      end: group.at(-1)?.end ?? 0,
      speaker: null,
      text: joined.map(({ word }) => word).join(' '),
      confidence: meanConfidence(group),
      words: joined,
    };
  });
}

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
  const kept = edited.map((segment) => ({ ...segment, speaker: speakerOf(segment, fresh) }));
  return [...remaining, ...kept].sort((x, y) => x.start - y.start || x.end - y.end);
}

function middle({ start, end }: { start: number; end: number }): number {
  return (start + end) / 2;
}

function overlap(one: { start: number; end: number }, other: { start: number; end: number }): number {
  return Math.min(one.end, other.end) - Math.max(one.start, other.start);
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
  return [...seconds].sort(([, x], [, y]) => y - x)[0]?.[0] ?? null;
}
