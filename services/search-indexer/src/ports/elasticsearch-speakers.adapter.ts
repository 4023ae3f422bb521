import { Client } from '@elastic/elasticsearch';
import type { VoiceVersion } from '@overtone/contracts';
import { unavailable } from '@overtone/service-kit';
import { checkedId } from './search-index.ts';
import { assertDimension, tableOf, versionOf, type SpeakerIndex } from './speaker-index.ts';

type Stored = { speaker_id: string; file_id: string; owner_id: string; seconds: number; embedding: number[] };
type Options = { url: string; apiKey?: string | undefined; prefix: string };

const pageSize = 1_000;

/** The speaker index in a search server: an index with a dense vector per version, a document per speaker. */
export function createElasticSpeakers({ url, apiKey, prefix }: Options): SpeakerIndex {
  const auth = apiKey ? { auth: { apiKey } } : {};
  const client = new Client({ node: url, ...auth, requestTimeout: 10_000, maxRetries: 1 });
  const indexOf = (version: VoiceVersion): string => `${prefix}-${tableOf(version)}`;
  const exists = (version: VoiceVersion): Promise<boolean> => client.indices.exists({ index: indexOf(version) });
  const drop = async (version: VoiceVersion): Promise<void> =>
    void (await client.indices.delete({ index: indexOf(version), ignore_unavailable: true }));
  const create = async (version: VoiceVersion): Promise<void> => {
    await drop(version);
    await client.indices.create({ index: indexOf(version), mappings: mappingsOf(version) });
  };

  const idsOf = async (index: string, fileId: string): Promise<string[]> => {
    const query = { term: { file_id: checkedId(fileId) } };
    const { hits } = await client.search({ index, size: pageSize, _source: false, query });
    return hits.hits.map((hit) => String(hit._id));
  };

  return {
    create,
    drop,
    replaceFile: async (version, fileId, rows) => {
      assertDimension(version, rows);
      if (!(await exists(version))) {
        if (rows.length === 0) return;
        await create(version);
      }
      const index = indexOf(version);
      const kept = new Set(rows.map(({ speakerId }) => speakerId));
      const old = (await idsOf(index, fileId)).filter((id) => !kept.has(id));
      const operations = [
        ...rows.flatMap(({ speakerId, ownerId, seconds, vector }) => [
          { index: { _id: speakerId } },
          { speaker_id: speakerId, file_id: fileId, owner_id: ownerId, seconds, embedding: Array.from(vector) },
        ]),
        ...old.map((_id) => ({ delete: { _id } })),
      ];
      if (operations.length === 0) return;
      const { items } = await client.bulk<Stored>({ index, operations, refresh: true });
      const failed = items.find((item) => item.index?.error);
      if (failed) throw unavailable('search_unavailable', 'The search server refused an embedding', { cause: failed });
    },
    read: async (version, speakerIds) => {
      if (speakerIds.length === 0 || !(await exists(version))) return [];
      const { docs } = await client.mget<Stored>({ index: indexOf(version), ids: speakerIds.map(checkedId) });
      return docs.flatMap((doc) => {
        if (!('_source' in doc) || !doc._source) return [];
        const { file_id: fileId, owner_id: ownerId, seconds, embedding } = doc._source;
        return [{ speakerId: doc._id, fileId, ownerId, seconds, vector: Float32Array.from(embedding) }];
      });
    },
    countByFile: async (version) => {
      const counts = new Map<string, number>();
      if (!(await exists(version))) return counts;
      const sort = [{ file_id: 'asc' as const }, { speaker_id: 'asc' as const }];
      let after: { search_after?: (string | number)[] } = {};
      for (;;) {
        const page = await client.search<Stored>({ index: indexOf(version), size: pageSize, sort, ...after });
        for (const { _source } of page.hits.hits)
          if (_source) counts.set(_source.file_id, (counts.get(_source.file_id) ?? 0) + 1);
        const last = page.hits.hits.at(-1)?.sort as (string | number)[] | undefined;
        if (page.hits.hits.length < pageSize || !last) return counts;
        after = { search_after: last };
      }
    },
    close: () => client.close(),
  };
}

function mappingsOf(version: VoiceVersion) {
  const { dimension } = versionOf(version);
  return {
    dynamic: 'strict' as const,
    properties: {
      speaker_id: { type: 'keyword' as const },
      file_id: { type: 'keyword' as const },
      owner_id: { type: 'keyword' as const },
      seconds: { type: 'float' as const },
      embedding: { type: 'dense_vector' as const, dims: dimension, index: true, similarity: 'cosine' as const },
    },
  };
}
