import type { QueryOf, searchRoutes } from '@overtone/contracts';
import type { Sight } from '../access/access.ts';
import { filterKey, type IndexFilter, type KeywordQuery } from '../ports/search-index.ts';
import { parseQuery, type ParsedQuery } from '../query/query.ts';
import type { Marks } from '../snippets/snippets.ts';
import { stemOf, variantsOf } from '../words/words.ts';

export type SearchQuery = QueryOf<typeof searchRoutes.search>;
export type Languages = readonly (string | null)[];

/** What a search asks of the index. */
export type SearchPlan = {
  parsed: ParsedQuery;
  filter: IndexFilter;
  /** null: no word leg. */
  keyword: KeywordQuery | null;
  /** Text whose meaning is looked for; null: no meaning leg. */
  meaning: string | null;
  marks: Marks;
  /** Only what these say counts; null: anybody. */
  spokenBy: ((speaker: string) => boolean) | null;
};

const millis = (time: string | undefined): number | null => (time === undefined ? null : Date.parse(time));

/** @param sight which files there are for who is searching. */
export const planSearch = (q: SearchQuery, sight: Sight, languages: Languages): SearchPlan => {
  const parsed = parseQuery(q.q);
  const speakers = [...new Set([...q.speakers, ...parsed.speakers].map(filterKey))];
  const nothingToFind = parsed.words.length + parsed.phrases.length === 0;
  // Without any word a filter alone is a question too: everything this speaker says.
  const browse = nothingToFind && speakers.length > 0;
  // Quotes ask for exactly these words; what merely means the same is not an answer to them.
  const literal = parsed.phrases.length > 0 && q.search_mode === 'hybrid';
  return {
    parsed,
    filter: {
      ...sight,
      speakers,
      tags: q.tags.map(filterKey),
      media: q.file_type,
      uploadedFrom: millis(q.date_from),
      uploadedTo: millis(q.date_to),
      minDuration: q.min_duration ?? null,
      maxDuration: q.max_duration ?? null,
    },
    keyword: q.search_mode === 'semantic' || (nothingToFind && !browse) ? null : keywordQuery(parsed, languages),
    meaning: q.search_mode === 'keyword' || literal || nothingToFind ? null : parsed.text,
    marks: marksOf(parsed, languages),
    spokenBy: speakers.length > 0 ? (s) => speakers.includes(filterKey(s)) : null,
  };
};

const keywordQuery = ({ words, phrases }: ParsedQuery, languages: Languages): KeywordQuery => ({
  words: [...new Set(words.flatMap((w) => variantsOf(w, languages)))],
  // A phrase is said in one language: each alternative is the whole phrase in one.
  phrases: phrases.map((phrase) => [
    ...new Set([...languages, 'en'].map((l) => phrase.map((w) => stemOf(w, l)).join(' '))),
  ]),
});

const marksOf = ({ words, phrases }: ParsedQuery, languages: Languages): Marks => ({
  words: new Set(words.flatMap((w) => variantsOf(w, languages))),
  phrases: phrases.map((p) => p.map((w) => new Set(variantsOf(w, languages)))),
});

/**
 * Cosine similarity below which a window of speech has nothing to do with a query. Measured with the word vectors: nine
 * in ten unrelated pairs lie below 0.25, nine in ten paraphrases above 0.36.
 */
export const similarityFloor = 0.3;
