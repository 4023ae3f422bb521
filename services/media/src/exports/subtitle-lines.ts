import { unspacedScript } from '@overtone/contracts/unspaced';
import stringWidth from 'string-width';

/** Columns of a line; a Chinese, Japanese or Korean character takes two. */
export const lineLength = 42;

/** A part of a text after which a line may end. `spaced`: a space precedes it inside a line. */
export type Token = { text: string; width: number; spaced: boolean };

const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' });
const words = new Intl.Segmenter(undefined, { granularity: 'word' });

export function widthOf(text: string): number {
  return stringWidth(text, { countAnsiEscapeCodes: true });
}

/** The words of a text; where a script has no spaces, its words by their dictionary, with their punctuation. */
export function tokensOf(text: string): Token[] {
  return text
    .split(' ')
    .filter((word) => word !== '')
    .flatMap((word) => {
      const parts = unspacedScript.test(word) ? wordsOf(word) : [word];
      return parts.flatMap(splitLong).map((part, i) => ({ text: part, width: widthOf(part), spaced: i === 0 }));
    });
}

/** A line begins with no closing and ends with no opening punctuation. */
function wordsOf(text: string): string[] {
  const parts: string[] = [];
  let open = '';
  for (const { segment, isWordLike } of words.segment(text)) {
    if (/^[\p{Ps}\p{Pi}]/u.test(segment)) open += segment;
    else if (isWordLike || open !== '' || parts.length === 0) {
      parts.push(open + segment);
      open = '';
    } else parts[parts.length - 1] += segment;
  }
  if (open !== '') parts.push(open);
  return parts;
}

/** A word in parts that fit into a line. */
function splitLong(word: string): string[] {
  if (widthOf(word) <= lineLength) return [word];
  const parts: string[] = [];
  let part = '';
  let width = 0;
  for (const { segment } of graphemes.segment(word)) {
    const more = widthOf(segment);
    if (width + more > lineLength) {
      parts.push(part);
      [part, width] = ['', 0];
    }
    part += segment;
    width += more;
  }
  return [...parts, part];
}

export function joinTokens(tokens: readonly Token[]): string {
  let text = '';
  for (const token of tokens) text += token.spaced && text !== '' ? ` ${token.text}` : token.text;
  return text;
}

/** Lines that fit; two of about equal width where two are enough. */
export function wrapLines(text: string): string[] {
  if (widthOf(text) <= lineLength) return [text];
  return wrapTokens(tokensOf(text)).map(joinTokens);
}

/** Whether two lines are enough. */
export function fits(text: string): boolean {
  // Most texts are far from the limit on either side.
  const width = widthOf(text);
  if (width <= lineLength) return true;
  return width <= 2 * lineLength + 1 && wrapTokens(tokensOf(text)).length <= 2;
}

function wrapTokens(tokens: readonly Token[]): Token[][] {
  return splitBalanced(tokens) ?? splitGreedily(tokens);
}

function addedWidth(token: Token, width: number): number {
  return token.width + (token.spaced && width > 0 ? 1 : 0);
}

function splitBalanced(tokens: readonly Token[]): Token[][] | undefined {
  const total = tokens.reduce((width, token) => width + addedWidth(token, width), 0);
  let best: number | undefined;
  let bestWidth = lineLength + 1;
  let first = 0;
  for (const [i, token] of tokens.entries()) {
    if (i > 0) {
      const longest = Math.max(first, total - first - (token.spaced ? 1 : 0));
      if (longest < bestWidth) [best, bestWidth] = [i, longest];
    }
    first += addedWidth(token, first);
  }
  return best === undefined ? undefined : [tokens.slice(0, best), tokens.slice(best)];
}

function splitGreedily(tokens: readonly Token[]): Token[][] {
  const lines: Token[][] = [];
  let width = 0;
  for (const token of tokens) {
    const line = lines.at(-1);
    if (line && width + addedWidth(token, width) <= lineLength) {
      line.push(token);
      width += addedWidth(token, width);
    } else {
      lines.push([token]);
      width = token.width;
    }
  }
  return lines;
}
