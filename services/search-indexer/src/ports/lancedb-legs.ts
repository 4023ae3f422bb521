import type * as lancedb from '@lancedb/lancedb';
import type { Table } from '@lancedb/lancedb';
import { literal, whereOf } from './lancedb-filter.ts';
import type { RowNames } from './lancedb-row-names.ts';
import {
  checkedRowId,
  hitOf,
  type Build,
  type KeywordQuery,
  type LegResult,
  type SearchRequest,
  type Shown,
} from './search-index.ts';

type Lance = typeof lancedb;
/** A table that is searched. */
export type Opened = { lance: Lance; table: Table; names: RowNames };
type Columns = { numRows: number; getChild: (name: string) => { get: (i: number) => unknown } | null };

const notAsked: LegResult = { status: 'not_asked' };
const leg = (run: () => Promise<LegResult>): Promise<LegResult> =>
  run().catch((error: unknown): LegResult => ({ status: 'failed', error }));

/** Both legs at once. */
export const searchLegs = async (
  opened: Opened,
  build: Build,
  request: SearchRequest,
): Promise<{ keyword: LegResult; semantic: LegResult }> => {
  const [keyword, semantic] = await Promise.all([
    request.keyword ? leg(() => keywordLeg(opened, request)) : notAsked,
    request.vector.then((vector) =>
      vector && build.model ? leg(() => semanticLeg(opened, request, vector)) : notAsked,
    ),
  ]);
  return { keyword, semantic };
};

// The score columns are named in every select: left to itself LanceDB adds them and writes a warning per query.

const keywordLeg = async ({ lance, table, names }: Opened, request: SearchRequest): Promise<LegResult> => {
  const asked = request.keyword as KeywordQuery;
  const scored = asked.words.length + asked.phrases.length > 0;
  const where = whereOf(request.filter, scored ? null : 'passage');
  return namedHits(
    names,
    '_score',
    (s) => s,
    (more) => {
      let query = table.query();
      if (scored) query = query.fullTextSearch(toLance(lance, asked));
      if (where) query = query.where(where);
      const columns = scored ? ['_score'] : ['kind'];
      return query
        .select([...columns, ...more])
        .withRowId()
        .limit(request.keywordLimit)
        .toArrow();
    },
  );
};

const toLance = (lance: Lance, { words, phrases }: KeywordQuery) => {
  const { BooleanQuery, MatchQuery, Occur, Operator, PhraseQuery } = lance;
  const clauses: [lancedb.Occur, lancedb.FullTextQuery][] = phrases.map((alternatives) => [
    Occur.Must,
    new BooleanQuery(alternatives.map((p) => [Occur.Should, phraseOrWord(p)])),
  ]);
  if (words.length > 0)
    clauses.push([Occur.Should, new MatchQuery(words.join(' '), 'terms', { operator: Operator.Or })]);
  return new BooleanQuery(clauses);

  function phraseOrWord(p: string): lancedb.FullTextQuery {
    return p.includes(' ') ? new PhraseQuery(p, 'terms') : new MatchQuery(p, 'terms');
  }
};

const semanticLeg = async (
  { table, names }: Opened,
  request: SearchRequest,
  vector: Float32Array,
): Promise<LegResult> => {
  const where = whereOf(request.filter, null);
  return namedHits(
    names,
    '_distance',
    (d) => 1 - d,
    (more) => {
      let query = table.query().nearestTo(vector).distanceType('cosine');
      if (where) query = query.where(where);
      return query
        .select(['_distance', ...more])
        .withRowId()
        .limit(request.semanticLimit)
        .toArrow();
    },
  );
};

const searches = 3;

/**
 * Rows that were written anew between being found and being named are looked for again, where they are now; where that
 * goes on and on, the last search reads the ids itself, which takes longer.
 */
const namedHits = async (
  names: RowNames,
  scoreColumn: string,
  toScore: (raw: number) => number,
  find: (more: readonly string[]) => Promise<Columns>,
): Promise<LegResult> => {
  for (let turn = 1; ; turn += 1) {
    const last = turn === searches;
    const found = await find(last ? ['id'] : []);
    const [at, scores] = [found.getChild(last ? 'id' : '_rowid'), found.getChild(scoreColumn)];
    const asked = Array.from({ length: found.numRows }, (_, i): unknown => at?.get(i));
    const ids = last ? asked.map(String) : await names.of(asked as bigint[]);
    if (ids.includes(undefined)) continue;
    const score = (i: number): number => toScore(Number(scores?.get(i) ?? 1));
    return { status: 'ok', hits: ids.flatMap((id, i) => (id === undefined ? [] : hitOf(id, score(i)))) };
  }
};

const toShown = (found: Columns): Shown[] => {
  const shown = found.getChild('shown');
  return Array.from({ length: found.numRows }, (_, i) => JSON.parse(String(shown?.get(i))) as Shown);
};

/** What is shown of passages: read where they were found, and looked up by id when they are not there any more. */
export const readPassages = async ({ table, names }: Opened, ids: readonly string[]): Promise<Shown[]> => {
  const addresses = ids.flatMap((id) => names.addressOf(id) ?? []);
  const there =
    addresses.length > 0 ? toShown(await table.takeRowIds(addresses).select(['shown']).toArrow()) : ([] as Shown[]);
  const known = new Set(there.map(({ id }) => id));
  const elsewhere = ids.filter((id) => !known.has(id)).map((id) => literal(checkedRowId(id)));
  if (elsewhere.length === 0) return there;
  const found = await table
    .query()
    .where(`id in (${elsewhere.join(', ')})`)
    .select(['shown'])
    .toArrow();
  return [...there, ...toShown(found)];
};
