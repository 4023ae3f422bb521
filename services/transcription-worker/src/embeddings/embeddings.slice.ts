import { workerRpc } from '@overtone/contracts';
import { readSpeechSetup } from '@overtone/models';
import { rpc, type Log, type Part, type Slice } from '@overtone/service-kit';
import { encodeVector } from '@overtone/service-kit/vectors';
import type { WorkerEnv } from '../env.ts';
import { createEndpointFetch } from '../ports/endpoint-fetch.adapter.ts';
import type { TextModels } from '../text-models/text-models.ts';
import { createLocalVectoriser, createWordVectoriser, type Vectoriser } from './embeddings.ts';
import { createOpenAiVectoriser } from './openai.adapter.ts';

type Deps = { env: WorkerEnv; childEnv: Record<string, string>; textModels: TextModels; log: Log };

/** Serves the vectors of passages and of queries for search, and the names of people in texts. */
export function createEmbeddingsSlice(deps: Deps): Slice {
  const { vectoriser, parts } = createVectoriser(deps);
  return {
    parts,
    rpcs: [
      rpc(workerRpc.embed, async ({ texts, kind, model: wanted }) => {
        const { model, dim, vectors } = await vectoriser.embed(texts, kind, wanted);
        return { model, dim, vectors: vectors.map(encodeVector) };
      }),
      rpc(workerRpc.namesModel, async () => ({ model: (await deps.textModels.names('names'))[0] ?? null })),
      rpc(workerRpc.findNames, async ({ model, texts }) => ({ names: await deps.textModels.findNames(model, texts) })),
    ],
  };
}

/** The configured vector server, else the installed sentence model or word vectors: their vectors are not comparable. */
function createVectoriser({ env, childEnv, textModels, log }: Deps): {
  vectoriser: Vectoriser;
  parts: NonNullable<Slice['parts']>;
} {
  const { EMBEDDINGS_OPENAI_BASE_URL: baseUrl, EMBEDDINGS_OPENAI_API_KEY: apiKey } = env;
  if (baseUrl) {
    const { fetchEndpoint, close } = createEndpointFetch();
    return {
      vectoriser: createOpenAiVectoriser({ baseUrl, apiKey, model: env.EMBEDDINGS_OPENAI_MODEL, fetchEndpoint }),
      parts: [{ name: 'vector server', start: async () => {}, stop: close }, textModels.part],
    };
  }
  const words = createWordVectoriser({ modelCacheDir: env.MODEL_CACHE_DIR, env: childEnv, log });
  const isModelAwaited = async (): Promise<boolean> =>
    (await readSpeechSetup(env.MODEL_CACHE_DIR))?.state === 'running';
  const prepareWords = async (): Promise<void> => {
    if ((await textModels.names('sentences')).length === 0 && !(await isModelAwaited()))
      await words.embed([], 'document');
  };
  const wordVectors: Part = {
    name: 'word vectors',
    // Not awaited: the first start converts them while the first recording is transcribed.
    start: async () =>
      void prepareWords().catch((err: unknown) => log.warn({ err: err as Error }, 'word vector load failed')),
    stop: async () => {},
  };
  return {
    vectoriser: createLocalVectoriser(textModels, words, isModelAwaited),
    parts: [wordVectors, textModels.part],
  };
}
