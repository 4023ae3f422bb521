import type { Word } from '@overtone/contracts';

/** `word start end confidence`, as `-time yes` prints it under each recognised line. */
const timedWord = /^(\S+) (\d+\.\d+) (\d+\.\d+) (\d+\.\d+)$/;
/** `<s>`, `<sil>`, `[NOISE]`, `++COUGH++`: non-speech tokens of the model. */
const filler = /^[<[+]/;

export type SphinxLine = { end: number; word: Word | undefined };

/** One line of output: a word with its times, a filler (only its end counts), or undefined for the plain text line. */
export function parseSphinxLine(line: string, offset: number): SphinxLine | undefined {
  const match = timedWord.exec(line);
  if (!match) return undefined;
  const [, word = '', start, end, confidence] = match;
  const from = Number(start) + offset;
  const to = Number(end) + offset;
  if (filler.test(word)) return { end: to, word: undefined };
  return { end: to, word: { word: written(word), start: from, end: to, confidence: Math.min(1, Number(confidence)) } };
}

function written(word: string): string {
  const plain = word.replace(/\(\d+\)$/, '');
  return /^i('|$)/.test(plain) ? `I${plain.slice(1)}` : plain;
}
