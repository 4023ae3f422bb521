import type { SearchAnswer } from '@overtone/contracts';
import type { Layout } from '../chunking/chunking.ts';
import { isCard, type Shown } from '../ports/search-index.ts';
import type { FileHit, FusedHit, SearchPlan, SearchQuery } from './search.ts';
import type { FileFacts } from './search.store.ts';
import { snippetOf, type Marks, type Snippet } from './snippets.ts';

type Result = SearchAnswer['results'][number];
type Occurrence = Result['occurrences'][number];
type Material = {
  facts: ReadonlyMap<string, FileFacts>;
  stored: ReadonlyMap<string, Shown>;
};

const titles = new Intl.Collator('en');

/** Sorts files as requested; all orders except relevance need `facts`. */
export function sortFiles(
  files: readonly FileHit[],
  query: Pick<SearchQuery, 'sort_by' | 'sort_order'>,
  facts: ReadonlyMap<string, FileFacts>,
): FileHit[] {
  if (query.sort_by === 'relevance') return query.sort_order === 'asc' ? files.toReversed() : [...files];
  const title = ({ fileId }: FileHit): string => facts.get(fileId)?.title ?? '';
  const amount = ({ fileId }: FileHit): number => {
    const fact = facts.get(fileId);
    return (query.sort_by === 'duration' ? fact?.duration : fact?.uploadTime?.getTime()) ?? 0;
  };
  const compare = (x: FileHit, y: FileHit): number =>
    query.sort_by === 'title' ? titles.compare(title(x), title(y)) : amount(x) - amount(y);
  const direction = query.sort_order === 'asc' ? 1 : -1;
  return files.toSorted((x, y) => direction * compare(x, y) || (x.fileId < y.fileId ? -1 : 1));
}

const occurrencesShown = 3;

/** The displayed passages of a file; speech comes before the title, which has no time to jump to. */
export function shownOf(file: FileHit): FusedHit[] {
  return file.passages.toSorted((x, y) => Number(isCard(x.id)) - Number(isCard(y.id))).slice(0, occurrencesShown);
}

/** A found file as an API object, with the marked words of its passages; empty when it was deleted since. */
export function resultOf(
  file: FileHit,
  plan: SearchPlan,
  { facts, stored }: Material,
): { result: Result; markedWords: string[] }[] {
  const fact = facts.get(file.fileId);
  if (!fact) return [];
  const shown = shownOf(file).flatMap((hit) => {
    const passage = stored.get(hit.id);
    const found = passage && occurrenceOf(passage, hit, plan, fact.language);
    return found ? [found] : [];
  });
  const result = {
    file_uuid: file.fileId,
    title: fact.title,
    speakers: fact.speakers,
    tags: fact.tags,
    upload_time: (fact.uploadTime ?? new Date(0)).toISOString(),
    duration: fact.duration,
    language: fact.language,
    content_type: fact.contentType,
    relevance_score: Math.round(file.score * 1e4) / 1e4,
    occurrences: shown.map(({ occurrence }) => occurrence),
    total_occurrences: file.passages.length,
    semantic_only: file.semanticOnly,
  };
  return [{ result, markedWords: shown.flatMap(({ markedWords }) => markedWords) }];
}

/** Layout of cards, which have no speech. */
const noLayout: Layout = { at: [0], ms: [0], turns: [[0, null]] };
const noMarks: Marks = { words: new Set(), phrases: [] };

/** A passage as an API object, with its marked words; undefined when a match is spoken only by speakers who were not requested. */
export function occurrenceOf(
  passage: Shown,
  hit: FusedHit,
  plan: SearchPlan,
  language: string | null,
): { occurrence: Occurrence; markedWords: string[] } | undefined {
  // A passage that the keyword leg did not return contains none of the words.
  const marks = plan.keyword !== null && hit.keyword === null ? noMarks : plan.marks;
  const snippet = snippetOf({
    text: passage.text,
    layout: passage.layout ?? noLayout,
    language,
    marks,
    focus: hit.token,
    spokenBy: plan.spokenBy,
  });
  if (plan.spokenBy && !isSpoken(passage, hit, snippet, plan)) return undefined;
  const occurrence = {
    snippet: snippet.html,
    speaker: isCard(passage.id) ? null : snippet.speaker,
    start_time: snippet.start,
    end_time: passage.end,
    score: hit.score,
    match_type: isCard(passage.id) ? ('title' as const) : matchType(hit, snippet),
  };
  return { occurrence, markedWords: snippet.markedWords };
}

/** Whether the requested speakers say what was found in the passage. */
function isSpoken(passage: Shown, hit: FusedHit, snippet: Snippet, { spokenBy, marks, parsed }: SearchPlan): boolean {
  if (isCard(passage.id) || !spokenBy) return false;
  if (snippet.markedWords.length > 0) return true;
  const searched = marks.words.size + marks.phrases.length > 0;
  if (searched && hit.semantic === null) return false;
  // The index filters by requested speakers, but not by excluded ones.
  return parsed.filters.excludedSpeakers.length === 0 || spokenBy(snippet.speaker);
}

function matchType(hit: FusedHit, snippet: Snippet): Occurrence['match_type'] {
  // A purely semantic search may return a passage that contains the words, too.
  const words = hit.keyword !== null || snippet.markedWords.length > 0;
  if (!words) return 'semantic';
  return hit.semantic === null ? 'keyword' : 'both';
}
