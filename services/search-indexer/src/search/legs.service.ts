import { unavailable, type Log } from '@overtone/service-kit';
import type { LegResult, SearchIndex } from '../ports/search-index.ts';
import type { Vectoriser } from '../ports/vectoriser.ts';
import type { Telemetry } from '../telemetry.ts';
import { filterBySimilarity, fuse, groupByFile } from './results.ts';
import type { FindFiles, Legs, SearchPlan } from './search.ts';
import type { SearchStore } from './search.store.ts';

export type LegsDeps = {
  index: Pick<SearchIndex, 'builds' | 'search'>;
  store: Pick<SearchStore, 'hasFiles'>;
  vectoriser: Pick<Vectoriser, 'query'>;
  telemetry: Telemetry;
  log: Log;
  /** Minimum cosine similarity of a semantic hit. */
  floor: number;
};
type Found = Awaited<ReturnType<FindFiles>>;

/** Maximum hits per leg: enough for realistic totals, few enough for a fast response. */
const limits = { keyword: 500, keywordOfSpeaker: 300, semantic: 50 };

/** Runs both legs, fuses their hits and reports which legs ran. @throws AppError unavailable when no leg could run. */
export function createLegs({ vectoriser, index, log, floor, store, telemetry }: LegsDeps): FindFiles {
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
      files: groupByFile(fuse(hitsOf(result.keyword), filterBySimilarity(hitsOf(result.semantic), floor))),
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
