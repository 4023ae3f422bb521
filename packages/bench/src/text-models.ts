import { createLog } from '@overtone/service-kit';
import { createTextModels } from '@overtone/transcription-worker/text-models';

/** The models of text in MODEL_CACHE_DIR. */
export function openTextModels(folder: string) {
  return createTextModels({
    modelCacheDir: process.env['MODEL_CACHE_DIR'] ?? folder,
    allowUnverified: false,
    ...worker(),
  });
}

/** Environment and log of the worker's children. */
export function worker() {
  const { PATH = '' } = process.env;
  return { env: { PATH }, log: createLog('transcription-worker', { LOG_LEVEL: 'error', LOG_FORMAT: 'text' }) };
}
