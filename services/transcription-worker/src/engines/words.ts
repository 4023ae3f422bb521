import type { Word } from '@overtone/contracts';

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
 * Whisper splits `ill-disposed`, `l'on`, `3.5` and `20%` before the punctuation mark: the second part has no space before
 * it. One without a space that begins with a letter is a word of its own, of a language without spaces.
 * @param words those of one segment.
 */
export function joinPunctuated(words: readonly Word[]): Word[] {
  const joined: Word[] = [];
  for (const word of words) {
    const last = joined.at(-1);
    if (last === undefined || !/^[!-/:-@[-`{-~]/.test(word.word) || word.word === '-') joined.push(word);
    else joined[joined.length - 1] = { ...last, word: last.word + word.word, end: word.end };
  }
  return joined;
}

/** Distributes the words of a text over a span by their length, for engines without word times. */
export function interpolateWords(text: string, start: number, end: number, confidence: number | null): Word[] {
  const words = text.trim().split(/\s+/).filter(Boolean);
  const total = words.reduce((sum, word) => sum + word.length + 1, 0);
  let at = start;
  return words.map((word) => {
    const length = ((word.length + 1) / total) * (end - start);
    const placed = { word, start: at, end: at + length, confidence };
    at += length;
    return placed;
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
