import type * as lancedb from '@lancedb/lancedb';
import { literal, whereOf } from './lancedb-filter.ts';
import type { RowIdCache } from './lancedb-row-ids.ts';
import type { OpenTable } from './lancedb-tables.ts';
import {
  checkedRowId,
  hitOf,
  unusableVector,
  type Build,
  type Hit,
  type KeywordQuery,
  type KeywordResult,
  type LegResult,
  type SearchRequest,
  type SearchResult,
  type Shown,
} from './search-index.ts';

type Lance = typeof lancedb;
type Columns = { getChild: (name: string) => { toArray: () => ArrayLike<unknown> } | null };

const notAsked = { status: 'not_asked' } as const;

/** Runs the keyword leg at once and the semantic one when its vector has arrived; an error fails only its own leg. */
export async function searchLegs(opened: OpenTable, build: Build, request: SearchRequest): Promise<SearchResult> {
  const [keyword, semantic] = await Promise.all([
    request.keyword ? runLeg(() => keywordLeg(opened, request, request.keyword as KeywordQuery)) : notAsked,
    request.vector.then((vector) =>
      vector ? (unusableVector(build, vector) ?? runLeg(() => semanticLeg(opened, request, vector.values))) : notAsked,
    ),
  ]);
  return { keyword, semantic };
}

// The score columns are selected explicitly: otherwise LanceDB adds them and logs a warning per query.

async function keywordLeg(opened: OpenTable, request: SearchRequest, asked: KeywordQuery): Promise<KeywordResult> {
  const { MatchQuery, Operator } = opened.lance;
  const { words, phrases } = asked;
  const ranked = words.length > 0 && phrases.length === 0;
  const browsed = words.length + phrases.length === 0;
  const level = (column: string, limit: number): Promise<Hit[]> =>
    ranked && limit > 0
      ? keywordHits(opened, request, new MatchQuery(words.join(' '), column, { operator: Operator.Or }), limit)
      : Promise.resolve([]);
  const [hits, sections, files] = await Promise.all([
    keywordHits(opened, request, browsed ? 'passage' : toLance(opened.lance, asked), request.keywordLimit),
    level('section_terms', request.sectionLimit),
    browsed && request.fileLimit > 0
      ? keywordHits(opened, request, 'file', request.fileLimit)
      : level('file_terms', request.fileLimit),
  ]);
  return { status: 'ok', hits, sections, files };
}

/** @param wanted a query, or the kind of the rows, of which all that pass the filter are found. */
function keywordHits(
  { table, rowIds }: OpenTable,
  { filter }: SearchRequest,
  wanted: lancedb.FullTextQuery | 'passage' | 'file',
  limit: number,
): Promise<Hit[]> {
  const scored = typeof wanted === 'string' ? null : wanted;
  const where = whereOf(filter, typeof wanted === 'string' ? wanted : null);
  return resolveHits(
    rowIds,
    '_score',
    (score) => score,
    (extraColumns) => {
      let query = table.query();
      if (scored) query = query.fullTextSearch(scored);
      if (where) query = query.where(where);
      const columns = scored ? ['_score'] : ['kind'];
      return query
        .select([...columns, ...extraColumns])
        .withRowId()
        .limit(limit)
        .toArrow();
    },
  );
}

function toLance(lance: Lance, { words, phrases }: KeywordQuery): lancedb.FullTextQuery {
  const { BooleanQuery, MatchQuery, Occur, Operator, PhraseQuery } = lance;
  // Within a boolean query LanceDB scores every match, alone only the best (measured: 10 ms and 3 ms).
  if (phrases.length === 0) return new MatchQuery(words.join(' '), 'terms', { operator: Operator.Or });
  const clauses: [lancedb.Occur, lancedb.FullTextQuery][] = phrases.map((alternatives) => [
    Occur.Must,
    new BooleanQuery(alternatives.map((phrase) => [Occur.Should, phraseOrWord(phrase)])),
  ]);
  if (words.length > 0)
    clauses.push([Occur.Should, new MatchQuery(words.join(' '), 'terms', { operator: Operator.Or })]);
  return new BooleanQuery(clauses);

  function phraseOrWord(phrase: string): lancedb.FullTextQuery {
    return phrase.includes(' ') ? new PhraseQuery(phrase, 'terms') : new MatchQuery(phrase, 'terms');
  }
}

async function semanticLeg(
  { table, rowIds, probes }: OpenTable,
  request: SearchRequest,
  vector: Float32Array,
): Promise<LegResult> {
  const where = whereOf(request.filter, null);
  const [partitions, isExact] = await Promise.all([probes(), isScanned(table, where)]);
  const hits = await resolveHits(
    rowIds,
    '_distance',
    (distance) => 1 - distance,
    (extraColumns) => {
      let query = table.query().nearestTo(vector).distanceType('cosine').nprobes(partitions);
      if (where) query = query.where(where);
      if (isExact) query = query.bypassVectorIndex();
      return query
        .select(['_distance', ...extraColumns])
        .withRowId()
        .limit(request.semanticLimit)
        .toArrow();
    },
  );
  return { status: 'ok', hits };
}

/**
 * Up to this many rows that pass the filter are scanned without the vector index, which may leave all of them in partitions
 * that a query does not read. Measured among 550,000 rows: 10,800 rows of one owner take 2.9 ms, by the index 5.0 ms with
 * a recall of 0.89; 21,600 rows 4.7 and 5.9 ms with 0.93; 44,000 rows 8.5 and 5.2 ms with 0.97.
 */
const scannedRows = 25_000;

async function isScanned(table: lancedb.Table, where: string | undefined): Promise<boolean> {
  return where !== undefined && (await table.countRows(where)) <= scannedRows;
}

const maxSearches = 3;

/**
 * Resolves found rows to ids. If a row was rewritten in between, the search is repeated; the last search reads the ids
 * itself, which takes longer.
 */
async function resolveHits(
  rowIds: RowIdCache,
  scoreColumn: string,
  toScore: (raw: number) => number,
  find: (extraColumns: readonly string[]) => Promise<Columns>,
): Promise<Hit[]> {
  for (let attempt = 1; ; attempt += 1) {
    const last = attempt === maxSearches;
    const found = await find(last ? ['id'] : []);
    const requested = found.getChild(last ? 'id' : '_rowid')?.toArray() ?? [];
    const scores = found.getChild(scoreColumn)?.toArray();
    const ids = last ? Array.from(requested, String) : await rowIds.of(Array.from(requested, Number));
    if (ids.includes(undefined)) continue;
    const score = (i: number): number => toScore(Number(scores?.[i] ?? 1));
    return ids.flatMap((id, i) => (id === undefined ? [] : hitOf(id, score(i))));
  }
}

function toShown(found: Columns): Shown[] {
  const shown = found.getChild('shown')?.toArray() ?? [];
  return Array.from(shown, (json) => JSON.parse(String(json)) as Shown);
}

/** Reads passages by their row address, and by id when they were rewritten since. */
export async function readPassages({ table, rowIds }: OpenTable, ids: readonly string[]): Promise<Shown[]> {
  const addresses = ids.flatMap((id) => rowIds.addressOf(id) ?? []);
  const atAddress =
    addresses.length > 0
      ? toShown(await table.takeRowIds(addresses.map(BigInt)).select(['shown']).toArrow())
      : ([] as Shown[]);
  const known = new Set(atAddress.map(({ id }) => id));
  const moved = ids.filter((id) => !known.has(id)).map((id) => literal(checkedRowId(id)));
  if (moved.length === 0) return atAddress;
  const found = await table
    .query()
    .where(`id in (${moved.join(', ')})`)
    .select(['shown'])
    .toArrow();
  return [...atAddress, ...toShown(found)];
}

function runLeg<T>(run: () => Promise<T>): Promise<T | { status: 'failed'; error: unknown }> {
  return run().catch((error: unknown) => ({ status: 'failed' as const, error }));
}
