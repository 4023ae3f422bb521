import { describe, expect, it } from '@jest/globals';
import { manifestFromNames, manifestSchema, type Manifest, type Precision } from '@overtone/models';
import { tuningFor } from '../gpu/tuning.ts';
import { canaryTask, diarizationConfig, longestChunk, paddedSeconds, providerOf, recognizerConfig } from './config.ts';
import type { Model } from '../models/models.ts';

function modelOf(manifest: Manifest): Model {
  return { manifest, folder: '/m/x', fingerprint: '', state: 'canary-ok', why: null };
}

function named(
  id: string,
  names: string[],
  kind: 'asr' | 'vad' | 'segmentation' | 'embedding' = 'asr',
  precision: Precision = 'int8',
): Manifest {
  const manifest = manifestFromNames(kind, id, names, precision);
  if (!manifest) throw new Error('not recognised');
  return manifest;
}

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

const listening = { threshold: 0.5, minSpeech: 0.25, minSilence: 0.5 };

describe('recognising archives by their files', () => {
  it('distinguishes the model families', () => {
    expect([parakeet.family, whisper.family, zipformer.family]).toEqual(['nemo-transducer', 'whisper', 'zipformer']);
  });

  it('recognises a Whisper model of CTranslate2, also with a vocabulary in JSON', () => {
    const names = ['config.json', 'model.bin', 'tokenizer.json', 'vocabulary.txt', 'README.md'];
    expect(named('faster-whisper-tiny.en', names)).toMatchObject({
      family: 'faster-whisper',
      langs: ['en'],
      files: { vocabulary: { path: 'vocabulary.txt' } },
    });
    const large = ['config.json', 'model.bin', 'preprocessor_config.json', 'tokenizer.json', 'vocabulary.json'];
    expect(named('large', large).files).toMatchObject({
      vocabulary: { path: 'vocabulary.json' },
      preprocessor: { path: 'preprocessor_config.json' },
    });
  });

  it('prefers the eight-bit files', () => {
    expect(whisper.files['encoder']?.path).toBe('tiny.en-encoder.int8.onnx');
  });

  it.each([
    ['int8', 'a-encoder.int8.onnx'],
    ['int8_float16', 'a-encoder.int8.onnx'],
    ['float16', 'a-encoder.fp16.onnx'],
    ['float32', 'a-encoder.onnx'],
  ] as const)('takes the files of the compute type %s where there are several', (type, file) => {
    const names = ['a-encoder.onnx', 'a-encoder.int8.onnx', 'a-encoder.fp16.onnx', 'a-decoder.onnx', 'a-tokens.txt'];
    const { files } = named('whisper-a', names, 'asr', type);
    expect([files['encoder']?.path, files['decoder']?.path]).toEqual([file, 'a-decoder.onnx']);
  });

  it('uses available files when those of the compute type are missing', () => {
    const names = ['a-encoder.int8.onnx', 'a-decoder.int8.onnx', 'a-tokens.txt'];
    expect(named('whisper-a', names, 'asr', 'float32').files['encoder']?.path).toBe('a-encoder.int8.onnx');
  });

  it('recognises an English model by its name', () => {
    expect(whisper.langs).toEqual(['en']);
    expect(parakeet.langs).toEqual([]);
  });

  it('recognises nothing when a required file is missing', () => {
    expect(manifestFromNames('asr', 'x', ['encoder.onnx', 'tokens.txt'], 'int8')).toBeUndefined();
    expect(manifestFromNames('vad', 'x', ['readme.md'], 'int8')).toBeUndefined();
  });

  it.each(['../etc/passwd', '/etc/passwd', 'a/../../b'])('rejects a manifest that points to %s', (path) => {
    const manifest = { id: 'x', kind: 'vad', family: 'silero-vad', files: { model: { path } } };
    expect(manifestSchema.safeParse(manifest).success).toBe(false);
  });
});

const cpu = { numThreads: 1, provider: 'cpu' as const };
const onCpu = tuningFor(undefined, 'x', { batchSize: 'auto', computeType: 'auto', hybrid: 'auto' });

describe('configuration', () => {
  it('sets the model type only for NeMo transducers', () => {
    expect(recognizerConfig(modelOf(parakeet), { ...cpu, numThreads: 2, language: null }).modelConfig).toMatchObject({
      modelType: 'nemo_transducer',
      numThreads: 2,
      tokens: '/m/x/tokens.txt',
      transducer: { joiner: '/m/x/joiner.int8.onnx' },
    });
    expect(recognizerConfig(modelOf(zipformer), { ...cpu, language: null }).modelConfig).not.toHaveProperty(
      'modelType',
    );
  });

  it('requests segment times from whisper, and passes the language only to multilingual models', () => {
    expect(recognizerConfig(modelOf(whisper), { ...cpu, language: 'de' }).modelConfig).toMatchObject({
      whisper: { language: 'en', enableSegmentTimestamps: 1, tailPaddings: 50 },
    });
    const all = modelOf({ ...whisper, langs: [] });
    expect(recognizerConfig(all, { ...cpu, language: 'de-AT' }).modelConfig).toMatchObject({
      whisper: { language: 'de', tailPaddings: 300 },
    });
  });

  it('pads a chunk for whisper with silence, to less than 30 seconds and to eight tokens for each second of speech', () => {
    const config = recognizerConfig(modelOf(whisper), { ...cpu, language: null });
    for (const seconds of [0.3, 4, 10, longestChunk(modelOf(whisper))]) {
      const padded = paddedSeconds(config, seconds);
      expect(padded).toBeLessThan(30);
      expect(padded * 6).toBeGreaterThan(seconds * 8);
    }
    expect(paddedSeconds(config, 0.3)).toBe(8);
  });

  it('sets the number of speakers only when it is known', () => {
    const segmentation = modelOf(named('pyannote', ['model.int8.onnx'], 'segmentation'));
    const embedding = modelOf(named('titanet', ['nemo_en_titanet_small.onnx'], 'embedding'));
    const config = (speakers: number | null): number =>
      diarizationConfig({ segmentation, embedding }, { ...cpu, speakers }).clustering.numClusters;
    expect([config(null), config(3)]).toEqual([-1, 3]);
    expect(canaryTask(embedding, onCpu, listening)).toMatchObject({
      task: 'load-embedding',
      config: { model: '/m/x/nemo_en_titanet_small.onnx', provider: 'cpu' },
    });
  });

  it('runs each model on its tuned processor', () => {
    const segmentation = modelOf(named('pyannote', ['model.onnx'], 'segmentation'));
    const embedding = modelOf(named('titanet', ['nemo_en_titanet_small.onnx'], 'embedding'));
    const hybrid = { ...onCpu, diarize_on: 'gpu' as const, hybrid: true };
    expect(canaryTask(modelOf(whisper), hybrid, listening)?.config).toMatchObject({ modelConfig: { provider: 'cpu' } });
    expect(canaryTask(embedding, hybrid, listening)?.config).toMatchObject({ provider: 'cuda' });
    const use = { ...cpu, provider: providerOf('gpu'), speakers: null };
    expect(diarizationConfig({ segmentation, embedding }, use)).toMatchObject({
      segmentation: { provider: 'cuda' },
      embedding: { provider: 'cuda' },
    });
  });
});
