import { operatorPattern, unquote, type Operator } from '@overtone/contracts/search-operators';
import { invalid } from '@overtone/service-kit';
import { isQuestion, isQuestionWord, isStopWord, joinedWords, splitWords, type Word } from '../tokenize/tokenize.ts';

/** Filters written as operators of a query; the names of one operator are alternatives. */
type QueryFilters = {
  speakers: string[];
  excludedSpeakers: string[];
  tags: string[];
  excludedTags: string[];
  /** Names of collections. */
  collections: string[];
  excludedCollections: string[];
  /** Words and quoted phrases that must not occur in a recording, as word lists. */
  excludedPhrases: string[][];
  /** Uploads from this time on and before this time, in epoch milliseconds. */
  from: number | null;
  before: number | null;
};

/** A parsed search text. */
export type ParsedQuery = {
  /** The text without operators, of a question only the words to search for; for the semantic leg. */
  text: string;
  /** Single words, each once. */
  words: string[];
  /** Words of several parts as one word: `covid19` of COVID-19. */
  joined: string[];
  /** All occurrences of these words in the query. */
  places: Word[];
  /** Quoted phrases as word lists. */
  phrases: string[][];
  filters: QueryFilters;
};

/**
 * What a query consists of besides words. At each place the first pattern that matches counts, so that a minus or an operator
 * within quotes is a part of the phrase.
 */
const partPatterns = [
  ['operator', operatorPattern],
  ['excluded', /(?<=^|\s)-"([^"]*)"/y],
  ['phrase', /"([^"]*)"/y],
  ['excluded', /(?<=^|\s)-([\p{L}\p{N}]\S*)/uy],
] as const;
type PartKind = (typeof partPatterns)[number][0];
type Part = { kind: PartKind; match: RegExpExecArray; end: number };

/** More words make a search slower, not better. */
const maxWords = 32;
const maxPhrases = 8;

/**
 * Parses operators (`speaker:"Name"`, `-tag:name`, `in:collection`, `after:2026-03`, `before:2026-04-01`), excluded words
 * (`-word`, `-"two words"`) and `"quoted phrases"`; everything else is words. Stop words, and in a question the words by
 * which people ask, are dropped unless there are no others. @throws AppError invalid_request for a date that does not exist, and for too many phrases.
 */
export function parseQuery(typed: string): ParsedQuery {
  const query = withPlainSigns(typed);
  const parts = partsOf(query);
  const filters = {
    ...readFilters(matchesOf(parts, 'operator')),
    excludedPhrases: phrasesOf(matchesOf(parts, 'excluded')),
  };
  const phrases = phrasesOf(matchesOf(parts, 'phrase'));
  const loose = blanked(query, parts);
  const unfiltered = blanked(
    query,
    parts.filter(({ kind }) => kind !== 'phrase'),
  );
  const asked = isQuestion(loose);
  const occurrences = splitWords(loose);
  const searched = wordsToSearch(unique(occurrences), { asked, required: phrases.length === 0 }).slice(0, maxWords);
  const words = searched.map(({ text }) => text);
  const keys = new Set(words.map((word) => word.toLowerCase()));
  const text = unfiltered.replaceAll('"', ' ').replaceAll(/\s+/g, ' ').trim();
  return {
    text: phrases.length === 0 && asked ? words.join(' ') : text,
    words,
    joined: joinedWords(loose, occurrences)
      .map((word) => word.text)
      .slice(0, maxWords),
    places: occurrences.filter(({ text: word }) => keys.has(word.toLowerCase())),
    phrases,
    filters,
  };
}

/** Phones and office programs write typographic quotes and dashes. Of the same length, so that words keep their places. */
function withPlainSigns(query: string): string {
  return query.replaceAll(/[“”„‟«»]/g, '"').replaceAll(/(?<=^|\s)[–—−](?=\S)/g, '-');
}

/** Whether the query has operators. */
export function hasFilters({ from, before, ...names }: QueryFilters): boolean {
  return from !== null || before !== null || Object.values(names).some((values) => values.length > 0);
}

function partsOf(query: string): Part[] {
  const parts: Part[] = [];
  for (let at = 0; at < query.length; at = Math.max(at + 1, parts.at(-1)?.end ?? 0)) {
    const part = partAt(query, at);
    if (part) parts.push(part);
  }
  return parts;
}

function partAt(query: string, at: number): Part | null {
  for (const [kind, pattern] of partPatterns) {
    pattern.lastIndex = at;
    const match = pattern.exec(query);
    if (match) return { kind, match, end: at + match[0].length };
  }
  return null;
}

function matchesOf(parts: readonly Part[], kind: PartKind): RegExpExecArray[] {
  return parts.filter((part) => part.kind === kind).map(({ match }) => match);
}

function phrasesOf(matches: readonly RegExpExecArray[]): string[][] {
  const phrases = matches
    .map(([, words = '']) => splitWords(words).map((word) => word.text))
    .filter((phrase) => phrase.length > 0);
  if (phrases.length > maxPhrases)
    throw invalid('invalid_request', `A search can have at most ${maxPhrases} phrases in quotes or excluded words`);
  return phrases.map((phrase) => phrase.slice(0, maxWords));
}

/** The query with blanks instead of the parts, so that the other words keep their places. */
function blanked(query: string, parts: readonly Part[]): string {
  const texts: string[] = [];
  let from = 0;
  for (const { match, end } of parts) {
    texts.push(query.slice(from, match.index), ' '.repeat(match[0].length));
    from = end;
  }
  return texts.join('') + query.slice(from);
}

function readFilters(written: readonly RegExpExecArray[]): Omit<QueryFilters, 'excludedPhrases'> {
  const filters: Omit<QueryFilters, 'excludedPhrases'> = {
    speakers: [],
    excludedSpeakers: [],
    tags: [],
    excludedTags: [],
    collections: [],
    excludedCollections: [],
    from: null,
    before: null,
  };
  const names = {
    speaker: [filters.speakers, filters.excludedSpeakers],
    tag: [filters.tags, filters.excludedTags],
    in: [filters.collections, filters.excludedCollections],
  } as const;
  for (const [, minus, name = '', inQuotes, bare = ''] of written) {
    const operator = name.toLowerCase() as Operator;
    const argument = (inQuotes === undefined ? bare : unquote(inQuotes)).trim();
    if (operator === 'before')
      filters.before = Math.min(filters.before ?? Infinity, readDate('before', minus, argument));
    else if (operator === 'after')
      filters.from = Math.max(filters.from ?? -Infinity, readDate('after', minus, argument));
    else if (argument) names[operator][minus ? 1 : 0].push(argument);
  }
  return filters;
}

/** The start of a day, month or year in UTC. @throws AppError invalid. */
function readDate(operator: 'before' | 'after', minus: string | undefined, written: string): number {
  if (minus) throw invalid('invalid_request', `-${operator}: cannot be negated; use before: or after:`);
  const [, year = '', month = '01', day = '01'] = /^(\d{4})(?:-(\d{2}))?(?:-(\d{2}))?$/.exec(written) ?? [];
  const date = new Date(`${year}-${month}-${day}T00:00:00.000Z`);
  // JavaScript rolls 31 February over to March.
  if (Number.isNaN(date.getTime()) || date.getUTCDate() !== Number(day))
    throw invalid(
      'invalid_request',
      `${operator}:${written} is not a date; write ${operator}:2026-03-31, ${operator}:2026-03 or ${operator}:2026`,
    );
  return date.getTime();
}

/** Drops stop words, and in a question its question words, unless there are no others. */
function wordsToSearch(words: Word[], { asked, required }: { asked: boolean; required: boolean }): Word[] {
  const meaningful = words.filter(({ text }) => !isStopWord(text));
  const topical = asked ? meaningful.filter(({ text }) => !isQuestionWord(text)) : meaningful;
  if (topical.length > 0 || !required) return topical;
  return meaningful.length > 0 ? meaningful : words;
}

/** The first occurrence of each word. */
function unique(words: readonly Word[]): Word[] {
  const occurrences = Map.groupBy(words, ({ text }) => text.toLowerCase());
  return [...occurrences.values()].flatMap((same) => same.slice(0, 1));
}
