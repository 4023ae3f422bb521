import bidiModule from 'bidi-js';
import type { Face, FontCatalogue } from './pdf-fonts.ts';
import { tokensOf } from './subtitle-lines.ts';
import { isRightToLeft } from './xml.ts';

export type Style = {
  size: number;
  bold?: boolean;
  color?: string;
  /** A colour behind the text. */
  marked?: boolean;
  /** A name that is the target of links, at the beginning of the text. */
  target?: string;
  link?: string;
};
export type Span = { text: string; style: Style };
/** A part of a line with one font, one style and one direction; its characters are in the order of the font library. */
export type Glyphs = { text: string; face: Face; style: Style };
export type Line = { glyphs: Glyphs[]; rightToLeft: boolean };
/** `from`: its position in the text. */
type Part = Glyphs & { level: number; from: number };
type Measure = (glyphs: Glyphs) => number;

// The package exports a function by CommonJS; its types describe an ES module.
const createBidi = bidiModule as unknown as typeof bidiModule.default;
const bidi = createBidi();
const hasRightToLeft = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/;

/** The text in lines that fit; words of both directions stand in the order in which they are read. */
export function linesOf(spans: readonly Span[], width: number, fonts: FontCatalogue, measure: Measure): Line[] {
  const text = spans.map((span) => span.text).join('');
  const rightToLeft = isRightToLeft(text);
  const levels = hasRightToLeft.test(text) ? bidi.getEmbeddingLevels(text, rightToLeft ? 'rtl' : 'ltr').levels : null;
  const parts = partsOf(spans, levels, fonts);
  return breakLines(text, parts, width, measure).map(([from, to]) => ({
    glyphs: reordered(cut(parts, from, to)).map(directed),
    rightToLeft,
  }));
}

function partsOf(spans: readonly Span[], levels: Uint8Array | null, fonts: FontCatalogue): Part[] {
  const parts: Part[] = [];
  let at = 0;
  for (const { text, style } of spans) {
    let last: Part | undefined;
    for (const character of text) {
      const level = levels?.[at] ?? 0;
      const face = fonts.faceOf(character.codePointAt(0) ?? 0, last?.face);
      if (last?.face === face && last.level === level) last.text += character;
      else {
        // A link leads to the beginning of the text, not to each of its parts.
        const { target: _, ...rest } = style;
        last = { text: character, face, style: last ? rest : style, level, from: at };
        parts.push(last);
      }
      at += character.length;
    }
  }
  return parts;
}

/** Beginning and end of each line. */
function breakLines(text: string, parts: readonly Part[], width: number, measure: Measure): [number, number][] {
  const lines: [number, number][] = [];
  let [from, to, used] = [0, 0, 0];
  for (const token of tokensOf(text)) {
    const start = text.indexOf(token.text, to);
    const end = start + token.text.length;
    const cursor = cut(parts, to, end);
    const added = cursor.reduce((sum, part) => sum + measure(part), 0);
    if (used > 0 && used + added > width) {
      lines.push([from, to]);
      from = start;
      used = cut(parts, start, end).reduce((sum, part) => sum + measure(part), 0);
    } else used += added;
    to = end;
  }
  return [...lines, [from, to]];
}

/** The parts between two positions of the text. */
function cut(parts: readonly Part[], from: number, to: number): Part[] {
  const found: Part[] = [];
  for (let i = indexAt(parts, from); i < parts.length; i += 1) {
    const part = parts[i];
    if (!part || part.from >= to) break;
    const [start, end] = [Math.max(from, part.from), Math.min(to, part.from + part.text.length)];
    if (start < end) found.push({ ...part, from: start, text: part.text.slice(start - part.from, end - part.from) });
  }
  return found;
}

/** The index of the part that contains a position; parts are in order. */
function indexAt(parts: readonly Part[], position: number): number {
  let [low, high] = [0, parts.length - 1];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((parts[middle]?.from ?? 0) <= position) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** From left to right: rule L2 of the bidirectional algorithm of Unicode. */
function reordered(parts: Part[]): Part[] {
  const highest = Math.max(0, ...parts.map(({ level }) => level));
  let line = parts;
  for (let level = highest; level > 0; level -= 1) {
    const next: Part[] = [];
    let turned: Part[] = [];
    for (const part of line) {
      if (part.level >= level) turned.unshift(part);
      else {
        next.push(...turned, part);
        turned = [];
      }
    }
    line = [...next, ...turned];
  }
  return line;
}

/** The font library turns right-to-left scripts itself, but neither signs between them nor the form of brackets. */
function directed({ text, level, face, style }: Part): Glyphs {
  if (level % 2 === 0) return { text, face, style };
  const mirrored = Array.from(text, (character) => bidi.getMirroredCharacter(character) ?? character);
  return { text: (hasRightToLeft.test(text) ? mirrored : mirrored.toReversed()).join(''), face, style };
}
