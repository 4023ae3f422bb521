import type { QueryOf, SearchAnswer, searchRoutes } from '@overtone/contracts';
import type { AccessScope } from '../access/access.ts';
import { filterKey, type IndexFilter, type KeywordQuery } from '../ports/search-index.ts';
import type { FileFacts } from './search.store.ts';
import { parseQuery, type ParsedQuery } from './query.ts';
import type { Marks } from './snippets.ts';
import { stemOf, variantsOf } from '../tokenize/tokenize.ts';

export type SearchQuery = QueryOf<typeof searchRoutes.search>;
export type Searcher = { userId: string; canSeeAll: boolean };
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

/** A passage with its rank in each leg (0 = best), null if the leg did not find it. */
export type FusedHit = {
  id: string;
  fileId: string;
  score: number;
  keyword: number | null;
  semantic: number | null;
  /** Index of the token where the best window starts; null without a semantic hit. */
  token: number | null;
};
export type FileHit = { fileId: string; score: number; passages: FusedHit[]; semanticOnly: boolean };
export type Legs = SearchAnswer['legs'];
/** Runs a plan: the files with their passages, best first. @throws AppError unavailable when no leg could run. */
export type FindFiles = (plan: SearchPlan) => Promise<{ files: FileHit[]; legs: Legs }>;

/** What limits a search besides its query. */
export type SearchContext = {
  /** The files that the searcher may find. */
  scope: AccessScope;
  /** The files of the requested collection; null: none was requested. */
  fileIds: readonly string[] | null;
  languages: Languages;
};

export function planSearch(query: SearchQuery, { scope, fileIds, languages }: SearchContext): SearchPlan {
  const parsed = parseQuery(query.q);
  const speakers = [...new Set([...query.speakers, ...parsed.speakers].map(filterKey))];
  const nothingToFind = parsed.words.length + parsed.phrases.length === 0;
  // A speaker filter without words returns everything that speaker says.
  const browse = nothingToFind && speakers.length > 0;
  // Quoted words must match exactly, so there is no semantic leg.
  const literal = parsed.phrases.length > 0 && query.search_mode === 'hybrid';
  return {
    parsed,
    filter: {
      ...scope,
      fileIds,
      speakers,
      tags: query.tags.map(filterKey),
      media: query.file_type,
      uploadedFrom: millis(query.date_from),
      uploadedTo: millis(query.date_to),
      minDuration: query.min_duration ?? null,
      maxDuration: query.max_duration ?? null,
    },
    keyword: query.search_mode === 'semantic' || (nothingToFind && !browse) ? null : keywordQuery(parsed, languages),
    meaning: query.search_mode === 'keyword' || literal || nothingToFind ? null : parsed.text,
    marks: marksOf(parsed, languages),
    spokenBy: speakers.length > 0 ? (speaker) => speakers.includes(filterKey(speaker)) : null,
  };
}

function millis(time: string | undefined): number | null {
  return time === undefined ? null : Date.parse(time);
}

function keywordQuery({ words, phrases }: ParsedQuery, languages: Languages): KeywordQuery {
  return {
    words: [...new Set(words.flatMap((word) => variantsOf(word, languages)))],
    // A phrase is in one language: each alternative is the whole phrase stemmed for one language.
    phrases: phrases.map((phrase) => [
      ...new Set([...languages, 'en'].map((language) => phrase.map((word) => stemOf(word, language)).join(' '))),
    ]),
  };
}

function marksOf({ words, phrases }: ParsedQuery, languages: Languages): Marks {
  return {
    words: new Set(words.flatMap((word) => variantsOf(word, languages))),
    phrases: phrases.map((phrase) => phrase.map((word) => new Set(variantsOf(word, languages)))),
  };
}

/** Checks access again, because the index may be outdated. */
export function keepVisible(
  facts: Map<string, FileFacts>,
  { ownerId, sharedIds }: AccessScope,
): Map<string, FileFacts> {
  if (ownerId === null) return facts;
  const shared = new Set(sharedIds);
  return new Map([...facts].filter(([id, file]) => file.ownerId === ownerId || shared.has(id)));
}
