import { isAppError, unavailable, type AppError, type Log } from '@overtone/service-kit';
import type { SearchIndex, SearchRequest, SearchResult } from '../ports/search-index.ts';
import type { Vectoriser } from '../ports/vectoriser.ts';
import type { Telemetry } from '../telemetry.ts';
import { addPassages, filterBySimilarity, rankFiles, type LegHits } from './ranking.ts';
import type { FileHit, FindFiles, Legs, Meaning, ReadMeaning, SearchPlan } from './search.ts';
import type { SearchStore } from './search.store.ts';

export type LegsDeps = {
  index: Pick<SearchIndex, 'builds' | 'search'>;
  store: Pick<SearchStore, 'hasFiles'>;
  vectoriser: Pick<Vectoriser, 'query'>;
  telemetry: Telemetry;
  log: Log;
  /** Minimum cosine similarity of a semantic hit. */
  minSimilarity: number;
};
/** `error`: why no leg ran, if the index says so. */
type Found = Awaited<ReturnType<FindFiles>> & { error: AppError | null };

/** Maximum hits per leg: enough for realistic totals, few enough for a fast response. */
const limits = { keyword: 500, keywordOfSpeaker: 300, sections: 200, files: 50, semantic: 50, shown: 20 };

/** `find` runs both legs, fuses their hits and reports which legs ran. */
export function createLegs({ vectoriser, index, log, minSimilarity, store, telemetry }: LegsDeps): {
  readMeaning: ReadMeaning;
  find: FindFiles;
} {
  const readMeaning: ReadMeaning = async (text) => {
    if (text === null) return { leg: 'not_asked', vector: null };
    try {
      const { current } = await index.builds();
      const { model, vector } = await vectoriser.query(text, current?.model?.name ?? null);
      // Vectors of another model cannot be compared; a rebuild will follow.
      if (current && current.model?.name !== model.name) return { leg: 'unavailable', vector: null };
      return { leg: 'ok', vector: vector && { model: model.name, values: vector } };
    } catch (err) {
      log.debug({ err: err as Error }, 'query vector unavailable');
      return { leg: 'unavailable', vector: null };
    }
  };

  const searchIndex = async (request: SearchRequest): Promise<SearchResult> => {
    const result = await index.search(request);
    for (const leg of [result.keyword, result.semantic])
      if (leg.status === 'failed') log.error({ err: leg.error as Error }, 'search leg failed');
    return result;
  };

  const runLegs = async (plan: SearchPlan, meaning: Promise<Meaning>): Promise<Found> => {
    const request: SearchRequest = {
      keyword: plan.keyword,
      vector: meaning.then(({ vector }) => vector),
      filter: plan.filter,
      keywordLimit: plan.spokenBy ? limits.keywordOfSpeaker : limits.keyword,
      sectionLimit: limits.sections,
      fileLimit: limits.files,
      semanticLimit: limits.semantic,
    };
    const result = await searchIndex(request);
    const { leg } = await meaning;
    const semantic = leg === 'ok' && result.semantic.status === 'failed' ? 'failed' : leg;
    const files = rankFiles(hitsOf(result, semantic, minSimilarity));
    const legs = { keyword: result.keyword.status, semantic };
    return { files: await addMissing(files, request), legs, error: errorOf(result) };
  };

  /** The best files may be known only by their sections: searches for their passages. Others without passages are dropped. */
  const addMissing = async (files: readonly FileHit[], request: SearchRequest): Promise<FileHit[]> => {
    const missing = files.slice(0, limits.shown).filter(({ passages }) => passages.length === 0);
    if (missing.length === 0) return files.filter(({ passages }) => passages.length > 0);
    const fileIds = missing.map(({ fileId }) => fileId);
    const result = await searchIndex({
      ...request,
      vector: Promise.resolve(null),
      filter: { ...request.filter, fileIds },
      sectionLimit: 0,
      fileLimit: 0,
    });
    return addPassages(files, hitsOf(result, 'not_asked', minSimilarity)).filter(({ passages }) => passages.length > 0);
  };

  const find: FindFiles = async (plan, meaning) => {
    const { current, building } = await index.builds();
    if (!current && (building || (await store.hasFiles())))
      throw unavailable('search_unavailable', 'The search index is being built', { retryAfterSeconds: 10 });
    const found = await runLegs(plan, meaning);
    for (const leg of ['keyword', 'semantic'] as const) telemetry.legs.inc({ leg, outcome: found.legs[leg] });
    const ranLegs = Object.values(found.legs).filter((status) => status !== 'not_asked');
    if (ranLegs.length > 0 && !ranLegs.includes('ok'))
      throw (
        found.error ?? unavailable('search_unavailable', 'The search index does not respond', { retryAfterSeconds: 5 })
      );
    return { files: found.files, legs: found.legs };
  };

  return { readMeaning, find };
}

function errorOf({ keyword, semantic }: SearchResult): AppError | null {
  const errors = [keyword, semantic].flatMap((leg) => (leg.status === 'failed' ? [leg.error] : []));
  return errors.find(isAppError) ?? null;
}

function hitsOf({ keyword, semantic }: SearchResult, leg: Legs['semantic'], minSimilarity: number): LegHits {
  return {
    keyword: keyword.status === 'ok' ? keyword : null,
    semantic: leg === 'ok' && semantic.status === 'ok' ? filterBySimilarity(semantic.hits, minSimilarity) : null,
  };
}
