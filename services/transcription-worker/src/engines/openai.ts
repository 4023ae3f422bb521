import type { Word } from '@overtone/contracts';
import { z } from 'zod';
import { interpolateWords } from './words.ts';

const segment = z.object({ start: z.number(), end: z.number(), text: z.string(), avg_logprob: z.number().nullish() });

/** `verbose_json` of POST /audio/transcriptions; servers omit different fields. */
export const verboseAnswer = z.object({
  text: z.string(),
  language: z.string().nullish(),
  words: z.array(z.object({ word: z.string(), start: z.number(), end: z.number() })).nullish(),
  segments: z.array(segment).nullish(),
});
export type VerboseAnswer = z.infer<typeof verboseAnswer>;
type Segment = z.infer<typeof segment>;

function confidenceOf(segment: Segment | undefined): number | null {
  return typeof segment?.avg_logprob === 'number' ? Math.min(1, Math.exp(segment.avg_logprob)) : null;
}

/** Words come without punctuation, segments with it: where both agree on the number of words, the segments' spelling wins. */
function withPunctuation(words: readonly { word: string }[], segments: readonly Segment[]): string[] {
  const spelled = segments.flatMap((segment) => segment.text.trim().split(/\s+/).filter(Boolean));
  return spelled.length === words.length ? spelled : words.map((word) => word.word);
}

/** Words of one uploaded piece, shifted to its offset. `timing`: whether the times are the engine's. */
export function wordsOfAnswer(
  answer: VerboseAnswer,
  piece: { start: number; end: number },
): { words: Word[]; timing: 'engine' | 'estimated' } {
  const segments = answer.segments ?? [];
  if (answer.words && answer.words.length > 0) {
    const spelled = withPunctuation(answer.words, segments);
    const words = answer.words.map((word, i) => ({
      word: spelled[i] ?? word.word,
      start: word.start + piece.start,
      end: word.end + piece.start,
      confidence: confidenceOf(
        segments.find((segment) => word.start >= segment.start - 0.01 && word.start < segment.end),
      ),
    }));
    return { words, timing: 'engine' };
  }
  const spans = segments.length > 0 ? segments : [{ start: 0, end: piece.end - piece.start, text: answer.text }];
  const words = spans.flatMap((span) =>
    interpolateWords(span.text, span.start + piece.start, span.end + piece.start, confidenceOf(span)),
  );
  return { words, timing: 'estimated' };
}
