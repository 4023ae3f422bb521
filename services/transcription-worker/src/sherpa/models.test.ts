import { describe, expect, it } from '@jest/globals';
import { canaryTask, diarizationConfig, longestChunk, recognizerConfig } from './config.ts';
import type { Model } from './model-store.ts';
import { manifestFromNames, manifestSchema, type Manifest } from './models.ts';

const modelOf = (manifest: Manifest): Model => ({
  manifest,
  folder: '/m/x',
  fingerprint: '',
  state: 'canary-ok',
  why: null,
});
const named = (id: string, names: string[], kind: 'asr' | 'vad' | 'segmentation' | 'embedding' = 'asr'): Manifest => {
  const manifest = manifestFromNames(kind, id, names);
  if (!manifest) throw new Error('not recognised');
  return manifest;
};
const parakeet = named('sherpa-onnx-nemo-parakeet-tdt-0.6b-v3-int8', [
  'encoder.int8.onnx',
  'decoder.int8.onnx',
  'joiner.int8.onnx',
  'tokens.txt',
]);
const whisper = named('sherpa-onnx-whisper-tiny.en', [
  'tiny.en-encoder.onnx',
  'tiny.en-encoder.int8.onnx',
  'tiny.en-decoder.int8.onnx',
  'tiny.en-tokens.txt',
]);
const zipformer = named('sherpa-onnx-zipformer-en-2023-06-26', [
  'encoder-epoch-99-avg-1.onnx',
  'decoder-epoch-99-avg-1.onnx',
  'joiner-epoch-99-avg-1.onnx',
  'tokens.txt',
]);

describe('recognising archives by their files', () => {
  it('tells the families apart', () => {
    expect([parakeet.family, whisper.family, zipformer.family]).toEqual(['nemo-transducer', 'whisper', 'zipformer']);
  });

  it('prefers the eight-bit files', () => {
    expect(whisper.files['encoder']?.path).toBe('tiny.en-encoder.int8.onnx');
  });

  it('knows that a model is English by its name', () => {
    expect(whisper.langs).toEqual(['en']);
    expect(parakeet.langs).toEqual([]);
  });

  it('recognises nothing where a part is missing', () => {
    expect(manifestFromNames('asr', 'x', ['encoder.onnx', 'tokens.txt'])).toBeUndefined();
    expect(manifestFromNames('vad', 'x', ['readme.md'])).toBeUndefined();
  });

  it.each(['../etc/passwd', '/etc/passwd', 'a/../../b'])('refuses a manifest that points to %s', (path) => {
    const manifest = { id: 'x', kind: 'vad', family: 'silero-vad', files: { model: { path } } };
    expect(manifestSchema.safeParse(manifest).success).toBe(false);
  });
});

describe('configuration', () => {
  it('names the type of NeMo transducers and not of others', () => {
    expect(recognizerConfig(modelOf(parakeet), { numThreads: 2, language: null }).modelConfig).toMatchObject({
      modelType: 'nemo_transducer',
      numThreads: 2,
      tokens: '/m/x/tokens.txt',
      transducer: { joiner: '/m/x/joiner.int8.onnx' },
    });
    expect(recognizerConfig(modelOf(zipformer), { numThreads: 1, language: null }).modelConfig).not.toHaveProperty(
      'modelType',
    );
  });

  it('asks whisper for segment times and passes the language only to models that know several', () => {
    expect(recognizerConfig(modelOf(whisper), { numThreads: 1, language: 'de' }).modelConfig).toMatchObject({
      whisper: { language: 'en', enableSegmentTimestamps: 1, tailPaddings: 50 },
    });
    const all = modelOf({ ...whisper, langs: [] });
    expect(recognizerConfig(all, { numThreads: 1, language: 'de-AT' }).modelConfig).toMatchObject({
      whisper: { language: 'de', tailPaddings: 300 },
    });
  });

  it('never gives whisper a chunk beyond its 30 seconds', () => {
    expect(longestChunk(modelOf(whisper))).toBeLessThan(30);
  });

  it('fixes the number of speakers only when it is known', () => {
    const segmentation = modelOf(named('pyannote', ['model.int8.onnx'], 'segmentation'));
    const embedding = modelOf(named('titanet', ['nemo_en_titanet_small.onnx'], 'embedding'));
    const config = (speakers: number | null): number =>
      diarizationConfig({ segmentation, embedding }, { numThreads: 1, speakers }).clustering.numClusters;
    expect([config(null), config(3)]).toEqual([-1, 3]);
    expect(canaryTask(embedding)).toMatchObject({
      task: 'load-embedding',
      config: { model: '/m/x/nemo_en_titanet_small.onnx' },
    });
  });
});
