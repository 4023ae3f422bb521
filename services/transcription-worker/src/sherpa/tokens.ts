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

export type ChunkWords = {
  words: Word[];
  timing: 'engine' | 'estimated';
};

const startsWord = /^[ ▁]/;
const ideograph = /\p{Script=Han}|\p{Script=Hiragana}|\p{Script=Katakana}/u;
const punctuation = /^[\p{P}\p{S}]+$/u;
/** A token without a known length lasts no longer than this. */
const longestToken = 0.4;

type Open = { text: string; start: number; end: number; logs: number[] };

/** The words of one chunk with times relative to the recording. */
export function wordsOfChunk(r: ChunkResult, chunk: { start: number; end: number }): ChunkWords {
  const seconds = chunk.end - chunk.start;
  const timed = r.tokens.length > 0 && r.timestamps.length === r.tokens.length;
  const words = timed
    ? fromTokens(r, seconds)
    : r.segment_texts.length > 0
      ? fromSegments(r)
      : interpolateWords(r.text, 0, seconds, null);
  const placed = words.map((w) => ({
    ...w,
    start: chunk.start + Math.min(w.start, seconds),
    end: chunk.start + Math.min(w.end, seconds),
  }));
  return { words: placed, timing: timed ? 'engine' : 'estimated' };
}

/** Joins sub-word tokens to words: a leading space starts a word, punctuation never extends one. */
function fromTokens(r: ChunkResult, chunkSeconds: number): Word[] {
  const shout = r.text.length > 3 && r.text === r.text.toUpperCase() && /[A-Z]/.test(r.text);
  const words: Open[] = [];
  for (const [i, token] of r.tokens.entries()) {
    const text = token.replace(startsWord, '');
    if (text === '' || /^<.*>$/.test(text)) continue;
    const log = r.ys_log_probs[i];
    const logs = log === undefined ? [] : [log];
    const last = words.at(-1);
    const end = endOf(r, i, chunkSeconds);
    if (last && punctuation.test(text)) {
      last.text += text;
    } else if (!last || startsWord.test(token) || ideograph.test(text)) {
      words.push({ text, start: r.timestamps[i] ?? 0, end, logs });
    } else {
      last.text += text;
      last.end = end;
      last.logs.push(...logs);
    }
  }
  return words.map((word) => close(word, shout));
}

function fromSegments(r: ChunkResult): Word[] {
  return r.segment_texts.flatMap((text, i) => {
    const start = r.segment_timestamps[i] ?? 0;
    return interpolateWords(text, start, start + (r.segment_durations[i] ?? 0), null);
  });
}

function endOf(r: ChunkResult, i: number, chunkSeconds: number): number {
  const start = r.timestamps[i] ?? 0;
  const duration = r.durations[i];
  if (duration !== undefined && duration > 0) return start + duration;
  return Math.min(start + longestToken, r.timestamps[i + 1] ?? chunkSeconds);
}

function close(word: Open, shout: boolean): Word {
  return {
    word: shout ? word.text.toLowerCase() : word.text,
    start: word.start,
    end: word.end,
    confidence: word.logs.length > 0 ? Math.exp(word.logs.reduce((a, b) => a + b, 0) / word.logs.length) : null,
  };
}
