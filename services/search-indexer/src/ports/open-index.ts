import type { Log } from '@overtone/service-kit';
import type { IndexerEnv } from '../env.ts';
import type { SearchIndex } from './search-index.ts';
import type { SpeakerIndex } from './speaker-index.ts';

/** Opens the configured search server, else the embedded index. Loads only the module in use. */
export async function openIndex(env: IndexerEnv, log: Log): Promise<SearchIndex> {
  if (env.ELASTICSEARCH_URL) {
    const { createElasticIndex } = await import('./elasticsearch.adapter.ts');
    return createElasticIndex({
      url: env.ELASTICSEARCH_URL,
      apiKey: env.ELASTICSEARCH_API_KEY,
      prefix: env.ELASTICSEARCH_INDEX_PREFIX,
    });
  }
  const { createLanceIndex } = await import('./lancedb.adapter.ts');
  return createLanceIndex({ directory: env.LANCEDB_DIR, log });
}

/** Opens the speaker index in the same place as the text index. */
export async function openSpeakerIndex(env: IndexerEnv): Promise<SpeakerIndex> {
  if (env.ELASTICSEARCH_URL) {
    const { createElasticSpeakers } = await import('./elasticsearch-speakers.adapter.ts');
    return createElasticSpeakers({
      url: env.ELASTICSEARCH_URL,
      apiKey: env.ELASTICSEARCH_API_KEY,
      prefix: env.ELASTICSEARCH_INDEX_PREFIX,
    });
  }
  const { createLanceSpeakers } = await import('./lancedb-speakers.adapter.ts');
  return createLanceSpeakers({ directory: env.LANCEDB_DIR });
}
