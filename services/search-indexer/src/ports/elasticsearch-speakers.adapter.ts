import type { VoiceVersion } from '@overtone/contracts';
import { createElasticClient, type ElasticOptions } from './elasticsearch-client.ts';
import { createReplaceDocuments, expungeDeleted } from './elasticsearch-writes.ts';
import { checkedId } from './search-index.ts';
import { assertDimension, tableOf, versionOf, type SpeakerIndex, type VoiceRow } from './speaker-index.ts';

type Stored = { speaker_id: string; file_id: string; seconds: number };

const pageSize = 1_000;

/** The speaker index in a search server: an index with a dense vector per version, a document per speaker. */
export function createElasticSpeakers(options: ElasticOptions): SpeakerIndex {
  const client = createElasticClient(options);
  const replaceDocuments = createReplaceDocuments(client, options.retryDelaysMs);
  const indexOf = (version: VoiceVersion): string => `${options.prefix}-${tableOf(version)}`;
  const exists = (version: VoiceVersion): Promise<boolean> => client.indices.exists({ index: indexOf(version) });
  const drop = async (version: VoiceVersion): Promise<void> =>
    void (await client.indices.delete({ index: indexOf(version), ignore_unavailable: true }));
  const create = async (version: VoiceVersion): Promise<void> => {
    await drop(version);
    const settings = { number_of_shards: options.shards, number_of_replicas: options.replicas };
    await client.indices.create({ index: indexOf(version), settings, mappings: mappingsOf(version) });
  };

  /** Newer servers leave vectors out of the stored document; as a field, all versions return them. */
  const readPage = async (index: string, speakerIds: readonly string[]): Promise<VoiceRow[]> => {
    const query = { ids: { values: speakerIds.map(checkedId) } };
    const { hits } = await client.search<Stored>({ index, query, fields: ['embedding'], size: pageSize });
    return hits.hits.flatMap(({ _id, _source, fields }) => {
      if (_id === undefined || !_source) return [];
      const { file_id: fileId, seconds } = _source;
      return [{ speakerId: _id, fileId, seconds, vector: Float32Array.from(fields?.['embedding'] as number[]) }];
    });
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
      const documents = rows.map(({ speakerId, seconds, vector }): [string, object] => [
        speakerId,
        { speaker_id: speakerId, file_id: fileId, seconds, embedding: Array.from(vector) },
      ]);
      await replaceDocuments(indexOf(version), fileId, new Map(documents));
    },
    read: async (version, speakerIds) => {
      if (speakerIds.length === 0 || !(await exists(version))) return [];
      const found: VoiceRow[] = [];
      for (let at = 0; at < speakerIds.length; at += pageSize)
        found.push(...(await readPage(indexOf(version), speakerIds.slice(at, at + pageSize))));
      return found;
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
    purge: (versions) => expungeDeleted(client, versions.map(indexOf)),
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
      seconds: { type: 'float' as const },
      // Read and compared here, never searched by the server.
      embedding: { type: 'dense_vector' as const, dims: dimension, index: false },
    },
  };
}
