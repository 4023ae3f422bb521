import type { estypes } from '@elastic/elasticsearch';
import {
  checkedId,
  rowVersion,
  type IndexFilter,
  type IndexRow,
  type KeywordQuery,
  type Shown,
  type VectorModel,
} from './search-index.ts';

/** A row as a document. */
export type Document = Omit<
  IndexRow,
  'id' | 'fileId' | 'ownerId' | 'vector' | 'shown' | 'sectionTerms' | 'fileTerms'
> & {
  file_id: string;
  owner_id: string;
  section_terms?: string;
  file_terms?: string;
  shown?: string;
  vector?: number[];
};

/** The filter of both legs. */
export function filtersOf(filter: IndexFilter): estypes.QueryDslQueryContainer[] {
  const filters: estypes.QueryDslQueryContainer[] = [];
  if (filter.ownerId !== null) filters.push(visibleTo(filter.ownerId, filter.sharedIds));
  if (filter.fileIds !== null) filters.push({ terms: { file_id: filter.fileIds.map(checkedId) } });
  if (filter.excludedFileIds.length > 0)
    filters.push({ bool: { must_not: { terms: { file_id: filter.excludedFileIds.map(checkedId) } } } });
  if (filter.speakers.length > 0) filters.push({ terms: { speakers: [...filter.speakers] } });
  if (filter.tags.length > 0) filters.push({ terms: { tags: [...filter.tags] } });
  if (filter.excludedTags.length > 0)
    filters.push({ bool: { must_not: { terms: { tags: [...filter.excludedTags] } } } });
  if (filter.media.length > 0) filters.push({ terms: { media: [...filter.media] } });
  if (filter.uploadedFrom !== null || filter.uploadedTo !== null)
    filters.push({ range: { uploaded: range(filter.uploadedFrom, filter.uploadedTo) } });
  if (filter.minDuration !== null || filter.maxDuration !== null)
    filters.push({ range: { duration: range(filter.minDuration, filter.maxDuration) } });
  return filters;
}

/** BM25 over the precomputed stems; without words or phrases, all passages that pass the filter. */
export function wordsQuery(
  query: KeywordQuery,
  filter: estypes.QueryDslQueryContainer[],
): estypes.QueryDslQueryContainer {
  return {
    bool: {
      filter: query.words.length + query.phrases.length > 0 ? filter : [...filter, { term: { kind: 'passage' } }],
      must: query.phrases.map((alternatives) => ({
        bool: { should: alternatives.map((phrase) => ({ match_phrase: { terms: phrase } })), minimum_should_match: 1 },
      })),
      ...(query.words.length > 0
        ? { should: [{ match: { terms: { query: query.words.join(' '), operator: 'or' } } }] }
        : {}),
      minimum_should_match: query.words.length > 0 && query.phrases.length === 0 ? 1 : 0,
    },
  };
}

/** BM25 over the stems of sections or whole files. */
export function levelQuery(
  field: 'section_terms' | 'file_terms',
  { words }: KeywordQuery,
  filter: estypes.QueryDslQueryContainer[],
): estypes.QueryDslQueryContainer {
  return { bool: { filter, must: [{ match: { [field]: { query: words.join(' '), operator: 'or' } } }] } };
}

export function nearestQuery(
  vector: Float32Array,
  limit: number,
  filter: estypes.QueryDslQueryContainer[],
): estypes.KnnSearch {
  return {
    field: 'vector',
    query_vector: Array.from(vector),
    k: limit,
    num_candidates: Math.max(200, limit * 2),
    filter,
  };
}

export function vectorMapping({ dim }: VectorModel): estypes.MappingProperty {
  // Uncompressed: version 8 scores compressed vectors by their compressed form, so that no minimum could be set.
  return { type: 'dense_vector', dims: dim, index: true, similarity: 'cosine', index_options: { type: 'hnsw' } };
}

/** The server refreshes only after a file is complete. */
export function indexSettingsOf({
  shards,
  replicas,
}: {
  shards: number;
  replicas: number;
}): estypes.IndicesIndexSettings {
  return {
    number_of_shards: shards,
    number_of_replicas: replicas,
    refresh_interval: '-1',
  };
}

/** Version of the mappings. */
const mappingsVersion = 0;
export const indexVersion = rowVersion + mappingsVersion;

/** The server does not analyse the stems again: it splits them at spaces, by an analyzer that needs no module. */
export function mappingsOf(model: VectorModel | null): estypes.MappingTypeMapping {
  return {
    dynamic: 'strict',
    _meta: { model, version: indexVersion },
    properties: {
      file_id: { type: 'keyword' },
      owner_id: { type: 'keyword' },
      kind: { type: 'keyword' },
      terms: { type: 'text', analyzer: 'whitespace' },
      section_terms: { type: 'text', analyzer: 'whitespace', index_options: 'freqs' },
      file_terms: { type: 'text', analyzer: 'whitespace', index_options: 'freqs' },
      speakers: { type: 'keyword' },
      tags: { type: 'keyword' },
      uploaded: { type: 'long' },
      duration: { type: 'double' },
      media: { type: 'keyword' },
      shown: { type: 'keyword', index: false, doc_values: false },
      ...(model ? { vector: vectorMapping(model) } : {}),
    },
  };
}

export function documentOf({ id: _, fileId, ownerId, sectionTerms, fileTerms, ...rest }: IndexRow): Document {
  const { shown, vector, ...row } = rest;
  return {
    ...row,
    file_id: fileId,
    owner_id: ownerId,
    ...(sectionTerms === null ? {} : { section_terms: sectionTerms }),
    ...(fileTerms === null ? {} : { file_terms: fileTerms }),
    ...(shown ? { shown: JSON.stringify(shown) } : {}),
    ...(vector ? { vector: Array.from(vector) } : {}),
  };
}

export function shownOf({ shown }: Document): Shown[] {
  return shown ? [JSON.parse(shown) as Shown] : [];
}

function visibleTo(ownerId: string, sharedIds: readonly string[]): estypes.QueryDslQueryContainer {
  const own = { term: { owner_id: checkedId(ownerId) } };
  if (sharedIds.length === 0) return own;
  const shared = { terms: { file_id: sharedIds.map(checkedId) } };
  return { bool: { should: [own, shared], minimum_should_match: 1 } };
}

function range(gte: number | null, lte: number | null) {
  return { ...(gte === null ? {} : { gte }), ...(lte === null ? {} : { lte }) };
}
