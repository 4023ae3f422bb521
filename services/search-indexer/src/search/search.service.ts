import type { SearchAnswer } from '@overtone/contracts';
import { notFound } from '@overtone/service-kit';
import type { AccessScope, AccessScopes } from '../access/access.ts';
import type { Collections } from '../ports/media-collections.adapter.ts';
import type { SearchIndex, Shown } from '../ports/search-index.ts';
import type { Telemetry } from '../telemetry.ts';
import type { FindCorrection } from './corrections.service.ts';
import { markedWords } from './corrections.ts';
import { parseQuery, type ParsedQuery } from './query.ts';
import { occurrenceOf, resultOf, shownOf, sortFiles } from './results.ts';
import {
  keepVisible,
  planSearch,
  type FileHit,
  type FindFiles,
  type FusedHit,
  type SearchContext,
  type SearchPlan,
  type SearchQuery,
  type Searcher,
} from './search.ts';
import type { FileFacts, SearchStore } from './search.store.ts';

export type SearchDeps = {
  index: Pick<SearchIndex, 'passages'>;
  store: Pick<SearchStore, 'facts' | 'facets' | 'withheld' | 'languages'>;
  access: AccessScopes;
  collections: Collections;
  find: FindFiles;
  correct: FindCorrection;
  telemetry: Pick<Telemetry, 'search'>;
};

/** Hybrid search: plan, rank files and passages, build snippets. */
export function createSearch({ access, collections, index, store, find, correct, telemetry }: SearchDeps) {
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

  const filesOfCollections = createCollectionFilter(collections);

  const runSearch = async (query: SearchQuery, context: SearchContext) => {
    const plan = planSearch(query, context);
    const { files: found, legs } = await find(plan);
    const files = await keepRequestedSpeakers(await dropWithheld(found), plan);
    const { page, facts, stored } = await pageOf(files, query, context.scope);
    return { files, legs, results: page.flatMap((file) => resultOf(file, plan, { facts, stored })) };
  };
  type Run = Awaited<ReturnType<typeof runSearch>>;

  /** Searches again when words of the query occur nowhere and look like typing errors. */
  const withCorrection = async (query: SearchQuery, context: SearchContext, run: Run) => {
    if (query.exact || run.legs.keyword !== 'ok') return { ...run, correction: null };
    const { scope, languages, parsed } = context;
    const marked = markedWords(run.results.flatMap(({ occurrences }) => occurrences.map(({ snippet }) => snippet)));
    const correction = await correct({ query: query.q, places: parsed.places, marked, scope, languages });
    if (!correction) return { ...run, correction };
    return { ...(await runSearch(query, { ...context, parsed: parseQuery(correction.query) })), correction };
  };

  return async (query: SearchQuery, searcher: Searcher): Promise<SearchAnswer> => {
    const started = performance.now();
    const parsed = parseQuery(query.q);
    const [scope, languages, files] = await Promise.all([
      access.scopeOf(searcher),
      store.languages(),
      filesOfCollections(query.collection, parsed.filters, searcher),
    ]);
    const context = { parsed, scope, languages, ...files };
    const found = await withCorrection(query, context, await runSearch(query, context));
    const facets = query.facets
      ? await store.facets(
          found.files.map(({ fileId }) => fileId),
          scope,
        )
      : null;
    const seconds = (performance.now() - started) / 1000;
    telemetry.search.observe(seconds);
    return {
      query: query.q,
      results: found.results,
      total_results: found.files.reduce((sum, file) => sum + file.passages.length, 0),
      total_files: found.files.length,
      page: query.page,
      page_size: query.page_size,
      search_time_ms: Math.round(seconds * 1e5) / 100,
      search_mode: query.search_mode,
      legs: found.legs,
      correction: found.correction,
      facets,
    };
  };
}

/** Resolves the collections of a search to files. */
function createCollectionFilter(collections: Collections) {
  const filesOfId = async (id: string, searcher: Searcher): Promise<string[]> => {
    const fileIds = await collections.filesOf(id, searcher);
    if (!fileIds) throw notFound('There is no such collection.');
    return fileIds;
  };
  const filesNamed = async (names: readonly string[], searcher: Searcher): Promise<string[]> => {
    const found = names.map(async (name) => {
      const fileIds = await collections.filesNamed(name, searcher);
      if (!fileIds) throw notFound(`There is no collection named “${name}”.`);
      return fileIds;
    });
    return (await Promise.all(found)).flat();
  };

  return async (
    id: string | undefined,
    { collections: named, excludedCollections: excluded }: ParsedQuery['filters'],
    searcher: Searcher,
  ): Promise<Pick<SearchContext, 'fileIds' | 'excludedFileIds'>> => {
    const [chosen, ofNames, excludedFileIds] = await Promise.all([
      id === undefined ? null : filesOfId(id, searcher),
      named.length === 0 ? null : filesNamed(named, searcher),
      filesNamed(excluded, searcher),
    ]);
    const fileIds = chosen && ofNames ? chosen.filter((fileId) => ofNames.includes(fileId)) : (chosen ?? ofNames);
    return { fileIds, excludedFileIds };
  };
}
