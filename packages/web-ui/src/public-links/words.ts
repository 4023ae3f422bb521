import type { PublicSegment } from '@overtone/contracts';

type Piece = { readonly text: string; readonly start: number; readonly isMasked: boolean };

/**
 * The text of a passage in pieces: its words with the space behind them, and its placeholders. A word has its own time
 * where the text is that of the engine; in an edited text its time is estimated by its place.
 */
export function wordsOfText(segment: PublicSegment): Piece[] {
  const { text, redactions } = segment;
  const pieces: Piece[] = [];
  const timeAt = timesOf(segment);
  let from = 0;
  const addWords = (until: number): void => {
    for (const { 0: word, index } of text.slice(from, until).matchAll(/\S+\s*|\s+/gu))
      pieces.push({ text: word, start: timeAt(from + index), isMasked: false });
  };
  for (const { start, end } of redactions) {
    addWords(start);
    pieces.push({ text: text.slice(start, end), start: timeAt(start), isMasked: true });
    from = end;
  }
  addWords(text.length);
  return pieces;
}

/** The time at a letter of the text. Words that are masked have no text, but their placeholders stand in their places. */
function timesOf({ text, words, start_time, end_time }: PublicSegment): (index: number) => number {
  const starts = new Map<number, number>();
  let at = 0;
  for (const { word, start } of words) {
    if (word === '') continue;
    const found = text.indexOf(word, at);
    if (found < 0) continue;
    starts.set(found, start);
    at = found + word.length;
  }
  const length = Math.max(1, text.length);
  return (index) => starts.get(index) ?? start_time + ((end_time - start_time) * index) / length;
}
