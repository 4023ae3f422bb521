import type { TranscriptArtefact, Turn, Word } from '@overtone/contracts';
import { speakerLabel } from '@overtone/contracts/speakers';
import { joinUnspaced } from '@overtone/contracts/unspaced';

/** A pause of this length ends a segment when a sentence or the speaker may end there. */
const pauseSeconds = 1.2;
const longestSeconds = 30;
const mostWords = 80;
/** A change of speaker for fewer words than this, without a pause, is a boundary error and not a turn. */
const slipWords = 2;
const slipSeconds = 0.6;

/** Consecutive words of one speaker. */
type Run = { speaker: number; words: Word[] };

export type Assembled = Pick<TranscriptArtefact, 'speakers' | 'segments'>;

/**
 * Builds segments of one speaker each from words and turns, which may overlap. Speakers are named SPEAKER_01,
 * SPEAKER_02, ... in order of appearance. Without turns, one speaker has all words.
 */
export function assemble(words: readonly Word[], turns: readonly Turn[], duration: number): Assembled {
  const assigned = assign(clamp(words, duration), turns);
  smooth(assigned);
  const runs: Run[] = [];
  for (const { word, speaker } of assigned) {
    const current = runs.at(-1);
    if (!current || current.speaker !== speaker || breaksBefore(current.words, word))
      runs.push({ speaker, words: [word] });
    else current.words.push(word);
  }
  const order = [...new Set(runs.map((run) => run.speaker))];
  return {
    speakers: order.map((_, i) => speakerLabel(i + 1)),
    segments: runs.map((run) => {
      const joined = joinUnspaced(run.words);
      return {
        start: run.words[0]?.start ?? 0,
        end: Math.max(...run.words.map((word) => word.end)),
        speaker: order.indexOf(run.speaker),
        text: joined.map((word) => word.word).join(' '),
        confidence: mean(run.words.flatMap((word) => (word.confidence === null ? [] : [word.confidence]))),
        words: joined,
      };
    }),
  };
}

/**
 * Builds segments of words whose speakers are known, because each one has a sound track or channel. People may speak at
 * the same time, so that the segments of each speaker are built alone.
 * @param owners The speaker of each word.
 */
export function assembleSeparated(words: readonly Word[], owners: readonly number[], duration: number): Assembled {
  const wordsOf = new Map<number, Word[]>();
  words.forEach((word, i) => {
    const owner = owners[i] ?? 0;
    const own = wordsOf.get(owner);
    if (own) own.push(word);
    else wordsOf.set(owner, [word]);
  });
  const order = [...wordsOf.keys()];
  const segments = [...wordsOf].flatMap(([owner, own]) =>
    assemble(own, [], duration).segments.map((segment) => ({ ...segment, speaker: order.indexOf(owner) })),
  );
  segments.sort((x, y) => x.start - y.start || x.end - y.end);
  return { speakers: order.map((_, i) => speakerLabel(i + 1)), segments };
}

/** Corrects word times that overlap or exceed the recording. */
function clamp(words: readonly Word[], duration: number): Word[] {
  let floor = 0;
  return words.map((word) => {
    const start = Math.min(Math.max(word.start, floor), duration);
    const end = Math.min(Math.max(word.end, start), duration);
    floor = start;
    return { ...word, start, end };
  });
}

type AssignedWord = { word: Word; speaker: number };

/**
 * Assigns each word to a speaker and marks the words whose middle lies in turns of several speakers. Both lists are in
 * order of their starts, so that one pass is enough (54,000 words and 6,000 turns take milliseconds).
 */
function assign(words: readonly Word[], turns: readonly Turn[]): AssignedWord[] {
  let first = 0;
  // Turns may lie within others: the turn before the first open one is not always the one that ended last.
  let ended: Turn | undefined;
  return words.map((word) => {
    for (let turn = turns[first]; turn && turn.end <= word.start; turn = turns[++first])
      if (!ended || turn.end > ended.end) ended = turn;
    const near = ended ? [ended] : [];
    for (let i = first; i < turns.length; i++) {
      const turn = turns[i] as Turn;
      near.push(turn);
      if (turn.start > word.end) break;
    }
    const middle = (word.start + word.end) / 2;
    const atMiddle = near.filter(({ start, end }) => start <= middle && middle < end);
    const isOverlapped = atMiddle.some(({ speaker }) => speaker !== atMiddle[0]?.speaker);
    return { word: isOverlapped ? { ...word, overlap: true } : word, speaker: speakerOf(word, near) };
  });
}

/** The speaker with most of the word; of equal ones, the one with the longer turn. Without any, that of the nearest turn. */
function speakerOf(word: Word, turns: readonly Turn[]): number {
  const shares = new Map<number, { seconds: number; longest: number }>();
  let nearest = { distance: Infinity, speaker: 0 };
  for (const { start, end, speaker } of turns) {
    const seconds = Math.min(word.end, end) - Math.max(word.start, start);
    if (-seconds < nearest.distance) nearest = { distance: -seconds, speaker };
    if (seconds <= 0) continue;
    const { seconds: before, longest } = shares.get(speaker) ?? { seconds: 0, longest: 0 };
    shares.set(speaker, { seconds: before + seconds, longest: Math.max(longest, end - start) });
  }
  const [most] = [...shares].sort(([, x], [, y]) => y.seconds - x.seconds || y.longest - x.longest);
  return most?.[0] ?? nearest.speaker;
}

/** Reverts changes of speaker for one or two words without a pause on either side. */
function smooth(words: AssignedWord[]): void {
  let begin = 0;
  while (begin < words.length) {
    let end = begin + 1;
    while (end < words.length && words[end]?.speaker === words[begin]?.speaker) end += 1;
    const [before, after] = [words[begin - 1]?.speaker, words[end]?.speaker];
    const seconds = (words[end - 1]?.word.end ?? 0) - (words[begin]?.word.start ?? 0);
    const breathless = gapBefore(words, begin) < 0.25 && gapBefore(words, end) < 0.25;
    if (before !== undefined && before === after && end - begin <= slipWords && seconds < slipSeconds && breathless)
      for (const word of words.slice(begin, end)) word.speaker = before;
    begin = end;
  }
}

function breaksBefore(segment: readonly Word[], next: Word): boolean {
  const [first, last] = [segment[0], segment.at(-1)];
  if (!first || !last) return false;
  const gap = next.start - last.end;
  if (gap >= pauseSeconds) return true;
  const long = next.end - first.start > longestSeconds || segment.length >= mostWords;
  return long || (endsSentence(last) && (gap > 0.5 || segment.length > mostWords / 2));
}

function mean(values: number[]): number | null {
  return values.length === 0
    ? null
    : Math.round((values.reduce((sum, value) => sum + value, 0) / values.length) * 1000) / 1000;
}

function gapBefore(words: readonly AssignedWord[], i: number): number {
  return (words[i]?.word.start ?? Infinity) - (words[i - 1]?.word.end ?? -Infinity);
}

function endsSentence(word: Word): boolean {
  return /[.!?…。！？]["'”’」』)\]]*$/.test(word.word);
}
