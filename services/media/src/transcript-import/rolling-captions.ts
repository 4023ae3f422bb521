import type { Word } from '@overtone/contracts';
import type { ImportedCue } from './cues.ts';

/** A cue on the screen; `pieces`: its texts with the times inside it. */
export type ShownBlock = Omit<ImportedCue, 'words' | 'start' | 'end'> & {
  start: number;
  end: number;
  pieces: { text: string; start: number; end: number }[];
};

/** A caption has few words; longer texts are not compared. */
const maxWords = 60;
/** Seconds between the end of a caption and its repetition in the next one. */
const touching = 0.25;
const fewestRepeats = 3;

/**
 * Live captions roll: each line is shown again above the next one. In a file of such captions, what was shown already is
 * removed, and words get the times inside the cues.
 */
export function withoutRepeats(blocks: readonly ShownBlock[]): ImportedCue[] {
  const overlaps = blocks.map((block, i) => overlapOf(blocks[i - 1], block));
  const touches = blocks.filter((block, i) => isTouching(blocks[i - 1], block)).length;
  const repeats = overlaps.filter((overlap) => overlap > 1).length;
  const isRolling = repeats >= fewestRepeats && repeats * 2 >= touches;
  return blocks.flatMap((block, i) => {
    const repeated = isRolling ? (overlaps[i] ?? 0) : 0;
    const { pieces, ...cue } = block;
    if (pieces.length === 0 && repeated === 0) return [cue];
    const text = cue.text.split(' ').slice(repeated).join(' ');
    if (text === '') return [];
    return [{ ...cue, text, ...(pieces.length > 0 ? { words: wordsOf(pieces, repeated) } : {}) }];
  });
}

function isTouching(previous: ShownBlock | undefined, block: ShownBlock): boolean {
  return previous !== undefined && Math.abs(block.start - previous.end) <= touching;
}

/** How many words at the beginning were the last ones of the caption before. */
function overlapOf(previous: ShownBlock | undefined, block: ShownBlock): number {
  if (!previous || !isTouching(previous, block)) return 0;
  const [before, words] = [previous.text.split(' ', maxWords + 1), block.text.split(' ', maxWords + 1)];
  if (before.length > maxWords || words.length > maxWords) return 0;
  for (let count = Math.min(before.length, words.length); count > 0; count -= 1)
    if (words.slice(0, count).every((word, i) => word === before[before.length - count + i])) return count;
  return 0;
}

/** Words share the time of their piece in proportion to their letters. */
function wordsOf(pieces: ShownBlock['pieces'], repeated: number): Word[] {
  let skip = repeated;
  return pieces.flatMap(({ text, start, end }) => {
    const all = text.split(' ').filter(Boolean);
    const words = all.slice(skip);
    skip = Math.max(0, skip - all.length);
    const letters = words.reduce((sum, word) => sum + word.length, 0);
    let at = start;
    return words.map((word) => {
      const from = at;
      at += ((end - start) * word.length) / letters;
      return { word, start: from, end: at, confidence: null, ...(words.length > 1 ? { interpolated: true } : {}) };
    });
  });
}
