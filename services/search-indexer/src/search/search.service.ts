import type { SearchAnswer } from '@overtone/contracts';
import type { AccessScope, AccessScopes } from '../access/access.ts';
import type { SearchIndex, Shown } from '../ports/search-index.ts';
import { groupByFile, type FileHit, type FusedHit } from './ranking.ts';
import { createLegs, type LegsDeps } from './legs.service.ts';
import { occurrenceOf } from './occurrences.ts';
import { sortFiles, resultOf, shownOf } from './results.ts';
import { planSearch, type SearchPlan, type SearchQuery } from './search.ts';
import type { FileFacts, SearchStore } from './search.store.ts';

export type SearchDeps = Omit<LegsDeps, 'index' | 'store'> & {
  index: Pick<SearchIndex, 'builds' | 'search' | 'passages'>;
  store: Pick<SearchStore, 'facts' | 'languages' | 'hasFiles'>;
  access: AccessScopes;
};
export type Searcher = { userId: string; canSeeAll: boolean };

/** Hybrid search: plan, run the legs, group by file, build snippets. */
export function createSearch({ access, ...deps }: SearchDeps) {
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

  return async (query: SearchQuery, searcher: Searcher): Promise<SearchAnswer> => {
    const started = performance.now();
    const [scope, languages] = await Promise.all([access.scopeOf(searcher), store.languages()]);
    const plan = planSearch(query, scope, languages);
    const { passages, legs } = await find(plan);
    const files = groupByFile(await keepRequestedSpeakers(passages, plan));
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

function keepVisible(facts: Map<string, FileFacts>, { ownerId, sharedIds }: AccessScope): Map<string, FileFacts> {
  if (ownerId === null) return facts;
  const shared = new Set(sharedIds);
  return new Map([...facts].filter(([id, file]) => file.ownerId === ownerId || shared.has(id)));
}
