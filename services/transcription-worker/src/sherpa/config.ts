import { join } from 'node:path';
import type { EngineTuning, SpeechTask } from '@overtone/contracts';
import type { Model } from '../models/models.ts';

export type RecognizerConfig = ReturnType<typeof recognizerConfig>;
export type VadConfig = ReturnType<typeof vadConfig>;
export type DiarizationConfig = ReturnType<typeof diarizationConfig>;
export type EmbeddingConfig = DiarizationConfig['embedding'];

/** sherpa-onnx' names of the processors. */
type Use = { numThreads: number; provider: 'cpu' | 'cuda' };

/** Whisper drops everything beyond 30 s of a stream, with the silence of `paddedSeconds`; other models only become slow. */
export function longestChunk(model: Model): number {
  return model.manifest.family === 'whisper' ? 20 : 45;
}

/**
 * The length of a chunk with silence at its end. sherpa-onnx gives Whisper six tokens for each second of the stream,
 * which cuts short and fast speech.
 */
export function paddedSeconds({ modelConfig }: Pick<RecognizerConfig, 'modelConfig'>, seconds: number): number {
  return 'whisper' in modelConfig ? Math.max(seconds, Math.min(29, Math.max(8, seconds * 2))) : seconds;
}

/** The processor by the worker's tuning. */
export function providerOf(on: EngineTuning['transcribe_on']): Use['provider'] {
  return on === 'gpu' ? 'cuda' : 'cpu';
}

function shared(model: Model, { numThreads, provider }: Use): Record<string, unknown> {
  return { tokens: fileOf(model, 'tokens'), numThreads, provider, debug: 0 };
}

/** The used part of sherpa-onnx' configuration. */
export function recognizerConfig(
  model: Model,
  { language, task = 'transcribe', ...use }: Use & { language: string | null; task?: SpeechTask },
) {
  const [encoder, decoder] = [fileOf(model, 'encoder'), fileOf(model, 'decoder')];
  const base = { featConfig: { sampleRate: 16_000, featureDim: 80 }, decodingMethod: 'greedy_search' as const };
  if (model.manifest.family === 'whisper') {
    // English-only models take no language; tail padding as sherpa-onnx recommends for each kind.
    const english = model.manifest.langs.length === 1 && model.manifest.langs[0] === 'en';
    const whisper = {
      encoder,
      decoder,
      language: english ? 'en' : (language?.slice(0, 2) ?? ''),
      task,
      tailPaddings: english ? 50 : 300,
      enableSegmentTimestamps: 1,
    };
    return { ...base, modelConfig: { ...shared(model, use), whisper } };
  }
  const transducer = { encoder, decoder, joiner: fileOf(model, 'joiner') };
  const modelType = model.manifest.family === 'nemo-transducer' ? { modelType: 'nemo_transducer' } : {};
  return { ...base, modelConfig: { ...shared(model, use), ...modelType, transducer } };
}

/** When a sound counts as speech, and what separates two stretches of it; in seconds. */
export type VadUse = { threshold: number; minSpeech: number; minSilence: number };

export function vadConfig(model: Model, { threshold, minSpeech, minSilence }: VadUse) {
  return {
    sileroVad: {
      model: fileOf(model, 'model'),
      threshold,
      minSpeechDuration: minSpeech,
      minSilenceDuration: minSilence,
      maxSpeechDuration: 20,
      windowSize: 512,
    },
    sampleRate: 16_000,
    numThreads: 1,
  };
}

export function diarizationConfig(
  { segmentation, embedding }: { segmentation: Model; embedding: Model },
  { speakers, ...use }: Use & { speakers: number | null },
) {
  return {
    segmentation: { pyannote: { model: fileOf(segmentation, 'model'), windowShiftRatio: 0.2 }, ...use },
    embedding: { model: fileOf(embedding, 'model'), ...use },
    clustering: { numClusters: speakers ?? -1, threshold: 0.5 },
    minDurationOn: 0.2,
    minDurationOff: 0.5,
  };
}

/** Configuration of a model's test load. A segmentation model is tested with its embedding model. */
export function canaryTask(
  model: Model,
  tuning: EngineTuning,
  vad: VadUse,
): { task: string; config: unknown } | undefined {
  const provider = providerOf(model.manifest.kind === 'asr' ? tuning.transcribe_on : tuning.diarize_on);
  const use = { numThreads: 1, provider };
  switch (model.manifest.kind) {
    case 'asr':
      return { task: 'load-recognizer', config: recognizerConfig(model, { ...use, language: null }) };
    case 'vad':
      return { task: 'load-vad', config: vadConfig(model, vad) };
    case 'embedding':
      return { task: 'load-embedding', config: { model: fileOf(model, 'model'), ...use } };
    case 'segmentation':
    // Models of text are no models of sherpa-onnx.
    case 'sentences':
    case 'names':
      return undefined;
    default:
      return model.manifest.kind satisfies never;
  }
}

export function fileOf(model: Model, role: string): string {
  return join(model.folder, model.manifest.files[role]?.path ?? '');
}
