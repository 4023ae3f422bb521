import { maxSegmentText, type TextSearch } from '@overtone/contracts';
import { RE2JS } from 're2js';

type Span = { start: number; end: number };
/** A text as its reader sees it. Nothing is found in its masked parts. */
export type SearchedText = { text: string; masked: readonly Span[] };
/** A place in a text, and what takes its place. */
export type TextPlace = Span & { replacement: string };
export type TextPattern = Pick<TextSearch, 'find' | 'replacement' | 'regex' | 'match_case' | 'whole_word'>;
export type FindPlaces = (searched: SearchedText) => TextPlace[];

/** A repetition such as `x{1000}` multiplies the time of each letter. */
const maxProgramSize = 2_000;

/**
 * Compiles a pattern. RE2 tries no alternatives one after the other: the time of a match is linear in the text, also with
 * an expression that others would need years for.
 * @throws Error when it is no valid expression
 */
export function createFindPlaces({ find, replacement, regex, match_case, whole_word }: TextPattern): FindPlaces {
  const flags = match_case ? 0 : RE2JS.CASE_INSENSITIVE;
  const pattern = RE2JS.compile(regex ? find : RE2JS.quote(find), flags);
  if (pattern.programSize() > maxProgramSize) throw new Error('the expression is too large');
  return ({ text, masked }) => {
    const matcher = pattern.matcher(text);
    const places: TextPlace[] = [];
    for (let from = 0; from <= text.length && matcher.find(from);) {
      const [start, end] = [matcher.start(), matcher.end()];
      const isMasked = masked.some((span) => span.start < end && start < span.end);
      const isUsable = end > start && !isMasked && (!whole_word || isWhole(text, { start, end }));
      if (isUsable) {
        const groupOf = (group: number) => (group > matcher.groupCount() ? null : matcher.group(group));
        places.push({ start, end, replacement: regex ? expand(replacement, groupOf) : replacement });
      }
      from = isUsable ? end : start + lengthAt(text, start);
    }
    return places;
  };
}

/** `$1` and `$&` stand for what was found, `$$` for a dollar sign. */
function expand(template: string, groupOf: (group: number) => string | null): string {
  return template.replaceAll(/\$(?:\$|&|(\d))/g, (token: string, group: string | undefined) =>
    token === '$$' ? '$' : (groupOf(Number(group ?? 0)) ?? ''),
  );
}

function lengthAt(text: string, at: number): number {
  return (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1;
}

const letterBefore = /[\p{L}\p{N}\p{M}_]$/u;
const letterAfter = /^[\p{L}\p{N}\p{M}_]/u;

/** Whether no word continues over one of the ends. */
function isWhole(text: string, { start, end }: Span): boolean {
  const found = text.slice(start, end);
  const goesOnBefore = letterAfter.test(found) && letterBefore.test(text.slice(Math.max(0, start - 2), start));
  const goesOnAfter = letterBefore.test(found) && letterAfter.test(text.slice(end, end + 2));
  return !goesOnBefore && !goesOnAfter;
}

/** The text with the places replaced; undefined when it would be too long for a passage. `places`: in their order. */
export function replacePlaces(text: string, places: readonly TextPlace[]): string | undefined {
  let length = text.length;
  for (const { start, end, replacement } of places) length += replacement.length - (end - start);
  if (length > Math.max(maxSegmentText, text.length)) return undefined;
  let replaced = '';
  let from = 0;
  for (const { start, end, replacement } of places) {
    replaced += text.slice(from, start) + replacement;
    from = end;
  }
  return replaced + text.slice(from);
}

/** Letters around a place that its preview shows. */
const around = 60;

/** A place with the words around it. */
export function excerptOf(text: string, { start, end }: Span): { text: string; from: number; to: number } {
  const before = text.slice(Math.max(0, start - around), start);
  const shownBefore = start > around ? `…${before.replace(/^\S*\s/u, '')}` : before;
  const after = text.slice(end, end + around);
  const shownAfter = end + around < text.length ? `${after.replace(/\s\S*$/u, '')}…` : after;
  const found = text.slice(start, end);
  return { text: shownBefore + found + shownAfter, from: shownBefore.length, to: shownBefore.length + found.length };
}
