import type { Word } from '@overtone/contracts';
import { z } from 'zod';
import { spokenWords, type RecognisedSegment } from './evidence.ts';
import type { TimeSpan } from '../audio/speech-regions.ts';
import { interpolateWords, joinParts, splitWords, spreadWords } from './words.ts';

const segment = z.object({
  start: z.number(),
  end: z.number(),
  text: z.string(),
  avg_logprob: z.number().nullish(),
  no_speech_prob: z.number().nullish(),
});
const timedWord = z.object({
  word: z.string(),
  start: z.number(),
  end: z.number(),
  probability: z.number().nullish(),
});

/** `verbose_json` or `json` of POST /audio/transcriptions; servers omit different fields. */
export const verboseAnswer = z.object({
  text: z.string(),
  language: z.string().nullish(),
  words: z.array(timedWord).nullish(),
  segments: z.array(segment).nullish(),
});
export type VerboseAnswer = z.infer<typeof verboseAnswer>;
type Segment = z.infer<typeof segment>;
type TimedWord = z.infer<typeof timedWord>;

/** After a difference, such as `20` for `twenty`, both sides agree again within this many words. */
const longestDifference = 8;

/** What was sent of a recording. `speech`: where in the recording there is speech in it, where that was searched. */
export type SentPiece = TimeSpan & { readonly speech?: readonly TimeSpan[] };

/** Whether an answer says when anything was said; one without text says nothing. */
export function hasTimes({ text, words, segments }: VerboseAnswer): boolean {
  return text.trim() === '' || (words ?? []).length > 0 || (segments ?? []).length > 0;
}

/** Words of one uploaded piece, shifted to its offset. `timing`: whether the times are the engine's. */
export function wordsOfAnswer(
  answer: VerboseAnswer,
  piece: SentPiece,
): { words: Word[]; timing: 'engine' | 'estimated' } {
  if (!hasTimes(answer)) {
    const words = spreadWords(answer.text, piece.speech ?? [piece], null);
    return { words: spokenWords([{ words, no_speech: null, log_probability: null }]), timing: 'estimated' };
  }
  const segments: readonly Segment[] =
    answer.segments && answer.segments.length > 0
      ? answer.segments
      : [{ start: 0, end: piece.end - piece.start, text: answer.text }];
  const isTimed = answer.words !== undefined && answer.words !== null && answer.words.length > 0;
  const timed = isTimed ? bySegment(wholeWords(answer.words ?? []), segments) : [];
  const recognised = segments.map((one, i): RecognisedSegment => {
    const confidence = confidenceOf(one);
    const words = isTimed
      ? punctuated(timed[i] ?? [], one.text, confidence)
      : interpolateWords(one.text, one.start, one.end, confidence);
    return { words, no_speech: one.no_speech_prob ?? null, log_probability: one.avg_logprob ?? null };
  });
  const words = spokenWords(recognised).map((word) => ({
    ...word,
    start: word.start + piece.start,
    end: word.end + piece.start,
  }));
  return { words, timing: isTimed ? 'engine' : 'estimated' };
}

function confidenceOf({ avg_logprob: logProbability }: Segment): number | null {
  return typeof logProbability === 'number' ? Math.min(1, Math.exp(logProbability)) : null;
}

/** Not all servers send the spaces between words, which tell the parts of a word. */
function wholeWords(words: readonly TimedWord[]): readonly TimedWord[] {
  return words.some(({ word }) => word.startsWith(' ')) ? joinParts(words) : words;
}

/** The words of each segment by their starts; both are in order of time. */
function bySegment(words: readonly TimedWord[], segments: readonly Segment[]): TimedWord[][] {
  const lists: TimedWord[][] = segments.map(() => []);
  let at = 0;
  for (const word of words) {
    // Some servers round the times of segments.
    while (at + 1 < segments.length && word.start >= (segments[at + 1]?.start ?? Infinity) - 0.01) at += 1;
    lists[at]?.push(word);
  }
  return lists;
}

/**
 * Timed words come without punctuation, the text of their segment with it. Both are walked together by their letters: a
 * hyphen or a number that one side writes in more words changes the words around it only.
 */
function punctuated(words: readonly TimedWord[], text: string, confidence: number | null): Word[] {
  const spelled = splitWords(text);
  const result: Word[] = [];
  let next = { timed: 0, written: 0 };
  while (next.timed < words.length) {
    const { timed, written } = matchAt(words, spelled, next);
    const end = { timed: next.timed + timed, written: next.written + written };
    result.push(...placed(words.slice(next.timed, end.timed), spelled.slice(next.written, end.written), confidence));
    next = end;
  }
  return result;
}

/** How many timed words are how many written ones. */
function matchAt(
  words: readonly TimedWord[],
  spelled: readonly string[],
  at: { timed: number; written: number },
): { timed: number; written: number } {
  let [timed, written] = [1, 1];
  let [spoken, read] = [lettersOf(words[at.timed]?.word), lettersOf(spelled[at.written])];
  // Bounded, so that a text whose letters never agree takes linear time.
  const isShort = () => timed < longestDifference && written < longestDifference;
  while (spoken !== read && isShort() && at.timed + timed < words.length && at.written + written < spelled.length) {
    if (read.startsWith(spoken)) spoken += lettersOf(words[at.timed + timed++]?.word);
    else if (spoken.startsWith(read)) read += lettersOf(spelled[at.written + written++]);
    else break;
  }
  if (spoken === read) return { timed, written };
  // The nearest words on both sides that are the same again.
  for (let distance = 1; distance <= 2 * longestDifference; distance++)
    for (let ahead = Math.min(distance, longestDifference); ahead >= 0; ahead--) {
      const other = distance - ahead;
      const word = lettersOf(words[at.timed + ahead]?.word);
      if (other <= longestDifference && word !== '' && word === lettersOf(spelled[at.written + other]) && ahead > 0)
        return { timed: ahead, written: other };
    }
  return { timed: words.length - at.timed, written: spelled.length - at.written };
}

function lettersOf(text = ''): string {
  return text.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, '');
}

/** The written words with the times of the timed ones; where their number differs, they share the time. */
function placed(words: readonly TimedWord[], spelled: readonly string[], confidence: number | null): Word[] {
  const [first, last] = [words[0], words.at(-1)];
  if (!first || !last) return [];
  const probabilities = words.flatMap(({ probability }) => (typeof probability === 'number' ? [probability] : []));
  const mean = probabilities.reduce((sum, one) => sum + one, 0) / probabilities.length;
  const certainty = probabilities.length > 0 ? mean : confidence;
  if (spelled.length > 0 && spelled.length !== words.length)
    return interpolateWords(spelled.join(' '), first.start, last.end, certainty);
  return words.map(({ word, start, end, probability }, i) => ({
    word: spelled[i] ?? word.trim(),
    start,
    end,
    confidence: probability ?? confidence,
  }));
}
