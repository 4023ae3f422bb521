import type { Word } from '../tokenize/tokenize.ts';

/** A query with typing errors removed. */
export type Correction = { query: string; words: { from: string; to: string }[] };

/** Replaces words of a query by others, and names each once; operators, quotes and all other words stay. */
export function correctedQuery(query: string, replaced: readonly { place: Word; replacement: string }[]): Correction {
  let corrected = query;
  for (const { place, replacement } of replaced.toSorted((x, y) => y.place.at - x.place.at))
    corrected = corrected.slice(0, place.at) + replacement + corrected.slice(place.end);
  const words = Map.groupBy(replaced, ({ place }) => place.text.toLowerCase());
  const named = [...words.values()].flatMap((same) => same.slice(0, 1));
  return { query: corrected, words: named.map(({ place, replacement }) => ({ from: place.text, to: replacement })) };
}
