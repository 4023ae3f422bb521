import { word, type Word } from '@overtone/contracts';
import { z } from 'zod';
import type { TimeSpan } from '../audio/speech-regions.ts';

/** What a Whisper model reports of a segment. */
export const recognisedSegment = z.object({
  words: z.array(word),
  /** Probability that the segment is silence; null: unknown. */
  no_speech: z.number().nullable(),
  /** Mean logarithm of the probabilities of its tokens; null: unknown. */
  log_probability: z.number().nullable(),
});
export type RecognisedSegment = z.infer<typeof recognisedSegment>;

/** Whisper's limit for silence. Its limit for the tokens is -1; words invented for noise are often above it. */
const mostNoSpeech = 0.6;
const leastLogProbability = -0.7;
/** Tokens of this mean probability are no text, also where the model takes the sound for speech. */
const hopelessLogProbability = -1.5;
/** A word outside of detected speech counts only when the model is certain of it. */
const certain = 0.5;
/** The borders of detected speech are this exact, in seconds. */
const tolerance = 0.15;
const longestPhrase = 12;
/** People repeat a word more often than a phrase. */
const mostRepeats = { word: 5, phrase: 3 };
/** No one speaks a word faster than this, in seconds. */
const shortestWord = 0.04;

/**
 * The words that were spoken. Whisper models invent text for silence, noise and music, and repeat phrases in a loop.
 * Dropped are segments that the model takes for silence, uncertain words outside of detected speech, and the
 * repetitions of a loop. A word that begins in the pause before speech begins with the speech.
 * @param speech where speech was detected; undefined: unknown.
 */
export function spokenWords(segments: readonly RecognisedSegment[], speech?: readonly TimeSpan[]): Word[] {
  const words = segments.filter((segment) => !isInvented(segment)).flatMap((segment) => segment.words);
  return withoutLoops(speech === undefined ? words : insideSpeech(words, speech));
}

function isInvented({ no_speech: noSpeech, log_probability: logProbability }: RecognisedSegment): boolean {
  if (logProbability === null) return false;
  return (
    logProbability < hopelessLogProbability || ((noSpeech ?? 0) > mostNoSpeech && logProbability < leastLogProbability)
  );
}

/** Both lists are in order of time, so that one pass is enough. */
function insideSpeech(words: readonly Word[], speech: readonly TimeSpan[]): Word[] {
  let at = 0;
  return words.flatMap((word) => {
    while (at + 1 < speech.length && (speech[at]?.end ?? 0) + tolerance <= word.start) at += 1;
    const span = speech[at];
    const isInside = span !== undefined && word.end > span.start - tolerance && word.start < span.end + tolerance;
    if (!isInside) return (word.confidence ?? 0) < certain ? [] : [word];
    return [{ ...word, start: Math.min(Math.max(word.start, span.start - tolerance), word.end) }];
  });
}

/** Keeps the first of consecutive equal phrases that are too many or too fast for a person. */
function withoutLoops(words: readonly Word[]): Word[] {
  const plain = words.map(({ word }) => word.toLowerCase().replaceAll(/[^\p{L}\p{N}]+/gu, ''));
  const kept: Word[] = [];
  for (let i = 0; i < words.length;) {
    const { length, count } = loopAt(plain, i);
    const next = i + length;
    const repeated = words.slice(next, i + length * count);
    const isLoop = count > (length === 1 ? mostRepeats.word : mostRepeats.phrase) || isTooFast(repeated);
    kept.push(...words.slice(i, isLoop ? next : i + 1));
    i = isLoop ? i + length * count : i + 1;
  }
  return kept;
}

/** The phrase at `from` that is repeated most often, the shortest of equals; a count of 1: none is. */
function loopAt(plain: readonly string[], from: number): { length: number; count: number } {
  let most = { length: 1, count: 1 };
  for (let length = 1; length <= longestPhrase; length++) {
    let count = 1;
    while (isEqual(plain, from, from + count * length, length)) count += 1;
    if (count > most.count) most = { length, count };
  }
  return most;
}

function isEqual(plain: readonly string[], from: number, other: number, length: number): boolean {
  if (other + length > plain.length) return false;
  for (let i = 0; i < length; i++) if (plain[from + i] === '' || plain[from + i] !== plain[other + i]) return false;
  return true;
}

function isTooFast(words: readonly Word[]): boolean {
  const [first, last] = [words[0], words.at(-1)];
  return first !== undefined && last !== undefined && last.end - first.start < words.length * shortestWord;
}
