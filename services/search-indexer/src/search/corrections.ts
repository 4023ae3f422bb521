import type { Word } from '../tokenize/tokenize.ts';

/** A query with typing errors removed. */
export type Correction = { query: string; words: { from: string; to: string }[] };

/** Replaces words of a query by others; operators, quotes and all other words stay. */
export function correctedQuery(query: string, replaced: readonly { place: Word; replacement: string }[]): Correction {
  let corrected = query;
  for (const { place, replacement } of replaced.toSorted((x, y) => y.place.at - x.place.at))
    corrected = corrected.slice(0, place.at) + replacement + corrected.slice(place.end);
  return { query: corrected, words: replaced.map(({ place, replacement }) => ({ from: place.text, to: replacement })) };
}

/** The marked words of snippets. */
export function markedWords(snippets: readonly string[]): string[] {
  return snippets.flatMap((html) => [...html.matchAll(/<mark>([^<]*)<\/mark>/g)].map(([, word = '']) => word));
}
