import type { TranscriptArtefact, Turn, Word } from '@overtone/contracts';
import { speakerLabel } from '@overtone/contracts/speakers';

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
 * Builds segments of one speaker each from words and turns. Speakers are named SPEAKER_01, SPEAKER_02, ... in order of
 * appearance. Without turns, one speaker has all words.
 */
export function assemble(words: readonly Word[], turns: readonly Turn[], duration: number): Assembled {
  const clamped = clamp(words, duration);
  const speakers = speakersOf(clamped, turns);
  smooth(clamped, speakers);
  const runs: Run[] = [];
  for (const [i, word] of clamped.entries()) {
    const speaker = speakers[i] ?? 0;
    const current = runs.at(-1);
    if (!current || current.speaker !== speaker || breaksBefore(current.words, word))
      runs.push({ speaker, words: [word] });
    else current.words.push(word);
  }
  const order = [...new Set(runs.map((run) => run.speaker))];
  return {
    speakers: order.map((_, i) => speakerLabel(i + 1)),
    segments: runs.map((run) => ({
      start: run.words[0]?.start ?? 0,
      end: Math.max(...run.words.map((word) => word.end)),
      speaker: order.indexOf(run.speaker),
      text: run.words.map((word) => word.word).join(' '),
      confidence: mean(run.words.flatMap((word) => (word.confidence === null ? [] : [word.confidence]))),
      words: run.words,
    })),
  };
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

/**
 * Assigns each word to the turn with the largest overlap, or to the nearest one. Both lists are in order of time, so that
 * one pass is enough (54,000 words and 6,000 turns take milliseconds).
 */
function speakersOf(words: readonly Word[], turns: readonly Turn[]): number[] {
  let first = 0;
  return words.map((word) => {
    while (first < turns.length - 1 && (turns[first] as Turn).end <= word.start) first += 1;
    let best = turns[first]?.speaker ?? 0;
    let most = -Infinity;
    for (let i = Math.max(0, first - 1); i < turns.length; i++) {
      const turn = turns[i] as Turn;
      if (turn.start > word.end && most > 0) break;
      // Overlap in seconds; negative: the distance to the turn.
      const overlap = Math.min(word.end, turn.end) - Math.max(word.start, turn.start);
      if (overlap > most) {
        most = overlap;
        best = turn.speaker;
      }
      if (turn.start > word.end) break;
    }
    return best;
  });
}

/** Reverts changes of speaker for one or two words without a pause on either side. */
function smooth(words: readonly Word[], speakers: number[]): void {
  let begin = 0;
  while (begin < words.length) {
    let end = begin + 1;
    while (end < words.length && speakers[end] === speakers[begin]) end += 1;
    const [before, after] = [speakers[begin - 1], speakers[end]];
    const seconds = (words[end - 1]?.end ?? 0) - (words[begin]?.start ?? 0);
    const breathless = gapBefore(words, begin) < 0.25 && gapBefore(words, end) < 0.25;
    if (before !== undefined && before === after && end - begin <= slipWords && seconds < slipSeconds && breathless)
      speakers.fill(before, begin, end);
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

function gapBefore(words: readonly Word[], i: number): number {
  return (words[i]?.start ?? Infinity) - (words[i - 1]?.end ?? -Infinity);
}

function endsSentence(word: Word): boolean {
  return /[.!?…]["')\]]*$/.test(word.word);
}
