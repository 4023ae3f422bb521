import type { Client, estypes } from '@elastic/elasticsearch';
import { unavailable } from '@overtone/service-kit';
import { createElasticBuilds, type ElasticBuilds } from './elasticsearch-builds.ts';
import {
  createElasticClient,
  interactiveRequestOptions,
  readinessRequestOptions,
  type ElasticOptions,
} from './elasticsearch-client.ts';
import { searchServerError } from './elasticsearch-errors.ts';
import {
  documentOf,
  filtersOf,
  levelQuery,
  nearestQuery,
  shownOf,
  wordsQuery,
  type Document,
} from './elasticsearch-queries.ts';
import { createReplaceDocuments, expungeDeleted, type ReplaceDocuments } from './elasticsearch-writes.ts';
import {
  checkedRowId,
  hitOf,
  unusableVector,
  searchNothing,
  type KeywordQuery,
  type KeywordResult,
  type LegResult,
  type SearchIndex,
  type SearchRequest,
  type SearchResult,
} from './search-index.ts';

type Parts = { client: Client; builds: ElasticBuilds };
type Found = estypes.MsearchMultiSearchItem<Document> | estypes.ErrorResponseBase;

/** The index in a search server. */
export function createElasticIndex(options: ElasticOptions): SearchIndex {
  const client = createElasticClient(options);
  const builds = createElasticBuilds({ client, options });
  const currentIndex = async (): Promise<string | null> => {
    const { current } = await builds.read();
    return current && builds.indexOf(current.id);
  };

  return {
    backend: 'elasticsearch',
    builds: builds.read,
    beginBuild: builds.begin,
    promote: builds.promote,
    discardBuild: builds.discard,
    ...createElasticWrites(builds, createReplaceDocuments(client, options.retryDelaysMs)),
    search: (request) => searchLegs({ client, builds }, request),
    passages: async (ids) => {
      const index = await currentIndex();
      if (!index || ids.length === 0) return [];
      const { docs } = await client.mget<Document>({ index, ids: ids.map(checkedRowId) }, interactiveRequestOptions);
      return docs.flatMap((doc) => ('_source' in doc && doc._source ? shownOf(doc._source) : []));
    },
    countByFile: async () => {
      const index = await currentIndex();
      return index ? countByFile(client, index) : new Map<string, number>();
    },
    countPassages: async () => {
      const index = await currentIndex();
      const query = { term: { kind: 'passage' } };
      return index ? (await client.count({ index, query }, interactiveRequestOptions)).count : 0;
    },
    maintain: async () => {},
    purge: async () => {
      const { current, building } = await builds.read();
      await expungeDeleted(
        client,
        [current, building].flatMap((build) => (build ? [builds.indexOf(build.id)] : [])),
      );
    },
    // Needs no other privilege than searches, as a request to the root of the server would.
    ping: async () => void (await client.indices.exists({ index: `${options.prefix}-*` }, readinessRequestOptions)),
    close: () => client.close(),
  };
}

const countPageSize = 1_000;
type CountedFile = estypes.AggregationsCompositeBucket & {
  key: { file: string };
  passages: estypes.AggregationsFilterAggregate;
};
type Aggregations = { files: estypes.AggregationsCompositeAggregate };

async function countByFile(client: Client, index: string): Promise<Map<string, number>> {
  const counts = new Map<string, number>();
  let after: { after?: Record<string, string> } = {};
  for (;;) {
    const sources = [{ file: { terms: { field: 'file_id' } } }];
    const { aggregations } = await client.search<unknown, Aggregations>({
      index,
      size: 0,
      query: { terms: { kind: ['card', 'passage'] } },
      aggs: {
        files: {
          composite: { size: countPageSize, sources, ...after },
          aggs: { passages: { filter: { term: { kind: 'passage' } } } },
        },
      },
    });
    const files = aggregations?.files;
    const buckets = (files?.buckets ?? []) as CountedFile[];
    for (const { key, passages } of buckets) counts.set(key.file, passages.doc_count);
    if (buckets.length < countPageSize || !files?.after_key) return counts;
    after = { after: files.after_key as Record<string, string> };
  }
}

function createElasticWrites(
  builds: ElasticBuilds,
  replaceDocuments: ReplaceDocuments,
): Pick<SearchIndex, 'replaceFile' | 'removeFile'> {
  return {
    replaceFile: async (buildId, fileId, rows, model) => {
      const { current, building } = await builds.readNow();
      const build = [current, building].find((candidate) => candidate?.id === buildId);
      if (!build) throw unavailable('search_unavailable', 'This build of the index no longer exists');
      if (!build.model && model) await builds.setModel(buildId, model);
      const documents = new Map(rows.map((row) => [row.id, documentOf(row)]));
      await replaceDocuments(builds.indexOf(buildId), fileId, documents);
    },
    removeFile: async (fileId) => {
      const { current, building } = await builds.readNow();
      for (const build of [current, building])
        if (build) await replaceDocuments(builds.indexOf(build.id), fileId, new Map());
    },
  };
}

/** Sends both legs in one request. The server's own fusion of results needs a paid licence, so they are fused here. */
async function searchLegs({ client, builds }: Parts, request: SearchRequest): Promise<SearchResult> {
  const { keyword, vector: pendingVector, semanticLimit } = request;
  const { current } = await builds.read();
  if (!current) return searchNothing(request);
  const filters = filtersOf(request.filter);
  const levels = keyword ? keywordSearches(keyword, request, filters) : [];
  const vector = await pendingVector;
  const unfit = vector ? unusableVector(current, vector) : null;
  const nearest = vector && !unfit ? nearestQuery(vector.values, semanticLimit, filters) : null;
  const searches = [...levels, ...(nearest ? [{ size: semanticLimit, knn: nearest }] : [])];
  const notRun = unfit ?? ({ status: 'not_asked' } as const);
  if (searches.length === 0) return { keyword: { status: 'not_asked' }, semantic: notRun };
  const items = searches.flatMap((search) => [
    // With several shards, scores need the frequencies of all of them.
    'query' in search ? { search_type: 'dfs_query_then_fetch' as const } : {},
    { _source: false, track_total_hits: false, ...search },
  ]);
  const responses: unknown[] = await client
    .msearch<Document>({ index: builds.indexOf(current.id), searches: items }, interactiveRequestOptions)
    .then(
      (result) => result.responses,
      (error: unknown) => searches.map(() => error),
    );
  return {
    keyword: keyword ? keywordOf(responses.slice(0, levels.length)) : { status: 'not_asked' },
    // The server's score of a cosine is (1 + cos) / 2.
    semantic: nearest ? legOf(responses[levels.length], (score) => 2 * score - 1) : notRun,
  };
}

/** The search for passages and, to rank files, those for sections and whole files. */
function keywordSearches(
  keyword: KeywordQuery,
  { keywordLimit, sectionLimit, fileLimit }: SearchRequest,
  filters: estypes.QueryDslQueryContainer[],
) {
  const passages = { size: keywordLimit, query: wordsQuery(keyword, filters) };
  if (keyword.words.length + keyword.phrases.length === 0 && fileLimit > 0)
    return [
      passages,
      // No sections: `keywordOf` reads the levels by their order.
      { size: 0, query: passages.query },
      { size: fileLimit, query: { bool: { filter: [...filters, { term: { kind: 'file' } }] } } },
    ];
  if (keyword.words.length === 0 || keyword.phrases.length > 0 || sectionLimit + fileLimit === 0) return [passages];
  return [
    passages,
    { size: sectionLimit, query: levelQuery('section_terms', keyword, filters) },
    { size: fileLimit, query: levelQuery('file_terms', keyword, filters) },
  ];
}

function keywordOf(responses: readonly unknown[]): KeywordResult {
  const levels = responses.map((response) => legOf(response, (score) => score));
  const failed = levels.find((level) => level.status === 'failed');
  if (failed) return failed;
  const [hits = [], sections = [], files = []] = levels.map((level) => (level.status === 'ok' ? level.hits : []));
  return { status: 'ok', hits, sections, files };
}

function legOf(response: unknown, toScore: (raw: number) => number): LegResult {
  const found = response as Found;
  if (response instanceof Error || !('hits' in found)) return { status: 'failed', error: searchServerError(response) };
  // Hits of a part of the shards are not the best ones.
  if (found._shards && found._shards.failed > 0)
    return { status: 'failed', error: searchServerError(found._shards.failures?.[0]?.reason) };
  const hits = found.hits.hits.map((hit) => hitOf(String(hit._id), toScore(hit._score ?? 0)));
  return { status: 'ok', hits };
}
