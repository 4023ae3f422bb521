import type { QueryOf, searchRoutes } from '@overtone/contracts';
import type { AccessScope } from '../access/access.ts';
import { filterKey, type IndexFilter, type KeywordQuery } from '../ports/search-index.ts';
import { parseQuery, type ParsedQuery } from './query.ts';
import type { Marks } from './snippets.ts';
import { stemOf, variantsOf } from '../tokenize/tokenize.ts';

export type SearchQuery = QueryOf<typeof searchRoutes.search>;
export type Languages = readonly (string | null)[];

/** A parsed search as index queries. */
export type SearchPlan = {
  parsed: ParsedQuery;
  filter: IndexFilter;
  /** null: no keyword leg. */
  keyword: KeywordQuery | null;
  /** Text of the semantic leg; null: no semantic leg. */
  meaning: string | null;
  marks: Marks;
  /** Whether a speaker was requested; null: any speaker. */
  spokenBy: ((speaker: string) => boolean) | null;
};

/** @param scope the files that the searcher may find. */
export function planSearch(q: SearchQuery, scope: AccessScope, languages: Languages): SearchPlan {
  const parsed = parseQuery(q.q);
  const speakers = [...new Set([...q.speakers, ...parsed.speakers].map(filterKey))];
  const nothingToFind = parsed.words.length + parsed.phrases.length === 0;
  // A speaker filter without words returns everything that speaker says.
  const browse = nothingToFind && speakers.length > 0;
  // Quoted words must match exactly, so there is no semantic leg.
  const literal = parsed.phrases.length > 0 && q.search_mode === 'hybrid';
  return {
    parsed,
    filter: {
      ...scope,
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
}

function millis(time: string | undefined): number | null {
  return time === undefined ? null : Date.parse(time);
}

function keywordQuery({ words, phrases }: ParsedQuery, languages: Languages): KeywordQuery {
  return {
    words: [...new Set(words.flatMap((w) => variantsOf(w, languages)))],
    // A phrase is in one language: each alternative is the whole phrase stemmed for one language.
    phrases: phrases.map((phrase) => [
      ...new Set([...languages, 'en'].map((l) => phrase.map((w) => stemOf(w, l)).join(' '))),
    ]),
  };
}

function marksOf({ words, phrases }: ParsedQuery, languages: Languages): Marks {
  return {
    words: new Set(words.flatMap((w) => variantsOf(w, languages))),
    phrases: phrases.map((p) => p.map((w) => new Set(variantsOf(w, languages)))),
  };
}
