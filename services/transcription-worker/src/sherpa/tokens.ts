import type { Word } from '@overtone/contracts';
import { z } from 'zod';
import { interpolateWords } from '../engines/engines.ts';

/** Result of `getResult` for one chunk; times are relative to the chunk. */
export const chunkResult = z.object({
  text: z.string().default(''),
  lang: z.string().default(''),
  tokens: z.array(z.string()).default([]),
  timestamps: z.array(z.number()).default([]),
  durations: z.array(z.number()).default([]),
  ys_log_probs: z.array(z.number()).default([]),
  segment_timestamps: z.array(z.number()).default([]),
  segment_durations: z.array(z.number()).default([]),
  segment_texts: z.array(z.string()).default([]),
});
export type ChunkResult = z.infer<typeof chunkResult>;

export type ChunkWords = { words: Word[]; timing: 'engine' | 'estimated' };

const startsWord = /^[ ▁]/;
const ideograph = /\p{Script=Han}|\p{Script=Hiragana}|\p{Script=Katakana}/u;
const punctuation = /^[\p{P}\p{S}]+$/u;
/** A token without a known length lasts no longer than this. */
const longestToken = 0.4;

type Open = { text: string; start: number; end: number; logs: number[] };

/** The words of one chunk with times relative to the recording. */
export function wordsOfChunk(result: ChunkResult, chunk: { start: number; end: number }): ChunkWords {
  const seconds = chunk.end - chunk.start;
  const timed = result.tokens.length > 0 && result.timestamps.length === result.tokens.length;
  const words = timed
    ? fromTokens(result, seconds)
    : result.segment_texts.length > 0
      ? fromSegments(result, seconds)
      : interpolateWords(result.text, 0, seconds, null);
  const placed = words.map((word) => ({
    ...word,
    start: chunk.start + Math.min(word.start, seconds),
    end: chunk.start + Math.min(word.end, seconds),
  }));
  return { words: placed, timing: timed ? 'engine' : 'estimated' };
}

/** Joins sub-word tokens to words: a leading space starts a word, punctuation never extends one. */
function fromTokens(result: ChunkResult, chunkSeconds: number): Word[] {
  const shout = result.text.length > 3 && result.text === result.text.toUpperCase() && /[A-Z]/.test(result.text);
  const words: Open[] = [];
  for (const [i, token] of result.tokens.entries()) {
    const text = token.replace(startsWord, '');
    if (text === '' || /^<.*>$/.test(text)) continue;
    const log = result.ys_log_probs[i];
    const logs = log === undefined ? [] : [log];
    const last = words.at(-1);
    const end = endOf(result, i, chunkSeconds);
    if (last && punctuation.test(text)) {
      last.text += text;
    } else if (!last || startsWord.test(token) || ideograph.test(text)) {
      words.push({ text, start: result.timestamps[i] ?? 0, end, logs });
    } else {
      last.text += text;
      last.end = end;
      last.logs.push(...logs);
    }
  }
  return words.map((word) => close(word, shout));
}

/** Segments of Whisper. One without a duration lasts until the next; in the silence after the chunk, none is spoken. */
function fromSegments(result: ChunkResult, chunkSeconds: number): Word[] {
  const spoken = result.segment_texts
    .map((text, i) => ({ text, start: result.segment_timestamps[i] ?? 0, duration: result.segment_durations[i] ?? 0 }))
    .filter(({ start }) => start < chunkSeconds);
  return withoutRepeatedTail(spoken).flatMap(({ text, start, duration }, i, all) =>
    interpolateWords(text, start, duration > 0 ? start + duration : (all[i + 1]?.start ?? chunkSeconds), null),
  );
}

/** At the end of a chunk, Whisper may repeat the last sentence until its tokens are spent. */
function withoutRepeatedTail<T extends { text: string }>(segments: readonly T[]): readonly T[] {
  const last = segments.at(-1)?.text.trim();
  const firstOfTail = segments.findLastIndex(({ text }) => text.trim() !== last) + 1;
  // People say a short sentence twice.
  return segments.length - firstOfTail > 2 ? segments.slice(0, firstOfTail + 1) : segments;
}

function endOf(result: ChunkResult, i: number, chunkSeconds: number): number {
  const start = result.timestamps[i] ?? 0;
  const duration = result.durations[i];
  if (duration !== undefined && duration > 0) return start + duration;
  return Math.min(start + longestToken, result.timestamps[i + 1] ?? chunkSeconds);
}

function close(word: Open, shout: boolean): Word {
  return {
    word: shout ? word.text.toLowerCase() : word.text,
    start: word.start,
    end: word.end,
    confidence: word.logs.length > 0 ? Math.exp(word.logs.reduce((sum, log) => sum + log, 0) / word.logs.length) : null,
  };
}
