import { wordVectorModel } from '@overtone/contracts';
import { isAppError, type Log } from '@overtone/service-kit';
import { indexUnavailable, requireBuild } from '../ports/keyword-search.ts';
import type { SearchIndex, SearchRequest, SearchResult } from '../ports/search-index.ts';
import type { Vectoriser } from '../ports/vectoriser.ts';
import type { Telemetry } from '../telemetry.ts';
import { addPassages, filterBySimilarity, rankFiles, type LegHits } from './ranking.ts';
import type { FileHit, FindFiles, FindPassages, Found, Legs, Meaning, ReadMeaning, SearchPlan } from './search.ts';
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
/** `error`: why a leg failed. */
type LegsRun = Found & { error: unknown };

/** Maximum hits per leg, few enough for a fast response. What is beyond them is reported as `more`. */
const limits = { keyword: 500, keywordOfSpeaker: 300, sections: 200, files: 500, semantic: 300 };
/** Measured with all-MiniLM-L6-v2 on QMSum: with 0.2 the words' best file is lost more often than a better one is found. */
const meaningShare = 0.1;
/** Files whose passages are searched for at once. */
const filesAtOnce = 20;

/** `find` runs both legs, fuses their hits and reports which legs ran. */
export function createLegs({ vectoriser, index, log, minSimilarity, store, telemetry }: LegsDeps): {
  readMeaning: ReadMeaning;
  find: FindFiles;
  findPassages: FindPassages;
} {
  const readMeaning: ReadMeaning = async (text) => {
    if (text === null) return { leg: 'not_asked', vector: null };
    try {
      const { current } = await index.builds();
      const { model, vector } = await vectoriser.query(text, current?.model?.name ?? null);
      // Vectors of another model cannot be compared; a reindex will follow.
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

  const requestOf = ({ keyword, filter, spokenBy }: SearchPlan, vector: SearchRequest['vector']): SearchRequest => ({
    keyword,
    vector,
    filter,
    keywordLimit: spokenBy ? limits.keywordOfSpeaker : limits.keyword,
    sectionLimit: limits.sections,
    fileLimit: limits.files,
    semanticLimit: limits.semantic,
  });

  const findPassages: FindPassages = async (plan, files) => {
    const missing = files.filter(({ passages }) => passages.length === 0).map(({ fileId }) => fileId);
    if (missing.length === 0) return [...files];
    const request = requestOf(plan, Promise.resolve(null));
    const filter = { ...plan.filter, fileIds: missing };
    const result = await searchIndex({ ...request, filter, sectionLimit: 0, fileLimit: 0 });
    return addPassages(files, hitsOf(result, 'not_asked', minSimilarity));
  };

  const runLegs = async (plan: SearchPlan, meaning: Promise<Meaning>): Promise<LegsRun> => {
    const request = requestOf(
      plan,
      meaning.then(({ vector }) => vector),
    );
    const result = await searchIndex(request);
    const { leg, vector } = await meaning;
    const semantic = leg === 'ok' && result.semantic.status === 'failed' ? 'failed' : leg;
    const ranked = rankFiles(
      hitsOf(result, semantic, minSimilarity),
      vector?.model === wordVectorModel ? 0 : meaningShare,
    );
    return {
      files: plan.spokenBy ? await withPassages(plan, ranked) : ranked,
      legs: { keyword: result.keyword.status, semantic },
      more: moreThanFound(result, { request, plan, minSimilarity }),
      error: errorOf(result),
    };
  };

  /** In a file with the words and the speaker, others may say the words: only passages tell. */
  const withPassages = async (plan: SearchPlan, ranked: readonly FileHit[]): Promise<FileHit[]> => {
    const best = await findPassages(plan, ranked.slice(0, filesAtOnce));
    return [...best, ...ranked.slice(filesAtOnce)].filter(({ passages }) => passages.length > 0);
  };

  const find: FindFiles = async (plan, meaning) => {
    await requireBuild(index, store.hasFiles);
    const found = await runLegs(plan, meaning);
    for (const leg of ['keyword', 'semantic'] as const) telemetry.legs.inc({ leg, outcome: found.legs[leg] });
    const ranLegs = Object.values(found.legs).filter((status) => status !== 'not_asked');
    if (ranLegs.length > 0 && !ranLegs.includes('ok')) throw indexUnavailable(found.error);
    return { files: found.files, legs: found.legs, more: found.more };
  };

  return { readMeaning, find, findPassages };
}

function moreThanFound(
  { keyword, semantic }: SearchResult,
  { request, plan, minSimilarity }: { request: SearchRequest; plan: SearchPlan; minSimilarity: number },
): Found['more'] {
  if (keyword.status !== 'ok') {
    // Only the nearest are found: there is no total of similar passages.
    const similar = semantic.status === 'ok' ? filterBySimilarity(semantic.hits, minSimilarity) : [];
    const isCut = similar.length >= request.semanticLimit;
    return { passages: isCut, files: isCut };
  }
  const passages = keyword.hits.length >= request.keywordLimit;
  // Only whole files are a list of all files; phrases, operators and speakers are searched in passages.
  const byFile = keyword.files.length > 0 && !plan.spokenBy;
  return { passages, files: byFile ? keyword.files.length >= request.fileLimit : passages };
}

/** An AppError says more than other errors. */
function errorOf({ keyword, semantic }: SearchResult): unknown {
  const errors = [keyword, semantic].flatMap((leg) => (leg.status === 'failed' ? [leg.error] : []));
  return errors.find(isAppError) ?? errors[0];
}

function hitsOf({ keyword, semantic }: SearchResult, leg: Legs['semantic'], minSimilarity: number): LegHits {
  return {
    keyword: keyword.status === 'ok' ? keyword : null,
    semantic: leg === 'ok' && semantic.status === 'ok' ? filterBySimilarity(semantic.hits, minSimilarity) : null,
  };
}
