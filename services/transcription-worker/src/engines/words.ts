import type { Word } from '@overtone/contracts';
import { beginsUnspaced, endsUnspaced, unspacedScript } from '@overtone/contracts/unspaced';
import type { TimeSpan } from '../audio/speech-regions.ts';

/**
 * Normalises an engine's words to the port's contract: ascending starts, ends after starts, inside the recording, confidence
 * in 0..1, no empty words. Words that start after the recording's end are dropped.
 */
export function tidyWords(words: readonly Word[], seconds: number): Word[] {
  const kept = words
    .map((word) => ({ ...word, word: word.word.trim() }))
    .filter((word) => word.word !== '' && Number.isFinite(word.start) && Number.isFinite(word.end))
    .filter((word) => word.start < seconds + 0.5);
  kept.sort((x, y) => x.start - y.start);
  let floor = 0;
  return kept.map((word) => {
    const start = round(clamp(word.start, floor, Math.max(floor, seconds)));
    const end = round(clamp(word.end, start, Math.max(start, seconds)));
    floor = start;
    const confidence = word.confidence === null ? null : round(clamp(word.confidence, 0, 1));
    return { word: word.word, start, end, confidence };
  });
}

/**
 * Whisper splits `ill-disposed`, `l'on`, `3.5` and `20%` before the punctuation mark, and within Chinese or Japanese text
 * every word of another script: the second part has no space before it.
 * @param words those of one segment, with the spaces before them.
 */
export function joinParts<W extends { readonly word: string; readonly end: number }>(words: readonly W[]): W[] {
  const joined: W[] = [];
  for (const word of words) {
    const last = joined.at(-1);
    if (last === undefined || !isPart(last.word, word.word)) joined.push(word);
    else joined[joined.length - 1] = { ...last, word: last.word + word.word, end: word.end };
  }
  return joined;
}

function isPart(before: string, text: string): boolean {
  if (text.startsWith(' ') || text === '-') return false;
  if (/^[!-/:-@[-`{-~]/.test(text)) return true;
  return !beginsUnspaced.test(text) && !endsUnspaced.test(before);
}

/** The words of a text; where a script has no spaces, its characters, with their marks and punctuation. */
export function splitWords(text: string): string[] {
  return text
    .trim()
    .split(/\s+/)
    .filter(Boolean)
    .flatMap((word) => (unspacedScript.test(word) ? charactersOf(word) : [word]));
}

function charactersOf(text: string): string[] {
  const parts: string[] = [];
  let before: 'opening' | 'spaced' | 'unspaced' = 'unspaced';
  for (const character of text) {
    const kind = kindOf(character);
    const last = parts.at(-1);
    const belongs = kind === 'closing' || before === 'opening' || (kind === 'spaced' && before === 'spaced');
    if (belongs && last !== undefined) parts[parts.length - 1] = last + character;
    else parts.push(character);
    if (kind !== 'closing') before = kind;
  }
  return parts;
}

function kindOf(character: string): 'opening' | 'closing' | 'spaced' | 'unspaced' {
  if (/[\p{Ps}\p{Pi}]/u.test(character)) return 'opening';
  if (/[\p{M}\p{P}]/u.test(character)) return 'closing';
  return unspacedScript.test(character) ? 'unspaced' : 'spaced';
}

/** Distributes the words of a text over a span by their length, for engines without word times. */
export function interpolateWords(text: string, start: number, end: number, confidence: number | null): Word[] {
  const words = splitWords(text);
  const total = words.reduce((sum, word) => sum + word.length + 1, 0);
  let at = start;
  return words.map((word) => {
    const length = ((word.length + 1) / total) * (end - start);
    const placed = { word, start: at, end: at + length, confidence };
    at += length;
    return placed;
  });
}

/** Distributes the words of a text over the parts of a recording in which there is speech, by their length. */
export function spreadWords(text: string, parts: readonly TimeSpan[], confidence: number | null): Word[] {
  const total = parts.reduce((sum, { start, end }) => sum + end - start, 0);
  let [at, before] = [0, 0];
  return interpolateWords(text, 0, total, confidence).map((word) => {
    let part = parts[at] ?? { start: 0, end: total };
    for (let next = parts[at + 1]; next && word.start >= before + part.end - part.start; next = parts[at + 1]) {
      before += part.end - part.start;
      part = next;
      at += 1;
    }
    const start = part.start + word.start - before;
    return { ...word, start, end: Math.min(part.end, start + word.end - word.start) };
  });
}

/**
 * Runs `work` on all items, at most `limit` concurrently; results keep their order. The first failure (or `signal`)
 * cancels the others, and is thrown after all have ended.
 */
export async function mapLimit<T, R>(
  items: readonly T[],
  { limit, signal }: { limit: number; signal: AbortSignal | undefined },
  work: (item: T, index: number, signal: AbortSignal) => Promise<R>,
): Promise<R[]> {
  const results: R[] = [];
  const failure = new AbortController();
  const stop = signal ? AbortSignal.any([signal, failure.signal]) : failure.signal;
  let next = 0;
  const lane = async (): Promise<void> => {
    while (!stop.aborted && next < items.length) {
      const index = next++;
      try {
        results[index] = await work(items[index] as T, index, stop);
      } catch (error) {
        failure.abort(error);
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(limit, items.length) }, lane));
  stop.throwIfAborted();
  return results;
}

function round(value: number): number {
  return Math.round(value * 1000) / 1000;
}

function clamp(value: number, low: number, high: number): number {
  return Math.min(high, Math.max(low, value));
}
