import { Client, type estypes } from '@elastic/elasticsearch';
import { unavailable } from '@overtone/service-kit';
import { createElasticBuilds, type ElasticBuilds } from './elasticsearch-builds.ts';
import {
  documentOf,
  filtersOf,
  levelQuery,
  nearestQuery,
  shownOf,
  wordsQuery,
  type Document,
} from './elasticsearch-queries.ts';
import {
  checkedId,
  checkedRowId,
  hitOf,
  otherModel,
  nothingIndexed,
  type KeywordQuery,
  type KeywordResult,
  type LegResult,
  type SearchIndex,
  type SearchRequest,
  type SearchResult,
} from './search-index.ts';

export type ElasticOptions = { url: string; apiKey?: string | undefined; prefix: string };
type Parts = { client: Client; builds: ElasticBuilds };
type Found = estypes.MsearchMultiSearchItem<Document> | estypes.ErrorResponseBase;

/** The index in a search server. */
export function createElasticIndex({ url, apiKey, prefix }: ElasticOptions): SearchIndex {
  const auth = apiKey ? { auth: { apiKey } } : {};
  const client = new Client({ node: url, ...auth, requestTimeout: 10_000, maxRetries: 1 });
  const builds = createElasticBuilds({ client, prefix });
  const currentIndex = async (): Promise<string | null> => {
    const { current } = await builds.read();
    return current && builds.indexOf(current.id);
  };

  return {
    backend: 'elasticsearch',
    builds: builds.read,
    beginBuild: builds.begin,
    promote: builds.promote,
    ...createElasticWrites({ client, builds }),
    search: (request) => searchLegs({ client, builds }, request),
    passages: async (ids) => {
      const index = await currentIndex();
      if (!index || ids.length === 0) return [];
      const { docs } = await client.mget<Document>({ index, ids: ids.map(checkedRowId) });
      return docs.flatMap((doc) => ('_source' in doc && doc._source ? shownOf(doc._source) : []));
    },
    size: async () => {
      const index = await currentIndex();
      return index ? (await client.count({ index, query: { term: { kind: 'passage' } } })).count : 0;
    },
    maintain: async () => {},
    ping: async () => void (await client.ping()),
    close: () => client.close(),
  };
}

function createElasticWrites({ client, builds }: Parts): Pick<SearchIndex, 'replaceFile' | 'removeFile'> {
  const idsOf = async (index: string, fileId: string): Promise<string[]> => {
    const query = { term: { file_id: checkedId(fileId) } };
    const { hits } = await client.search({ index, size: 10_000, _source: false, query });
    return hits.hits.map((hit) => String(hit._id));
  };
  /** Replaces a file's documents; the change becomes visible immediately. */
  const replaceDocuments = async (index: string, fileId: string, documents: Map<string, Document>): Promise<void> => {
    const old = (await idsOf(index, fileId)).filter((id) => !documents.has(id));
    const operations = [
      ...[...documents].flatMap(([_id, document]) => [{ index: { _id } }, document]),
      ...old.map((_id) => ({ delete: { _id } })),
    ];
    if (operations.length === 0) return;
    const { items } = await client.bulk<Document>({ index, operations, refresh: true });
    const failed = items.find((item) => item.index?.error);
    if (failed) throw unavailable('search_unavailable', 'The search server refused a row', { cause: failed });
  };

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
  if (!current) return nothingIndexed;
  const filters = filtersOf(request.filter);
  const levels = keyword ? keywordSearches(keyword, request, filters) : [];
  const vector = await pendingVector;
  const unfit = vector ? otherModel(current, vector) : null;
  const nearest = vector && !unfit ? nearestQuery(vector.values, semanticLimit, filters) : null;
  const searches = [...levels, ...(nearest ? [{ size: semanticLimit, knn: nearest }] : [])];
  const notRun = unfit ?? ({ status: 'not_asked' } as const);
  if (searches.length === 0) return { keyword: { status: 'not_asked' }, semantic: notRun };
  const items = searches.flatMap((search) => [{}, { _source: false, track_total_hits: false, ...search }]);
  const responses: unknown[] = await client
    .msearch<Document>({ index: builds.indexOf(current.id), searches: items })
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
  if (response instanceof Error || !('hits' in found)) return { status: 'failed', error: response };
  const hits = found.hits.hits.map((hit) => hitOf(String(hit._id), toScore(hit._score ?? 0)));
  return { status: 'ok', hits };
}
