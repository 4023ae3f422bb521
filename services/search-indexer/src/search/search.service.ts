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
export function createSearch(deps: SearchDeps) {
  const find = createLegs(deps);

  const passagesOf = async (hits: readonly FusedHit[]): Promise<Map<string, Shown>> =>
    new Map((await deps.index.passages(hits.map((h) => h.id))).map((p) => [p.id, p]));

  /** Checks access again, because the index may be outdated. */
  const factsFor = async (scope: AccessScope, files: readonly FileHit[]): Promise<Map<string, FileFacts>> => {
    const facts = await deps.store.facts(files.map((f) => f.fileId));
    const { ownerId, sharedIds } = scope;
    if (ownerId === null) return facts;
    const shared = new Set(sharedIds);
    for (const [id, f] of facts) if (f.ownerId !== ownerId && !shared.has(id)) facts.delete(id);
    return facts;
  };

  /** For a search by speaker, drops passages in which only other speakers say the words. */
  const keepRequestedSpeakers = async (found: FusedHit[], plan: SearchPlan): Promise<FusedHit[]> => {
    if (!plan.spokenBy) return found;
    const [stored, facts] = await Promise.all([
      passagesOf(found),
      deps.store.facts([...new Set(found.map((p) => p.fileId))]),
    ]);
    return found.filter((hit) => {
      const passage = stored.get(hit.id);
      return passage && occurrenceOf(passage, hit, plan, facts.get(hit.fileId)?.language ?? null);
    });
  };

  /** The files of the requested page with their displayed data. */
  const pageOf = async (files: readonly FileHit[], q: SearchQuery, scope: AccessScope) => {
    const all = q.sort_by === 'relevance' ? new Map<string, FileFacts>() : await factsFor(scope, files);
    const page = sortFiles(files, q, all).slice((q.page - 1) * q.page_size, q.page * q.page_size);
    const [facts, stored] = await Promise.all([
      q.sort_by === 'relevance' ? factsFor(scope, page) : all,
      passagesOf(page.flatMap(shownOf)),
    ]);
    return { page, facts, stored };
  };

  return async (q: SearchQuery, caller: Searcher): Promise<SearchAnswer> => {
    const started = performance.now();
    const [scope, languages] = await Promise.all([deps.access.scopeOf(caller), deps.store.languages()]);
    const plan = planSearch(q, scope, languages);
    const { passages, legs } = await find(plan);
    const files = groupByFile(await keepRequestedSpeakers(passages, plan));
    const { page, facts, stored } = await pageOf(files, q, scope);
    const results = page.flatMap((file) => resultOf(file, plan, { facts, stored, legs }));
    const seconds = (performance.now() - started) / 1000;
    deps.telemetry.search.observe(seconds);
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
}
