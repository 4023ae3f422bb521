import type { SearchAnswer } from '@overtone/contracts';
import { notFound, type Log } from '@overtone/service-kit';
import { keepVisible, type AccessScope, type ScopeReader, type Searcher } from '../access/access.ts';
import type { Collections } from '../ports/media-collections.adapter.ts';
import type { SearchIndex, Shown } from '../ports/search-index.ts';
import type { Telemetry } from '../telemetry.ts';
import type { FindCompounds } from './compounds.service.ts';
import type { FindCorrection } from './corrections.service.ts';
import type { FindFilesWith } from './exclusions.service.ts';
import { parseQuery, type ParsedQuery } from './query.ts';
import { occurrenceOf, resultOf, shownOf, sortFiles } from './results.ts';
import {
  planSearch,
  textOfMeaning,
  type FileHit,
  type FindFiles,
  type FindPassages,
  type FusedHit,
  type Languages,
  type Meaning,
  type ReadMeaning,
  type SearchContext,
  type SearchPlan,
  type SearchQuery,
} from './search.ts';
import type { FileFacts, SearchStore } from './search.store.ts';

export type SearchDeps = {
  index: Pick<SearchIndex, 'passages'>;
  store: Pick<SearchStore, 'facts' | 'facets' | 'withheld' | 'withheldAmong' | 'languages'>;
  access: ScopeReader;
  collections: Collections;
  find: FindFiles;
  findPassages: FindPassages;
  readMeaning: ReadMeaning;
  correct: FindCorrection;
  filesWith: FindFilesWith;
  findCompounds: FindCompounds;
  telemetry: Pick<Telemetry, 'search'>;
  log: Pick<Log, 'warn'>;
};
type Context = SearchContext & {
  /** Files whose indexed text may be masked by now; null: too many to be read. */
  withheld: ReadonlySet<string> | null;
  meaning: Promise<Meaning>;
};

/** Files whose passages tell whether the words of a query occur at all. */
const searchedForCorrection = 100;

/** Hybrid search: plan, rank files and passages, build snippets. */
export function createSearch(deps: SearchDeps) {
  const {
    access,
    collections,
    index,
    store,
    find,
    findPassages,
    readMeaning,
    correct,
    filesWith,
    findCompounds,
    telemetry,
    log,
  } = deps;
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

  /**
   * A hit in withheld text is not counted either: its number would tell what the text contains. Safe because the withheld
   * files are read before the index: a file that is withheld no longer has its new text in the index already, and one that
   * is withheld after this read is withheld after the search began. Its text is not shown either, see `store.facts`.
   */
  const findPermitted = async (plan: SearchPlan, { withheld, meaning }: Context): ReturnType<FindFiles> => {
    const found = await find(plan, meaning);
    if (withheld) return { ...found, files: found.files.filter(({ fileId }) => !withheld.has(fileId)) };
    // Too many: only those of the found files are read, and the index is searched again after that.
    const fileIds = found.files.map(({ fileId }) => fileId);
    const hidden = await store.withheldAmong(fileIds);
    const permitted = new Set(fileIds.filter((fileId) => !hidden.has(fileId)));
    const { files, ...rest } = await find(plan, meaning);
    return { ...rest, files: files.filter(({ fileId }) => permitted.has(fileId)) };
  };

  /** The files of the requested page with their displayed data. */
  const pageOf = async (files: readonly FileHit[], query: SearchQuery, plan: SearchPlan, scope: AccessScope) => {
    const byRelevance = query.sort_by === 'relevance';
    const all = byRelevance ? new Map<string, FileFacts>() : await factsFor(scope, files);
    const start = (query.page - 1) * query.page_size;
    const page = await findPassages(plan, sortFiles(files, query, all).slice(start, start + query.page_size));
    const [facts, stored] = await Promise.all([
      byRelevance ? factsFor(scope, page) : all,
      passagesOf(page.flatMap(shownOf)),
    ]);
    return { page, facts, stored };
  };

  /** A search is complete without the collections: the facet is null when media does not respond. */
  const facetsOf = async (
    files: readonly FileHit[],
    timeZone: string,
    { scope, searcher }: { scope: AccessScope; searcher: Searcher },
  ) => {
    const fileIds = files.map(({ fileId }) => fileId);
    const [counted, ofCollections] = await Promise.all([
      store.facets(fileIds, { scope, timeZone }),
      collections.countFiles(fileIds, searcher).catch((err: unknown) => {
        log.warn({ err: err as Error }, 'search facet unavailable: collections');
        return null;
      }),
    ]);
    return { ...counted, collections: ofCollections };
  };

  const filesOfCollections = createCollectionFilter(collections);

  const runSearch = async (query: SearchQuery, context: Context) => {
    const plan = planSearch(query, context);
    const { files: found, legs, more } = await findPermitted(plan, context);
    const files = await keepRequestedSpeakers(found, plan);
    const { page, facts, stored } = await pageOf(files, query, plan, context.scope);
    const shown = page.flatMap((file) => resultOf(file, plan, { facts, stored }));
    const results = shown.map(({ result }) => result);
    return { files, legs, more, results, markedWords: shown.flatMap(({ markedWords }) => markedWords) };
  };
  type Run = Awaited<ReturnType<typeof runSearch>>;

  /** Searches again when words of the query occur nowhere and look like typing errors. */
  const withCorrection = async (query: SearchQuery, context: Context, run: Run) => {
    if (query.exact || run.legs.keyword !== 'ok') return { ...run, correction: null };
    const { scope, languages, parsed } = context;
    const marked = [...new Set(run.markedWords)];
    // A search is complete without a correction.
    const correction = await correct({ query: query.q, places: parsed.places, marked, scope, languages }).catch(
      (err: unknown) => {
        log.warn({ err: err as Error }, 'search correction unavailable');
        return null;
      },
    );
    if (!correction) return { ...run, correction };
    const corrected = parseQuery(correction.query);
    const compounds = await compoundsOf(corrected, scope, languages);
    const meaning = readMeaning(textOfMeaning(query, corrected));
    return { ...(await runSearch(query, { ...context, parsed: corrected, compounds, meaning })), correction };
  };

  /** A search is complete without compounds. */
  const compoundsOf = ({ words }: ParsedQuery, scope: AccessScope, languages: Languages): Promise<string[]> =>
    findCompounds(words, scope, languages).catch((err: unknown) => {
      log.warn({ err: err as Error }, 'search for compounds failed');
      return [];
    });

  const contextOf = async (query: SearchQuery, searcher: Searcher): Promise<Context> => {
    const parsed = parseQuery(query.q);
    // A worker makes the vector while the database is read.
    const meaning = readMeaning(textOfMeaning(query, parsed));
    const [scope, languages, files, withheld] = await Promise.all([
      access.scopeOf(searcher),
      store.languages(),
      filesOfCollections(query.collection, parsed.filters, searcher),
      store.withheld(),
    ]);
    const excluded = await filesWith(parsed.filters.excludedPhrases, scope, languages);
    const excludedFileIds = [...files.excludedFileIds, ...excluded];
    const compounds = await compoundsOf(parsed, scope, languages);
    return { parsed, scope, languages, compounds, withheld, meaning, fileIds: files.fileIds, excludedFileIds };
  };

  /** All files that a search finds and the searcher may see, in its order. */
  const foundFiles = async (
    search: Omit<SearchQuery, 'page' | 'page_size' | 'facets' | 'time_zone'>,
    searcher: Searcher,
  ) => {
    const query = { ...search, page: 1, page_size: searchedForCorrection, facets: false, time_zone: 'UTC' };
    const context = await contextOf(query, searcher);
    const { files, more } = await withCorrection(query, context, await runSearch(query, context));
    const facts = await factsFor(context.scope, files);
    const visible = sortFiles(files, query, facts).filter(({ fileId }) => facts.has(fileId));
    return { fileIds: visible.map(({ fileId }) => fileId), more: more.files };
  };

  const search = async (query: SearchQuery, searcher: Searcher): Promise<SearchAnswer> => {
    const started = performance.now();
    const context = await contextOf(query, searcher);
    const { scope } = context;
    const found = await withCorrection(query, context, await runSearch(query, context));
    const facets = query.facets ? await facetsOf(found.files, query.time_zone, { scope, searcher }) : null;
    const seconds = (performance.now() - started) / 1000;
    telemetry.search.observe(seconds);
    return {
      query: query.q,
      results: found.results,
      total_results: found.files.reduce((sum, { passages }) => sum + Math.max(1, passages.length), 0),
      total_files: found.files.length,
      more_results: found.more.passages,
      more_files: found.more.files,
      page: query.page,
      page_size: query.page_size,
      search_time_ms: Math.round(seconds * 1e5) / 100,
      search_mode: query.search_mode,
      legs: found.legs,
      correction: found.correction,
      facets,
    };
  };
  return { search, foundFiles };
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
