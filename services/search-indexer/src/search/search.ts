import type { QueryOf, SearchAnswer, searchRoutes } from '@overtone/contracts';
import type { AccessScope } from '../access/access.ts';
import { filterKey, type IndexFilter, type KeywordQuery, type QueryVector } from '../ports/search-index.ts';
import { hasFilters, type ParsedQuery } from './query.ts';
import type { Marks } from './snippets.ts';
import { phraseVariantsOf, variantsOf } from '../tokenize/tokenize.ts';

export { parseQuery } from './query.ts';

export type SearchQuery = QueryOf<typeof searchRoutes.search>;
export type Languages = readonly (string | null)[];

/** A parsed search as index queries. */
export type SearchPlan = {
  parsed: ParsedQuery;
  filter: IndexFilter;
  /** null: no keyword leg. */
  keyword: KeywordQuery | null;
  marks: Marks;
  /** Whether the words of a speaker are searched; null: those of all speakers. */
  spokenBy: ((speaker: string | null) => boolean) | null;
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
/** What the semantic leg can do, and the vector that it searches with. */
export type Meaning = { leg: Legs['semantic']; vector: QueryVector | null };
/** Requests the vector of a text; null: no semantic leg. Never rejects, so that it can be pending while others are awaited. */
export type ReadMeaning = (text: string | null) => Promise<Meaning>;
/** `more`: whether there are more passages, or files, than were found. */
export type Found = { files: FileHit[]; legs: Legs; more: { passages: boolean; files: boolean } };
/**
 * Runs a plan: the files, best first. Some are found by their sections or as a whole, and have no passages yet.
 * @throws AppError unavailable when no leg could run.
 */
export type FindFiles = (plan: SearchPlan, meaning: Promise<Meaning>) => Promise<Found>;
/** Finds passages of those files that have none yet. */
export type FindPassages = (plan: SearchPlan, files: readonly FileHit[]) => Promise<FileHit[]>;

/** What limits a search besides its query. */
export type SearchContext = {
  parsed: ParsedQuery;
  /** The files that the searcher may find. */
  scope: AccessScope;
  /** The files of the requested collections; null: none was requested. */
  fileIds: readonly string[] | null;
  /** The files of excluded collections, and those with excluded words. */
  excludedFileIds: readonly string[];
  languages: Languages;
  /** Words of the library that contain a word of the query: compounds of German and its relatives. */
  compounds?: readonly string[];
};

/** What a plan is made of besides the parsed words and operators. */
type PlannedQuery = Pick<
  SearchQuery,
  'search_mode' | 'speakers' | 'tags' | 'file_type' | 'date_from' | 'date_to' | 'min_duration' | 'max_duration'
>;

export function planSearch(query: PlannedQuery, context: SearchContext): SearchPlan {
  const { parsed, languages } = context;
  const { filters } = parsed;
  const speakers = [...new Set([...query.speakers, ...filters.speakers].map(filterKey))];
  // Operators without words return everything that passes them.
  const browse = !hasWords(parsed) && (speakers.length > 0 || hasFilters(filters));
  const searched = query.search_mode !== 'semantic' && hasWords(parsed);
  const marks = marksOf(parsed, context.compounds ?? [], languages);
  return {
    parsed,
    filter: filterOf(query, speakers, context),
    keyword: searched || browse ? keywordQuery(parsed, marks, languages) : null,
    marks,
    spokenBy: speakerRule(speakers, filters.excludedSpeakers.map(filterKey)),
  };
}

/** Text of the semantic leg; null: no semantic leg. */
export function textOfMeaning(
  { search_mode: mode }: Pick<SearchQuery, 'search_mode'>,
  parsed: ParsedQuery,
): string | null {
  // Quoted words must match exactly.
  const literal = parsed.phrases.length > 0 && mode === 'hybrid';
  return mode === 'keyword' || literal || !hasWords(parsed) ? null : parsed.text;
}

function hasWords({ words, phrases }: ParsedQuery): boolean {
  return words.length + phrases.length > 0;
}

function filterOf(query: PlannedQuery, speakers: string[], context: SearchContext): IndexFilter {
  const { scope, fileIds, excludedFileIds } = context;
  const { filters } = context.parsed;
  return {
    ...scope,
    fileIds,
    excludedFileIds,
    speakers,
    tags: [...new Set([...query.tags, ...filters.tags].map(filterKey))],
    excludedTags: filters.excludedTags.map(filterKey),
    media: query.file_type,
    uploadedFrom: latest(millis(query.date_from), filters.from),
    uploadedTo: earliest(millis(query.date_to), filters.before === null ? null : filters.before - 1),
    minDuration: query.min_duration ?? null,
    maxDuration: query.max_duration ?? null,
  };
}

/** Whose words count; null: everybody's. The index cannot exclude speakers, because a passage may have several. */
function speakerRule(speakers: readonly string[], excluded: readonly string[]): SearchPlan['spokenBy'] {
  if (speakers.length + excluded.length === 0) return null;
  return (speaker) => {
    if (speaker === null) return speakers.length === 0;
    const key = filterKey(speaker);
    return !excluded.includes(key) && (speakers.length === 0 || speakers.includes(key));
  };
}

function millis(time: string | undefined): number | null {
  return time === undefined ? null : Date.parse(time);
}

function latest(x: number | null, y: number | null): number | null {
  return x === null || y === null ? (x ?? y) : Math.max(x, y);
}

function earliest(x: number | null, y: number | null): number | null {
  return x === null || y === null ? (x ?? y) : Math.min(x, y);
}

function keywordQuery({ phrases }: ParsedQuery, marks: Marks, languages: Languages): KeywordQuery {
  return {
    words: [...marks.words],
    phrases: phrases.map((phrase) => phraseVariantsOf(phrase, languages)),
  };
}

function marksOf({ words, joined, phrases }: ParsedQuery, compounds: readonly string[], languages: Languages): Marks {
  return {
    words: new Set([...words, ...joined, ...compounds].flatMap((word) => variantsOf(word, languages))),
    phrases: phrases.map((phrase) => phrase.map((word) => new Set(variantsOf(word, languages)))),
  };
}
