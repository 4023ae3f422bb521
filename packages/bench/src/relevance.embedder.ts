import { wordVectorModel } from '@overtone/contracts';
import { createWordVectoriser, type Embedded, type Vectoriser } from '@overtone/transcription-worker/embeddings';
import { openTextModels, worker } from './text-models.ts';

/** As search-indexer does. */
const batchSize = 32;

export type Embedder = { model: string; embed: Vectoriser['embed'] };

/**
 * The vectors of a fresh installation: the worker's word vectors, converted into the folder at the first use. And those of
 * the sentence model in MODEL_CACHE_DIR, if one is installed.
 */
export async function openEmbedders(folder: string): Promise<{ embedders: Embedder[]; close: () => Promise<void> }> {
  const words = createWordVectoriser({ modelCacheDir: process.env['MODEL_CACHE_DIR'] ?? folder, ...worker() });
  const models = openTextModels(folder);
  const [installed] = await models.names('sentences');
  const embed: Vectoriser['embed'] = async (texts, kind) => {
    const model = installed ?? '';
    const found: Embedded = { model, dim: 0, vectors: [] };
    for (let start = 0; start < texts.length; start += batchSize) {
      const { dim, vectors } = await models.embed(model, texts.slice(start, start + batchSize), kind);
      found.dim = dim;
      found.vectors.push(...vectors);
    }
    return found;
  };
  return {
    embedders: [{ model: wordVectorModel, embed: words.embed }, ...(installed ? [{ model: installed, embed }] : [])],
    close: models.part.stop,
  };
}
