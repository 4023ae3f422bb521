import type { SearchAnswer } from '@overtone/contracts';
import type { Layout } from '../chunking/chunking.ts';
import { isCard, type Hit, type Shown } from '../ports/search-index.ts';
import type { FileHit, FusedHit, SearchPlan, SearchQuery } from './search.ts';
import type { FileFacts } from './search.store.ts';
import { snippetOf, type Marks, type Snippet } from './snippets.ts';

type Result = SearchAnswer['results'][number];
type Occurrence = Result['occurrences'][number];
type Material = {
  facts: ReadonlyMap<string, FileFacts>;
  stored: ReadonlyMap<string, Shown>;
  legs: SearchAnswer['legs'];
};

/** The usual constant of reciprocal rank fusion (Cormack, Clarke, Büttcher 2009). */
const rrfConstant = 60;

/**
 * Drops semantic hits that are too dissimilar: below `floor`, or far below the best hit. A nearest neighbor search always
 * returns something.
 */
export function filterBySimilarity(hits: readonly Hit[], floor: number): Hit[] {
  const best = hits[0]?.score ?? 0;
  const threshold = Math.max(floor, best * 0.7);
  return hits.filter((hit) => hit.score >= threshold);
}

/**
 * Reciprocal rank fusion: ranks of the legs are comparable, scores are not. A passage counts once per leg. Ties are broken
 * by the keyword leg, then by id, so that equal searches return equal results.
 */
export function fuse(keyword: readonly Hit[], semantic: readonly Hit[]): FusedHit[] {
  const fused = new Map<string, FusedHit>();
  const add = (leg: 'keyword' | 'semantic', hits: readonly Hit[]) => {
    let rank = 0;
    for (const { id, fileId, token } of hits) {
      const known = fused.get(id) ?? { id, fileId, score: 0, keyword: null, semantic: null, token: null };
      // A passage has the rank of its best window.
      if (known[leg] !== null) continue;
      known[leg] = rank;
      known.token ??= token ?? null;
      rank += 1;
      known.score += 1 / (rrfConstant + rank);
      fused.set(id, known);
    }
  };
  add('keyword', keyword);
  add('semantic', semantic);
  return [...fused.values()].sort(byScore);
}

function byScore(x: FusedHit, y: FusedHit): number {
  return y.score - x.score || rankOf(x.keyword) - rankOf(y.keyword) || (x.id < y.id ? -1 : 1);
}

function rankOf(rank: number | null): number {
  return rank ?? Number.MAX_SAFE_INTEGER;
}

/** Groups passages by file; files are ordered by their best passage, then by their number of passages. */
export function groupByFile(passages: readonly FusedHit[]): FileHit[] {
  const files = new Map<string, FileHit>();
  for (const passage of passages) {
    const { fileId, score } = passage;
    const file = files.get(fileId) ?? { fileId, score, passages: [], semanticOnly: true };
    file.passages.push(passage);
    file.score = Math.max(file.score, score);
    if (passage.keyword !== null) file.semanticOnly = false;
    files.set(fileId, file);
  }
  return [...files.values()].sort(
    (x, y) => y.score - x.score || y.passages.length - x.passages.length || (x.fileId < y.fileId ? -1 : 1),
  );
}

/** Sorts files as requested; all orders except relevance need `facts`. */
export function sortFiles(
  files: readonly FileHit[],
  query: Pick<SearchQuery, 'sort_by' | 'sort_order'>,
  facts: ReadonlyMap<string, FileFacts>,
): FileHit[] {
  if (query.sort_by === 'relevance') return query.sort_order === 'asc' ? files.toReversed() : [...files];
  const key = (file: FileHit): number | string => {
    const fact = facts.get(file.fileId);
    if (query.sort_by === 'title') return fact?.title.toLowerCase() ?? '';
    return (query.sort_by === 'duration' ? fact?.duration : fact?.uploadTime?.getTime()) ?? 0;
  };
  const direction = query.sort_order === 'asc' ? 1 : -1;
  return files.toSorted((x, y) => {
    const [ka, kb] = [key(x), key(y)];
    return ka === kb ? (x.fileId < y.fileId ? -1 : 1) : direction * (ka < kb ? -1 : 1);
  });
}

const occurrencesShown = 5;

/** The displayed passages of a file; speech comes before the title, which has no time to jump to. */
export function shownOf(file: FileHit): FusedHit[] {
  return file.passages.toSorted((x, y) => Number(isCard(x.id)) - Number(isCard(y.id))).slice(0, occurrencesShown);
}

/** A found file as an API object; empty when it was deleted since. */
export function resultOf(file: FileHit, plan: SearchPlan, { facts, stored, legs }: Material): Result[] {
  const fact = facts.get(file.fileId);
  if (!fact) return [];
  const occurrences = shownOf(file).flatMap((hit) => {
    const passage = stored.get(hit.id);
    const occurrence = passage && occurrenceOf(passage, hit, plan, fact.language);
    return occurrence ? [occurrence] : [];
  });
  const ran = Object.values(legs).filter((status) => status === 'ok').length;
  return [
    {
      file_uuid: file.fileId,
      title: fact.title,
      speakers: fact.speakers,
      tags: fact.tags,
      upload_time: (fact.uploadTime ?? new Date(0)).toISOString(),
      duration: fact.duration,
      language: fact.language,
      content_type: fact.contentType,
      relevance_score: Math.round(relevance(file.score, ran) * 1e4) / 1e4,
      occurrences,
      total_occurrences: file.passages.length,
      semantic_only: file.semanticOnly,
    },
  ];
}

/** The fused score relative to the maximum for these legs: 1 = first in every leg that ran. */
export function relevance(score: number, legs: number): number {
  return legs === 0 ? 0 : Math.min(1, (score * (rrfConstant + 1)) / legs);
}

/** Layout of cards, which have no speech. */
const noLayout: Layout = { at: [0], ms: [0], turns: [[0, null]] };
const noMarks: Marks = { words: new Set(), phrases: [] };

/** A passage as an API object; undefined when none of the requested speakers says a match. */
export function occurrenceOf(
  passage: Shown,
  hit: FusedHit,
  plan: SearchPlan,
  language: string | null,
): Occurrence | undefined {
  // A passage that the keyword leg did not return contains none of the words.
  const marks = plan.keyword !== null && hit.keyword === null ? noMarks : plan.marks;
  const snippet = snippetOf({
    text: passage.text,
    layout: passage.layout ?? noLayout,
    language,
    marks,
    focus: hit.token,
    spokenBy: isCard(passage.id) ? null : plan.spokenBy,
  });
  const searched = plan.marks.words.size + plan.marks.phrases.length > 0;
  if (plan.spokenBy && searched && snippet.marked === 0 && hit.semantic === null) return undefined;
  return {
    snippet: snippet.html,
    speaker: isCard(passage.id) ? null : snippet.speaker,
    start_time: snippet.start,
    end_time: passage.end,
    score: hit.score,
    match_type: isCard(passage.id) ? 'title' : matchType(hit, snippet),
  };
}

function matchType(hit: FusedHit, snippet: Snippet): Occurrence['match_type'] {
  // A purely semantic search may return a passage that contains the words, too.
  const words = hit.keyword !== null || snippet.marked > 0;
  if (!words) return 'semantic';
  return hit.semantic === null ? 'keyword' : 'both';
}
