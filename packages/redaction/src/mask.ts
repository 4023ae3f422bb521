import type { RedactionKind } from '@overtone/contracts';
import type { Span } from './spans.ts';

/** What stands in the text instead of a span; one word without spaces. */
export const placeholders: Readonly<Record<RedactionKind, string>> = {
  name: '[name]',
  email: '[email]',
  phone: '[phone]',
  address: '[address]',
  card: '[card]',
  account: '[account]',
  id_number: '[id-number]',
  birth_date: '[birth-date]',
  secret: '[secret]',
};
/** Stands for a text that was not scanned. */
export const withheldText = '[withheld]';

type TimedWord = { word: string; start: number; end: number; confidence: number | null };
/** A masked text, and where its placeholders are. */
export type Masked<S extends Span> = { text: string; spans: S[] };

/** Replaces the spans by placeholders. `spans` must be in order and must not overlap. */
export function maskText<S extends Span>(text: string, spans: readonly S[]): Masked<S> {
  const placed: S[] = [];
  let masked = '';
  let from = 0;
  for (const span of spans) {
    masked += text.slice(from, span.start);
    const start = masked.length;
    masked += placeholders[span.kind];
    placed.push({ ...span, start, end: masked.length });
    from = span.end;
  }
  return { text: masked + text.slice(from), spans: placed };
}

/**
 * The words of a text without those of the spans: they keep their times and lose their text. Words that cannot be found
 * in the text are all removed, because it is unknown which of them are masked.
 */
export function maskWords<W extends TimedWord>(text: string, words: readonly W[], spans: readonly Span[]): W[] {
  if (spans.length === 0) return [...words];
  const masked: W[] = [];
  let from = 0;
  for (const word of words) {
    const wanted = word.word.trim();
    const start = wanted === '' ? from : text.indexOf(wanted, from);
    if (start < 0 || /\S/u.test(text.slice(from, start))) return [];
    const end = start + wanted.length;
    const hidden = spans.some((span) => span.start < end && start < span.end);
    masked.push(hidden ? { ...word, word: '', confidence: null } : word);
    from = end;
  }
  return masked;
}

/** As letters, of which the times of words are calculated: the same for each masked part. */
const hiddenLetters = 8;

/**
 * The words as their reader sees them: consecutive masked words are one. Estimated times around them are estimated again,
 * because they tell the length of what is masked.
 */
export function joinMasked<W extends TimedWord & { interpolated?: boolean | undefined }>(words: readonly W[]): W[] {
  const joined: W[] = [];
  for (const word of words) {
    const last = joined.at(-1);
    if (last?.word === '' && word.word === '') joined[joined.length - 1] = { ...last, end: word.end };
    else joined.push(word);
  }
  for (let from = 0; from < joined.length; from += 1) {
    if (!joined[from]?.interpolated) continue;
    let to = from;
    while (joined[to + 1]?.interpolated) to += 1;
    const run = joined.slice(from, to + 1);
    if (run.some(({ word }) => word === '')) joined.splice(from, run.length, ...spreadAgain(run));
    from = to;
  }
  return joined;
}

function spreadAgain<W extends TimedWord>(run: readonly W[]): W[] {
  const [start, end] = [run[0]?.start ?? 0, run.at(-1)?.end ?? 0];
  const lettersOf = ({ word }: W): number => word.length || hiddenLetters;
  const letters = run.reduce((sum, word) => sum + lettersOf(word), 0);
  let at = start;
  return run.map((word) => {
    const from = at;
    at += ((end - start) * lettersOf(word)) / letters;
    return { ...word, start: Math.round(from * 1000) / 1000, end: Math.round(at * 1000) / 1000 };
  });
}

/**
 * Puts the masked parts back into an edited text. The placeholders of a text with masked parts must stay as they are and in
 * their order, also those that are words of the text itself, as in the import of a masked export.
 * @returns the text with the positions of the spans in it; undefined when a placeholder was removed, added or moved.
 */
export function restoreMasked<S extends Span>(
  original: string,
  spans: readonly S[],
  edited: string,
): Masked<S> | undefined {
  if (spans.length === 0) return { text: edited, spans: [] };
  const shown = maskText(original, spans);
  const expected = placeholdersIn(shown.text);
  const found = placeholdersIn(edited);
  if (found.length !== expected.length) return undefined;
  const restored: S[] = [];
  let text = '';
  let from = 0;
  for (const [i, { 0: placeholder, index }] of found.entries()) {
    if (placeholder !== expected[i]?.[0]) return undefined;
    const masked = shown.spans[restored.length]?.start === expected[i].index ? spans[restored.length] : undefined;
    text += edited.slice(from, index);
    const start = text.length;
    text += masked ? original.slice(masked.start, masked.end) : placeholder;
    if (masked) restored.push({ ...masked, start, end: text.length });
    from = index + placeholder.length;
  }
  return { text: text + edited.slice(from), spans: restored };
}

function placeholdersIn(text: string): RegExpExecArray[] {
  return [...text.matchAll(/\[[a-z-]+\]/g)].filter(({ 0: word }) => knownPlaceholders.has(word));
}

const knownPlaceholders: ReadonlySet<string> = new Set(Object.values(placeholders));
