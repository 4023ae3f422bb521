import type { InsightSegment } from '@overtone/contracts';
import { passageLine } from '../untrusted/untrusted.ts';

/** A numbered line of a request. A passage that is too long for one request has several. */
export type Line = { number: number; text: string };
/** Consecutive lines of a transcript that fit into one request. */
export type Section = { lines: Line[] };
type Measure = (text: string) => number;
type Block = { lines: Line[]; tokens: number };

/**
 * Divides a transcript at changes of speaker, where a turn is too long between passages, and where a passage is too long between
 * its sentences. Every text is in exactly one section.
 * @param room tokens of a section
 */
export function splitSections(segments: readonly InsightSegment[], room: number, countTokens: Measure): Section[] {
  const sections: Section[] = [];
  let left = 0;
  const add = ({ lines, tokens }: Block): void => {
    const section = sections.at(-1);
    if (section && tokens <= left) section.lines.push(...lines);
    else sections.push({ lines: [...lines] });
    left = (section && tokens <= left ? left : room) - tokens;
  };
  const measure = ({ text }: Line): number => countTokens(text) + 1;
  for (const turn of turnsOf(segments)) {
    const lines = turn.flatMap((passage) => linesOf(passage, room, countTokens));
    const blocks = lines.map((line) => ({ lines: [line], tokens: measure(line) }));
    const tokens = blocks.reduce((sum, block) => sum + block.tokens, 0);
    if (tokens <= room) add({ lines, tokens });
    else blocks.forEach(add);
  }
  return sections;
}

type Passage = { number: number; segment: InsightSegment };

/** Consecutive passages of one speaker. A number is the position in the transcript. */
function turnsOf(segments: readonly InsightSegment[]): Passage[][] {
  const turns: Passage[][] = [];
  for (const [number, segment] of segments.entries()) {
    if (segment.text.trim() === '') continue;
    const turn = turns.at(-1);
    if (turn?.at(-1)?.segment.speakerUuid === segment.speakerUuid) turn?.push({ number, segment });
    else turns.push([{ number, segment }]);
  }
  return turns;
}

function linesOf({ number, segment: { speakerName, text } }: Passage, room: number, countTokens: Measure): Line[] {
  const toLine = (part: string): Line => ({ number, text: passageLine(number, speakerName, part) });
  const fits = (part: string): boolean => countTokens(toLine(part).text) + 1 <= room;
  return fits(text) ? [toLine(text)] : partsOf(text, fits).map(toLine);
}

const sentences = new Intl.Segmenter(undefined, { granularity: 'sentence' });
const words = new Intl.Segmenter(undefined, { granularity: 'word' });
const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

/** A text in parts that fit: whole sentences, or words, or characters. */
function partsOf(text: string, fits: (part: string) => boolean, levels = [sentences, words, graphemes]): string[] {
  const [segmenter, ...finer] = levels;
  if (!segmenter) return [text];
  const parts: string[] = [];
  for (const { segment } of segmenter.segment(text)) {
    const longer = (parts.at(-1) ?? '') + segment;
    if (parts.length > 0 && fits(longer)) parts[parts.length - 1] = longer;
    else if (fits(segment)) parts.push(segment);
    else parts.push(...partsOf(segment, fits, finer));
  }
  return parts;
}
