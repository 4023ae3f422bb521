import { setImmediate as yieldToOthers } from 'node:timers/promises';
import { maxDifferences, type AnswerOf, type mediaRoutes, type VersionDifference } from '@overtone/contracts';
import { diffArrays } from 'diff';
import { tokensOf } from './realign.ts';

/** A passage as its reader sees it. Times in seconds. */
export type ShownPassage = { id: string; start: number; end: number; speaker: string | null; text: string };
type Comparison = AnswerOf<(typeof mediaRoutes)['compareVersion']>;
type Piece = VersionDifference['before'][number]['pieces'][number];

/** Two texts that differ in more words count as different from beginning to end: the comparison takes the square of it. */
const maxChangedWords = 1_000;
const runsAtOnce = 50;

/** Compares two states of a transcript, by words where passages differ. */
export async function compareTranscripts(
  before: readonly ShownPassage[],
  after: readonly ShownPassage[],
): Promise<Comparison> {
  const result: Comparison = {
    differences: [],
    complete: true,
    words: before.reduce((sum, { text }) => sum + tokensOf(text).length, 0),
    words_removed: 0,
    words_added: 0,
  };
  for (const [i, [left, right]] of changedRuns(before, after, equals).entries()) {
    if (i % runsAtOnce === runsAtOnce - 1) await yieldToOthers();
    const { removed, added } = changedWords(left.flatMap(wordsOf), right.flatMap(wordsOf));
    result.words_removed += count(removed);
    result.words_added += count(added);
    if (result.differences.length < maxDifferences)
      result.differences.push({ before: sideOf(left, removed), after: sideOf(right, added) });
    else result.complete = false;
  }
  return result;
}

/** Adjacent passages that differ, between passages that both states have. */
export function changedRuns<P extends { id: string }>(
  before: readonly P[],
  after: readonly P[],
  equals: (one: P, other: P) => boolean,
): [P[], P[]][] {
  const later = new Map(after.map((passage) => [passage.id, passage]));
  const isSame = (passage: P): boolean => {
    const other = later.get(passage.id);
    return other !== undefined && equals(passage, other);
  };
  const runs: [P[], P[]][] = [];
  let at = 0;
  let open: [P[], P[]] = [[], []];
  const close = (): void => {
    if (open[0].length + open[1].length > 0) runs.push(open);
    open = [[], []];
  };
  for (const passage of before) {
    if (!isSame(passage)) {
      open[0].push(passage);
      continue;
    }
    // Passages keep their order, so that what comes before this one belongs to the run before it.
    for (; at < after.length && after[at]?.id !== passage.id; at += 1) open[1].push(after[at] as P);
    at += 1;
    close();
  }
  open[1].push(...after.slice(at));
  close();
  return runs;
}

function equals(one: ShownPassage, other: ShownPassage): boolean {
  return one.text === other.text && one.speaker === other.speaker && one.start === other.start && one.end === other.end;
}

function wordsOf({ text }: ShownPassage): string[] {
  return tokensOf(text);
}

/** Which words of the one and of the other the other does not have. */
function changedWords(left: string[], right: string[]): { removed: boolean[]; added: boolean[] } {
  const changes = diffArrays(left, right, { maxEditLength: maxChangedWords });
  if (!changes) return { removed: left.map(() => true), added: right.map(() => true) };
  const marks = (side: 'added' | 'removed'): boolean[] =>
    changes
      .filter((change) => change[side] || (!change.added && !change.removed))
      .flatMap((change) => Array.from({ length: change.count }, () => change[side]));
  return { removed: marks('removed'), added: marks('added') };
}

function count(marks: readonly boolean[]): number {
  return marks.filter(Boolean).length;
}

function sideOf(passages: readonly ShownPassage[], changed: readonly boolean[]): VersionDifference['before'] {
  let at = 0;
  return passages.map((passage) => {
    const pieces: Piece[] = [];
    for (const word of wordsOf(passage)) {
      const isChanged = changed[at] ?? false;
      at += 1;
      const last = pieces.at(-1);
      if (last?.changed === isChanged) last.text += ` ${word}`;
      else pieces.push({ text: word, changed: isChanged });
    }
    return { start_time: passage.start, end_time: passage.end, speaker: passage.speaker, pieces };
  });
}
