import { createLog } from '@overtone/service-kit';
import { createWordVectoriser } from '@overtone/transcription-worker/embeddings';

/** The vectors of a fresh installation: the worker's word vectors, converted into the folder at the first use. */
export function embedderOf(folder: string) {
  const { PATH = '' } = process.env;
  const modelCacheDir = process.env['MODEL_CACHE_DIR'] ?? folder;
  const log = createLog('transcription-worker', { LOG_LEVEL: 'error', LOG_FORMAT: 'text' });
  return createWordVectoriser({ modelCacheDir, env: { PATH }, log }).embed;
}
