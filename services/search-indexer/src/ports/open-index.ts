import type { Log } from '@overtone/service-kit';
import type { IndexerEnv } from '../env.ts';
import type { ElasticOptions } from './elasticsearch-client.ts';
import type { SearchIndex } from './search-index.ts';
import type { SpeakerIndex } from './speaker-index.ts';

/** Opens the configured search server, else the embedded index. Loads only the module in use. */
export async function openIndex(env: IndexerEnv, log: Log): Promise<SearchIndex> {
  if (env.ELASTICSEARCH_URL) {
    const { createElasticIndex } = await import('./elasticsearch.adapter.ts');
    return createElasticIndex(elasticOptionsOf(env, env.ELASTICSEARCH_URL));
  }
  const { createLanceIndex } = await import('./lancedb.adapter.ts');
  return createLanceIndex({ ...lanceFolderOf(env), log });
}

/** Opens the speaker index in the same place as the text index. */
export async function openSpeakerIndex(env: IndexerEnv): Promise<SpeakerIndex> {
  if (env.ELASTICSEARCH_URL) {
    const { createElasticSpeakers } = await import('./elasticsearch-speakers.adapter.ts');
    return createElasticSpeakers(elasticOptionsOf(env, env.ELASTICSEARCH_URL));
  }
  const { createLanceSpeakers } = await import('./lancedb-speakers.adapter.ts');
  return createLanceSpeakers(lanceFolderOf(env));
}

function lanceFolderOf({ LANCEDB_DIR: directory, LANCEDB_REQUIRES_MARKER: requiresMarker }: IndexerEnv) {
  return { directory, requiresMarker };
}

function elasticOptionsOf(env: IndexerEnv, url: string): ElasticOptions {
  return {
    url,
    apiKey: env.ELASTICSEARCH_API_KEY,
    caFile: env.ELASTICSEARCH_CA_FILE,
    prefix: env.ELASTICSEARCH_INDEX_PREFIX,
    shards: env.ELASTICSEARCH_SHARDS,
    replicas: env.ELASTICSEARCH_REPLICAS,
  };
}
