import { randomBytes } from 'node:crypto';
import { Client, errors, type estypes } from '@elastic/elasticsearch';
import { unavailable } from '@overtone/service-kit';
import { z } from 'zod';
import {
  documentOf,
  filtersOf,
  indexSettings,
  mappingsOf,
  nearestQuery,
  shownOf,
  vectorMapping,
  wordsQuery,
  type Document,
} from './elasticsearch-queries.ts';
import {
  checkedId,
  checkedRowId,
  hitOf,
  type Build,
  type Builds,
  type LegResult,
  type SearchIndex,
} from './search-index.ts';

export type ElasticOptions = { url: string; apiKey?: string | undefined; prefix: string };
const metaSchema = z.object({ model: z.object({ name: z.string(), dim: z.int() }).nullable() });
/** The builds are cached for this long, because another replica may swap them. */
const buildsCacheMs = 1_000;
type Found = estypes.MsearchMultiSearchItem<Document> | estypes.ErrorResponseBase;

/**
 * A search server: one index per build; two aliases name the current build and the one in progress. The server's own fusion
 * of results needs a paid licence, so both legs are sent in one request and fused here.
 */
export function createElasticIndex({ url, apiKey, prefix }: ElasticOptions): SearchIndex {
  const client = new Client({
    node: url,
    ...(apiKey ? { auth: { apiKey } } : {}),
    requestTimeout: 10_000,
    maxRetries: 1,
  });
  const aliases = { current: `${prefix}-current`, building: `${prefix}-building` };
  const indexOf = (build: string): string => `${prefix}-${build}`;
  let cached: { at: number; builds: Builds } | undefined;

  const readAlias = async (alias: string): Promise<{ build: Build; created: string } | null> => {
    const found = await client.indices.get({ index: alias }).catch((e: unknown) => {
      if (e instanceof errors.ResponseError && e.statusCode === 404) return {};
      throw asUnavailable(e);
    });
    const [entry] = Object.entries(found);
    if (!entry) return null;
    const { model } = metaSchema.parse(entry[1].mappings?._meta ?? { model: null });
    const created = Number(entry[1].settings?.index?.creation_date ?? 0);
    return { build: { id: entry[0].slice(prefix.length + 1), model }, created: new Date(created).toISOString() };
  };
  const builds = async (fresh = false): Promise<Builds> => {
    if (!fresh && cached && Date.now() - cached.at < buildsCacheMs) return cached.builds;
    const [current, building] = await Promise.all([readAlias(aliases.current), readAlias(aliases.building)]);
    const value = {
      current: current?.build ?? null,
      building: building?.build ?? null,
      completedAt: current?.created ?? null,
    };
    cached = { at: Date.now(), builds: value };
    return value;
  };
  const idsOf = async (index: string, fileId: string): Promise<string[]> => {
    const found = await client.search({
      index,
      size: 10_000,
      _source: false,
      query: { term: { file_id: checkedId(fileId) } },
    });
    return found.hits.hits.map((h) => String(h._id));
  };
  /** Replaces a file's documents; the change becomes visible at once. */
  const replaceDocuments = async (index: string, fileId: string, documents: Map<string, Document>): Promise<void> => {
    const old = (await idsOf(index, fileId)).filter((id) => !documents.has(id));
    const operations = [
      ...[...documents].flatMap(([_id, document]) => [{ index: { _id } }, document]),
      ...old.map((_id) => ({ delete: { _id } })),
    ];
    if (operations.length === 0) return;
    const result = await client.bulk<Document>({ index, operations, refresh: true });
    const failed = result.items.find((i) => i.index?.error);
    if (failed) throw unavailable('search_unavailable', 'The search server refused a row', { cause: failed });
  };

  return {
    backend: 'elasticsearch',
    builds: () => builds(),
    beginBuild: async (model, asCurrent) => {
      const present = await builds(true);
      const existing = asCurrent ? present.current : present.building;
      if (existing) return existing;
      const build = { id: Date.now().toString(36) + randomBytes(3).toString('hex'), model };
      await client.indices.create({
        index: indexOf(build.id),
        aliases: { [asCurrent ? aliases.current : aliases.building]: {} },
        settings: indexSettings,
        mappings: mappingsOf(model),
      });
      cached = undefined;
      return build;
    },
    promote: async () => {
      const { current, building } = await builds(true);
      if (!building) return;
      const index = indexOf(building.id);
      await client.indices.updateAliases({
        actions: [
          { remove: { index, alias: aliases.building } },
          { add: { index, alias: aliases.current } },
          ...(current ? [{ remove_index: { index: indexOf(current.id) } }] : []),
        ],
      });
      cached = undefined;
    },
    replaceFile: async (buildId, fileId, rows, model) => {
      const { current, building } = await builds(true);
      const build = [current, building].find((b) => b?.id === buildId);
      if (!build) throw unavailable('search_unavailable', 'This build of the index no longer exists');
      const index = indexOf(buildId);
      if (!build.model && model) {
        await client.indices.putMapping({ index, _meta: { model }, properties: { vector: vectorMapping(model) } });
        cached = undefined;
      }
      await replaceDocuments(index, fileId, new Map(rows.map((r) => [r.id, documentOf(r)])));
    },
    removeFile: async (fileId) => {
      const { current, building } = await builds(true);
      for (const build of [current, building]) if (build) await replaceDocuments(indexOf(build.id), fileId, new Map());
    },
    search: async ({ keyword, vector: pendingVector, filter, keywordLimit, semanticLimit }) => {
      const { current } = await builds();
      if (!current) return { keyword: { status: 'ok', hits: [] }, semantic: { status: 'ok', hits: [] } };
      const filters = filtersOf(filter);
      const common = { _source: false, track_total_hits: false };
      const searches: estypes.MsearchRequestItem[] = [];
      // The client's types are incompatible under exactOptionalPropertyTypes.
      const words = keyword && { ...common, size: keywordLimit, query: wordsQuery(keyword, filters) };
      if (words) searches.push({}, words as estypes.MsearchRequestItem);
      const vector = await pendingVector;
      const nearest = vector && current.model ? nearestQuery(vector, semanticLimit, filters) : null;
      if (nearest) searches.push({}, { ...common, size: semanticLimit, knn: nearest });
      if (searches.length === 0) return { keyword: { status: 'not_asked' }, semantic: { status: 'not_asked' } };
      const responses = await client
        .msearch<Document>({ index: indexOf(current.id), searches })
        .then((r) => r.responses)
        .catch((error: unknown) => [error, error]);
      return {
        keyword: keyword ? legOf(responses[0], (s) => s) : { status: 'not_asked' },
        // The server's score of a cosine is (1 + cos) / 2.
        semantic: nearest ? legOf(responses[keyword ? 1 : 0], (s) => 2 * s - 1) : { status: 'not_asked' },
      };
    },
    passages: async (ids) => {
      const { current } = await builds();
      if (!current || ids.length === 0) return [];
      const found = await client.mget<Document>({ index: indexOf(current.id), ids: ids.map(checkedRowId) });
      return found.docs.flatMap((d) => ('_source' in d && d._source ? shownOf(d._source) : []));
    },
    size: async () => {
      const { current } = await builds();
      if (!current) return 0;
      return (await client.count({ index: indexOf(current.id), query: { term: { kind: 'passage' } } })).count;
    },
    maintain: async () => {},
    ping: async () => void (await client.ping()),
    close: () => client.close(),
  };
}

function asUnavailable(cause: unknown) {
  return unavailable('search_unavailable', 'The search server does not respond', { cause });
}

function legOf(answer: unknown, toScore: (raw: number) => number): LegResult {
  const found = answer as Found;
  if (answer instanceof Error || !('hits' in found)) return { status: 'failed', error: answer };
  const hits = found.hits.hits.map((h) => hitOf(String(h._id), toScore(h._score ?? 0)));
  return { status: 'ok', hits };
}
