import type { SearchAnswer } from '@overtone/contracts';
import { notFound, unavailable, type Log } from '@overtone/service-kit';
import type { AccessScope, AccessScopes } from '../access/access.ts';
import type { Collections } from '../ports/media-collections.adapter.ts';
import type { LegResult, SearchIndex, Shown } from '../ports/search-index.ts';
import type { Vectoriser } from '../ports/vectoriser.ts';
import type { Telemetry } from '../telemetry.ts';
import {
  filterBySimilarity,
  fuse,
  groupByFile,
  occurrenceOf,
  resultOf,
  shownOf,
  sortFiles,
  type FileHit,
  type FusedHit,
} from './results.ts';
import { planSearch, type SearchPlan, type SearchQuery } from './search.ts';
import type { FileFacts, SearchStore } from './search.store.ts';

export type SearchDeps = {
  index: Pick<SearchIndex, 'builds' | 'search' | 'passages'>;
  store: Pick<SearchStore, 'facts' | 'withheld' | 'languages' | 'hasFiles'>;
  access: AccessScopes;
  collections: Collections;
  vectoriser: Pick<Vectoriser, 'query'>;
  telemetry: Telemetry;
  log: Log;
  /** Minimum cosine similarity of a semantic hit. */
  floor: number;
};
export type Searcher = { userId: string; canSeeAll: boolean };

/** Hybrid search: plan, run the legs, group by file, build snippets. */
export function createSearch({ access, collections, ...deps }: SearchDeps) {
  const { index, store, telemetry } = deps;
  const find = createLegs(deps);

  const passagesOf = async (hits: readonly FusedHit[]): Promise<Map<string, Shown>> =>
    new Map((await index.passages(hits.map(({ id }) => id))).map((passage) => [passage.id, passage]));

  /** Checks access again, because the index may be outdated. */
  const factsFor = async (scope: AccessScope, files: readonly FileHit[]): Promise<Map<string, FileFacts>> =>
    keepVisible(await store.facts(files.map(({ fileId }) => fileId)), scope);

  /** For a search by speaker, drops passages in which only other speakers say the words. */
  const keepRequestedSpeakers = async (found: FusedHit[], plan: SearchPlan): Promise<FusedHit[]> => {
    if (!plan.spokenBy) return found;
    const fileIds = [...new Set(found.map(({ fileId }) => fileId))];
    const [stored, facts] = await Promise.all([passagesOf(found), store.facts(fileIds)]);
    return found.filter((hit) => {
      const passage = stored.get(hit.id);
      return passage && occurrenceOf(passage, hit, plan, facts.get(hit.fileId)?.language ?? null);
    });
  };

  /** A hit in withheld text is not counted either: its number would tell what the text contains. */
  const dropWithheld = async (found: FusedHit[]): Promise<FusedHit[]> => {
    const withheld = await store.withheld([...new Set(found.map(({ fileId }) => fileId))]);
    return withheld.size === 0 ? found : found.filter(({ fileId }) => !withheld.has(fileId));
  };

  /** The files of the requested page with their displayed data. */
  const pageOf = async (files: readonly FileHit[], query: SearchQuery, scope: AccessScope) => {
    const byRelevance = query.sort_by === 'relevance';
    const all = byRelevance ? new Map<string, FileFacts>() : await factsFor(scope, files);
    const start = (query.page - 1) * query.page_size;
    const page = sortFiles(files, query, all).slice(start, start + query.page_size);
    const [facts, stored] = await Promise.all([
      byRelevance ? factsFor(scope, page) : all,
      passagesOf(page.flatMap(shownOf)),
    ]);
    return { page, facts, stored };
  };

  const filesOfCollection = async (id: string | undefined, searcher: Searcher): Promise<string[] | null> => {
    if (id === undefined) return null;
    const fileIds = await collections.filesOf(id, searcher);
    if (!fileIds) throw notFound('There is no such collection.');
    return fileIds;
  };

  return async (query: SearchQuery, searcher: Searcher): Promise<SearchAnswer> => {
    const started = performance.now();
    const [scope, languages, fileIds] = await Promise.all([
      access.scopeOf(searcher),
      store.languages(),
      filesOfCollection(query.collection, searcher),
    ]);
    const plan = planSearch(query, { scope, fileIds, languages });
    const { passages, legs } = await find(plan);
    const files = groupByFile(await keepRequestedSpeakers(await dropWithheld(passages), plan));
    const { page, facts, stored } = await pageOf(files, query, scope);
    const results = page.flatMap((file) => resultOf(file, plan, { facts, stored, legs }));
    const seconds = (performance.now() - started) / 1000;
    telemetry.search.observe(seconds);
    return {
      query: query.q,
      results,
      total_results: files.reduce((sum, file) => sum + file.passages.length, 0),
      total_files: files.length,
      page: query.page,
      page_size: query.page_size,
      search_time_ms: Math.round(seconds * 1e5) / 100,
      search_mode: query.search_mode,
      legs,
    };
  };
}

type Legs = SearchAnswer['legs'];
type Found = { passages: FusedHit[]; legs: Legs };

/** Maximum hits per leg: enough for realistic totals, few enough for a fast response. */
const limits = { keyword: 500, keywordOfSpeaker: 300, semantic: 50 };

/** Runs both legs, fuses their hits and reports which legs ran. @throws AppError unavailable when no leg could run. */
function createLegs({ vectoriser, index, log, floor, store, telemetry }: Omit<SearchDeps, 'access' | 'collections'>) {
  const queryVectorOf = async (
    text: string | null,
  ): Promise<{ leg: Legs['semantic']; vector: Float32Array | null }> => {
    if (text === null) return { leg: 'not_asked', vector: null };
    try {
      const [{ model, vector }, { current }] = await Promise.all([vectoriser.query(text), index.builds()]);
      // Vectors of another model cannot be compared; a rebuild will follow.
      if (current && current.model?.name !== model.name) return { leg: 'unavailable', vector: null };
      return { leg: 'ok', vector };
    } catch (err) {
      log.debug({ err: err as Error }, 'query vector unavailable');
      return { leg: 'unavailable', vector: null };
    }
  };

  const runLegs = async (plan: SearchPlan): Promise<Found> => {
    const queryVector = queryVectorOf(plan.meaning);
    const result = await index.search({
      keyword: plan.keyword,
      vector: queryVector.then((found) => found.vector),
      filter: plan.filter,
      keywordLimit: plan.spokenBy ? limits.keywordOfSpeaker : limits.keyword,
      semanticLimit: limits.semantic,
    });
    for (const leg of [result.keyword, result.semantic])
      if (leg.status === 'failed') log.error({ err: leg.error as Error }, 'search leg failed');
    const { leg } = await queryVector;
    const semantic = leg === 'ok' && result.semantic.status === 'failed' ? 'failed' : leg;
    return {
      passages: fuse(hitsOf(result.keyword), filterBySimilarity(hitsOf(result.semantic), floor)),
      legs: { keyword: result.keyword.status, semantic },
    };
  };

  return async (plan: SearchPlan): Promise<Found> => {
    const { current, building } = await index.builds();
    if (!current && (building || (await store.hasFiles())))
      throw unavailable('search_unavailable', 'The search index is being built', { retryAfterSeconds: 10 });
    const found = await runLegs(plan);
    for (const leg of ['keyword', 'semantic'] as const) telemetry.legs.inc({ leg, outcome: found.legs[leg] });
    const ranLegs = Object.values(found.legs).filter((status) => status !== 'not_asked');
    if (ranLegs.length > 0 && !ranLegs.includes('ok'))
      throw unavailable('search_unavailable', 'The search index does not respond', { retryAfterSeconds: 5 });
    return found;
  };
}

function hitsOf(leg: LegResult) {
  return leg.status === 'ok' ? leg.hits : [];
}

function keepVisible(facts: Map<string, FileFacts>, { ownerId, sharedIds }: AccessScope): Map<string, FileFacts> {
  if (ownerId === null) return facts;
  const shared = new Set(sharedIds);
  return new Map([...facts].filter(([id, file]) => file.ownerId === ownerId || shared.has(id)));
}
