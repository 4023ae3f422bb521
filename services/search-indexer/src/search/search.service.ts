import type { SearchAnswer } from '@overtone/contracts';
import { notFound } from '@overtone/service-kit';
import type { AccessScope, AccessScopes } from '../access/access.ts';
import type { Collections } from '../ports/media-collections.adapter.ts';
import type { SearchIndex, Shown } from '../ports/search-index.ts';
import type { Telemetry } from '../telemetry.ts';
import { occurrenceOf, resultOf, shownOf, sortFiles } from './results.ts';
import {
  keepVisible,
  planSearch,
  type FileHit,
  type FindFiles,
  type FusedHit,
  type SearchPlan,
  type SearchQuery,
  type Searcher,
} from './search.ts';
import type { FileFacts, SearchStore } from './search.store.ts';

export type SearchDeps = {
  index: Pick<SearchIndex, 'passages'>;
  store: Pick<SearchStore, 'facts' | 'withheld' | 'languages'>;
  access: AccessScopes;
  collections: Collections;
  find: FindFiles;
  telemetry: Pick<Telemetry, 'search'>;
};

/** Hybrid search: plan, rank files and passages, build snippets. */
export function createSearch({ access, collections, index, store, find, telemetry }: SearchDeps) {
  const passagesOf = async (hits: readonly FusedHit[]): Promise<Map<string, Shown>> =>
    new Map((await index.passages(hits.map(({ id }) => id))).map((passage) => [passage.id, passage]));

  const factsFor = async (scope: AccessScope, files: readonly FileHit[]): Promise<Map<string, FileFacts>> =>
    keepVisible(await store.facts(files.map(({ fileId }) => fileId)), scope);

  /** For a search by speaker, drops passages in which only other speakers say the words. */
  const keepRequestedSpeakers = async (files: FileHit[], plan: SearchPlan): Promise<FileHit[]> => {
    if (!plan.spokenBy) return files;
    const fileIds = files.map(({ fileId }) => fileId);
    const [stored, facts] = await Promise.all([
      passagesOf(files.flatMap(({ passages }) => passages)),
      store.facts(fileIds),
    ]);
    const isSpoken = (hit: FusedHit): boolean => {
      const passage = stored.get(hit.id);
      return !!passage && !!occurrenceOf(passage, hit, plan, facts.get(hit.fileId)?.language ?? null);
    };
    return files
      .map((file) => ({ ...file, passages: file.passages.filter(isSpoken) }))
      .filter(({ passages }) => passages.length > 0);
  };

  /** A hit in withheld text is not counted either: its number would tell what the text contains. */
  const dropWithheld = async (files: FileHit[]): Promise<FileHit[]> => {
    const withheld = await store.withheld(files.map(({ fileId }) => fileId));
    return withheld.size === 0 ? files : files.filter(({ fileId }) => !withheld.has(fileId));
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
    const found = await find(plan);
    const files = await keepRequestedSpeakers(await dropWithheld(found.files), plan);
    const { legs } = found;
    const { page, facts, stored } = await pageOf(files, query, scope);
    const results = page.flatMap((file) => resultOf(file, plan, { facts, stored }));
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
