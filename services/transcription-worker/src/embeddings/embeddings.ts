import { join } from 'node:path';
import { wordVectorModel } from '@overtone/contracts';
import { unavailable, type Log } from '@overtone/service-kit';
import { createTaskChildren } from '../children/task-child.ts';
import type { TextModels } from '../text-models/text-models.ts';
import { commonDirection, vectorOf } from './word-vectoriser.ts';
import { readVectors, type WordVectors } from './vector-file.ts';

export type Embedded = { model: string; dim: number; vectors: Float32Array[] };
/** One model for documents and queries: only vectors of the same model are comparable. */
export type Vectoriser = {
  embed: (texts: readonly string[], kind: 'query' | 'document', model?: string) => Promise<Embedded>;
};

export type WordVectoriserOptions = { modelCacheDir: string; env: Record<string, string>; log: Log };

/** Word vectors, converted to a compact file in the model cache at the first use. */
export function createWordVectoriser({ modelCacheDir, env, log }: WordVectoriserOptions): Vectoriser {
  const path = join(modelCacheDir, 'word-vectors', `${wordVectorModel}.bin`);
  let loading: Promise<{ vectors: WordVectors; common: Float32Array }> | undefined;

  const load = async () => {
    let vectors = await readVectors(path);
    if (!vectors) {
      log.info({ path }, 'word vector file creation started');
      const children = createTaskChildren({
        script: new URL('./build-vectors.child.ts', import.meta.url),
        env,
        heapMb: 160,
        idleMs: 0,
        recycleAfter: 1,
      });
      await children.run({ input: { target: path }, timeoutMs: 300_000 });
      vectors = await readVectors(path);
    }
    if (!vectors) throw unavailable('model_invalid', 'The word vectors could not be prepared');
    return { vectors, common: commonDirection(vectors) };
  };

  const loaded = () => {
    loading ??= load();
    return loading.catch((err: unknown) => {
      loading = undefined;
      throw err;
    });
  };

  return {
    embed: async (texts) => {
      const { vectors, common } = await loaded();
      return {
        model: wordVectorModel,
        dim: vectors.dim,
        vectors: texts.map((text) => vectorOf(vectors, common, text)),
      };
    },
  };
}

/**
 * The installed sentence model. Word vectors where there is none, and where none is being fetched: its vectors would be made
 * again within minutes. A model that was replaced still serves the index that it made.
 */
export function createLocalVectoriser(
  sentences: Pick<TextModels, 'names' | 'embed'>,
  words: Vectoriser,
  isModelAwaited: () => Promise<boolean>,
): Vectoriser {
  return {
    embed: async (texts, kind, wanted) => {
      const installed = wanted === wordVectorModel ? [] : await sentences.names('sentences');
      const model = wanted ?? installed[0] ?? wordVectorModel;
      if (model !== wordVectorModel) return { model, ...(await sentences.embed(model, texts, kind)) };
      if (wanted === undefined && (await isModelAwaited()))
        throw unavailable('service_unavailable', 'The model for search by meaning is being fetched');
      return words.embed(texts, kind);
    },
  };
}
