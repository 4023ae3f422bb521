import { workerRpc } from '@overtone/contracts';
import { rpc, type Log, type Slice } from '@overtone/service-kit';
import type { WorkerEnv } from '../env.ts';
import { createEndpointFetch } from '../ports/endpoint-fetch.adapter.ts';
import { createWordVectoriser, type Vectoriser } from './embeddings.ts';
import { createOpenAiVectoriser } from './openai.adapter.ts';

type Deps = { env: WorkerEnv; childEnv: Record<string, string>; log: Log };

/** Serves the vectors of passages and of queries for search. */
export function createEmbeddingsSlice(deps: Deps): Slice {
  const { vectoriser, parts } = createVectoriser(deps);
  return {
    parts,
    rpcs: [
      rpc(workerRpc.embed, async ({ texts }) => {
        const { model, dim, vectors } = await vectoriser.embed(texts);
        return { model, dim, vectors: vectors.map(encode) };
      }),
    ],
  };
}

/** The configured vector server, else word vectors; never both, because their vectors are not comparable. */
function createVectoriser({ env, childEnv, log }: Deps): {
  vectoriser: Vectoriser;
  parts: NonNullable<Slice['parts']>;
} {
  const { EMBEDDINGS_OPENAI_BASE_URL: baseUrl, EMBEDDINGS_OPENAI_API_KEY: apiKey } = env;
  if (baseUrl) {
    const { fetchEndpoint, close } = createEndpointFetch();
    return {
      vectoriser: createOpenAiVectoriser({ baseUrl, apiKey, model: env.EMBEDDINGS_OPENAI_MODEL, fetchEndpoint }),
      parts: [{ name: 'vector server', start: async () => {}, stop: close }],
    };
  }
  const words = createWordVectoriser({ modelCacheDir: env.MODEL_CACHE_DIR, env: childEnv, log });
  return { vectoriser: words, parts: [words.part] };
}

function encode({ buffer, byteOffset, byteLength }: Float32Array): string {
  return Buffer.from(buffer, byteOffset, byteLength).toString('base64');
}
