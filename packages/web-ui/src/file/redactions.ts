import type { Segment } from '../api/queries.ts';

export type Redaction = Segment['redactions'][number];

/** The masked part in each word of the text; undefined for words without one. */
export function redactionsOfTokens({
  text,
  redactions,
}: Pick<Segment, 'text' | 'redactions'>): (Redaction | undefined)[] {
  if (redactions.length === 0) return [];
  return [...text.matchAll(/\S+/g)].map(({ 0: word, index }) =>
    redactions.find(({ start }) => start >= index && start < index + word.length),
  );
}
