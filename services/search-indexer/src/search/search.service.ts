import type { SearchAnswer } from '@overtone/contracts';
import { unavailable, type Log } from '@overtone/service-kit';
import { isCard, type LegResult, type SearchIndex, type Shown } from '../ports/search-index.ts';
import type { Vectoriser } from '../ports/vectoriser.ts';
import { fuse, groupByFile, nearEnough, relevance, type FileHit, type Fused } from '../ranking/ranking.ts';
import type { Telemetry } from '../telemetry.ts';
import { occurrenceOf } from './occurrences.ts';
import { planSearch, type SearchPlan, type SearchQuery } from './search.ts';
import type { FileFacts, SearchStore } from './search.store.ts';

export type SearchDeps = {
  index: Pick<SearchIndex, 'builds' | 'search' | 'passages'>;
  store: Pick<SearchStore, 'facts' | 'languages' | 'hasFiles'>;
  vectoriser: Pick<Vectoriser, 'query'>;
  telemetry: Telemetry;
  log: Log;
  /** Similarity below which nothing is found by its meaning. */
  floor: number;
};
export type Searcher = { userId: string; seesAll: boolean };
type Legs = SearchAnswer['legs'];
type Leg = Legs['keyword'];
type Found = { passages: Fused[]; legs: Legs };

/** Passages a leg may name: enough for honest totals, few enough for a quick answer. */
const limits = { keyword: 500, keywordOfSpeaker: 300, semantic: 50 };
const occurrencesShown = 5;

/** Search by words and by meaning. Says which legs ran; when none could, it fails instead of finding nothing. */
export const createSearch = (d: SearchDeps) => {
  const meaningOf = async (text: string | null): Promise<{ leg: Leg; vector: Float32Array | null }> => {
    if (text === null) return { leg: 'not_asked', vector: null };
    try {
      const [{ model, vector }, { current }] = await Promise.all([d.vectoriser.query(text), d.index.builds()]);
      // Vectors of another model cannot be compared; a rebuild is on its way.
      if (current && current.model?.name !== model.name) return { leg: 'unavailable', vector: null };
      return { leg: 'ok', vector };
    } catch (err) {
      d.log.debug({ err: err as Error }, 'no vector for a query');
      return { leg: 'unavailable', vector: null };
    }
  };

  const ask = async (plan: SearchPlan): Promise<Found> => {
    const meaning = await meaningOf(plan.meaning);
    const result = await d.index.search({
      keyword: plan.keyword,
      vector: meaning.vector,
      filter: plan.filter,
      keywordLimit: plan.spokenBy ? limits.keywordOfSpeaker : limits.keyword,
      semanticLimit: limits.semantic,
    });
    for (const leg of [result.keyword, result.semantic])
      if (leg.status === 'failed') d.log.error({ err: leg.error as Error }, 'a leg of the search failed');
    const legs: Legs = {
      keyword: result.keyword.status,
      semantic: meaning.leg === 'ok' && result.semantic.status === 'failed' ? 'failed' : meaning.leg,
    };
    return { passages: fuse(hitsOf(result.keyword), nearEnough(hitsOf(result.semantic), d.floor)), legs };
  };

  const find = async (plan: SearchPlan): Promise<Found> => {
    const { current, building } = await d.index.builds();
    if (!current && (building || (await d.store.hasFiles())))
      throw unavailable('search_unavailable', 'The search index is being built', { retryAfterSeconds: 10 });
    const found = await ask(plan);
    for (const leg of ['keyword', 'semantic'] as const) d.telemetry.legs.inc({ leg, outcome: found.legs[leg] });
    const asked = Object.values(found.legs).filter((l) => l !== 'not_asked');
    if (asked.length > 0 && !asked.includes('ok'))
      throw unavailable('search_unavailable', 'The search index does not answer', { retryAfterSeconds: 5 });
    return found;
  };

  /** Passages of files that match although somebody else says the words are no answer to a search by speaker. */
  const onlyOfSpeaker = async (found: Fused[], plan: SearchPlan): Promise<Fused[]> => {
    if (!plan.spokenBy) return found;
    const stored = byId(await d.index.passages(found.map((p) => p.id)));
    const facts = await d.store.facts([...new Set(found.map((p) => p.fileId))]);
    return found.filter((hit) => {
      const passage = stored.get(hit.id);
      return passage && occurrenceOf(passage, hit, plan, facts.get(hit.fileId)?.language ?? null);
    });
  };

  const present = async (files: readonly FileHit[], facts: Map<string, FileFacts>, plan: SearchPlan, legs: Legs) => {
    const shown = new Map(files.map((f) => [f.fileId, inReadingOrder(f.passages).slice(0, occurrencesShown)]));
    const stored = byId(await d.index.passages([...shown.values()].flat().map((p) => p.id)));
    const ran = Object.values(legs).filter((l) => l === 'ok').length;
    return files.flatMap((file) => {
      const fact = facts.get(file.fileId);
      if (!fact) return [];
      const occurrences = (shown.get(file.fileId) ?? []).flatMap((hit) => {
        const passage = stored.get(hit.id);
        const occurrence = passage && occurrenceOf(passage, hit, plan, fact.language);
        return occurrence ? [occurrence] : [];
      });
      return [{ ...toResult(file, fact, ran), occurrences }];
    });
  };

  return async (q: SearchQuery, caller: Searcher): Promise<SearchAnswer> => {
    const started = performance.now();
    const plan = planSearch(q, caller, await d.store.languages());
    const { passages, legs } = await find(plan);
    const files = groupByFile(await onlyOfSpeaker(passages, plan));
    const wanted = (page: readonly FileHit[]) => page.slice((q.page - 1) * q.page_size, q.page * q.page_size);
    const relevant = q.sort_by === 'relevance';
    const facts = await d.store.facts((relevant ? wanted(inOrder(files, q)) : files).map((f) => f.fileId));
    // The second look at who may see: the index is a copy, and copies lag.
    for (const [id, f] of facts) if (!caller.seesAll && f.ownerId !== caller.userId) facts.delete(id);
    const sorted = relevant ? inOrder(files, q) : inOrder(files, q, facts);
    const results = await present(wanted(sorted), facts, plan, legs);
    const seconds = (performance.now() - started) / 1000;
    d.telemetry.search.observe(seconds);
    return {
      query: q.q,
      results,
      total_results: files.reduce((n, f) => n + f.passages.length, 0),
      total_files: files.length,
      page: q.page,
      page_size: q.page_size,
      search_time_ms: Math.round(seconds * 1e5) / 100,
      search_mode: q.search_mode,
      legs,
    };
  };
};

const hitsOf = (leg: LegResult) => (leg.status === 'ok' ? leg.hits : []);
const byId = (passages: readonly Shown[]) => new Map(passages.map((p) => [p.id, p]));
/** What was said comes before the title: a title has no second to jump to. */
const inReadingOrder = (passages: readonly Fused[]): Fused[] => [
  ...passages.filter((p) => !isCard(p.id)),
  ...passages.filter((p) => isCard(p.id)),
];

const inOrder = (files: readonly FileHit[], q: SearchQuery, facts?: Map<string, FileFacts>): FileHit[] => {
  if (!facts) return q.sort_order === 'asc' ? files.toReversed() : [...files];
  const key = (f: FileHit): number | string => {
    const fact = facts.get(f.fileId);
    if (q.sort_by === 'title') return fact?.title.toLowerCase() ?? '';
    return (q.sort_by === 'duration' ? fact?.duration : fact?.uploadTime?.getTime()) ?? 0;
  };
  const direction = q.sort_order === 'asc' ? 1 : -1;
  return files.toSorted((a, b) => {
    const [ka, kb] = [key(a), key(b)];
    return ka === kb ? (a.fileId < b.fileId ? -1 : 1) : direction * (ka < kb ? -1 : 1);
  });
};

const toResult = (file: FileHit, fact: FileFacts, legs: number) => ({
  file_uuid: file.fileId,
  title: fact.title,
  speakers: fact.speakers,
  tags: fact.tags,
  upload_time: (fact.uploadTime ?? new Date(0)).toISOString(),
  duration: fact.duration,
  language: fact.language,
  content_type: fact.contentType,
  relevance_score: Math.round(relevance(file.score, legs) * 1e4) / 1e4,
  total_occurrences: file.passages.length,
  semantic_only: file.semanticOnly,
});
