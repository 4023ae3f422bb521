import { createHash, randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { sherpaFamilies, verifyModel } from '@overtone/models';
import { waitFor } from '@overtone/testkit';
import { childrenOf } from '../../test/processes.ts';
import { wavHeader } from '../audio/wav.ts';
import { createNeuralDiarizer } from './diarizer.adapter.ts';
import { childEnvironment } from '../env.ts';
import { createModelStore, type Model } from '../models/models.ts';
import { createSherpaEngine, crashOf } from './engine.adapter.ts';
import { createProcessors } from '../gpu/gpu.ts';
import { createSherpaRuntime, type SherpaOptions, type SherpaRuntime } from './runtime.ts';

function wishes() {
  return { batchSize: 'auto', computeType: 'auto', hybrid: 'auto' } as const;
}
const use = {
  threads: 1,
  concurrency: 1,
  largestBatch: 1,
  recycleAfter: 100,
  vad: { threshold: 0.5, minSpeech: 0.25, minSilence: 0.5 },
};
let cache = '';
let runtime: SherpaRuntime;

function startRuntime(more: Partial<SherpaOptions> = {}): SherpaRuntime {
  const probe = { look: () => Promise.resolve({ devices: [], note: 'none' }) };
  return createSherpaRuntime({
    modelCacheDir: cache,
    allowUnverified: false,
    env: childEnvironment(),
    processors: createProcessors({ probe, wishes }),
    use: () => use,
    pool: 'prefork',
    idleMs: 0,
    ...more,
  });
}
beforeEach(async () => {
  cache = await mkdtemp(join(tmpdir(), 'models-'));
  runtime = startRuntime();
});
afterEach(() => rm(cache, { recursive: true, force: true }));

async function put(kind: string, id: string, files: Record<string, string | Buffer>): Promise<string> {
  const folder = join(cache, kind, id);
  await mkdir(folder, { recursive: true });
  for (const [name, content] of Object.entries(files)) await writeFile(join(folder, name), content);
  return folder;
}

function manifest(files: Record<string, { path: string; sha256?: string; bytes?: number }>): string {
  return JSON.stringify({ id: 'tiny', kind: 'asr', family: 'whisper', files, langs: ['en'] });
}

const corrupt = {
  'encoder.onnx': randomBytes(4096),
  'decoder.onnx': randomBytes(4096),
  'joiner.onnx': randomBytes(4096),
  'tokens.txt': '<blk> 0\na 1\n',
};

async function only(): Promise<Model> {
  const [model] = await runtime.models.look();
  if (!model) throw new Error('no model was found');
  return model;
}

describe('models in the cache', () => {
  it('reports that there is none', async () => {
    expect(await createSherpaEngine(runtime).check()).toEqual({ ready: false, why: 'No speech model is installed' });
  });

  it('rejects a model that aborts its process, and survives', async () => {
    await put('asr', 'zipformer-broken', corrupt);
    await verifyModel(cache, 'zipformer-broken');
    const model = await only();
    expect(model.state).toBe('refused');
    expect(model.why).toMatch(/does not load: the child process ended with/);
    const state = await createSherpaEngine(runtime).check();
    expect(state).toMatchObject({ ready: false, why: expect.stringContaining('zipformer-broken') });
  });

  it('rejects a file with a wrong hash or size, and a missing one', async () => {
    const bytes = randomBytes(1000);
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    const right = { path: 'd.onnx', sha256, bytes: 1000 };
    const cases: [Record<string, { path: string; sha256?: string; bytes?: number }>, RegExp][] = [
      [
        { encoder: { path: 'e.onnx', sha256: 'a'.repeat(64) }, decoder: right, tokens: { path: 't.txt' } },
        /e\.onnx.*SHA-256 differs/,
      ],
      [{ encoder: { path: 'e.onnx', bytes: 7 }, decoder: right, tokens: { path: 't.txt' } }, /1000 bytes, not 7/],
      [{ encoder: { path: 'gone.onnx' }, decoder: right, tokens: { path: 't.txt' } }, /gone\.onnx.*missing/],
      [{ encoder: right, tokens: { path: 't.txt' } }, /names no decoder/],
    ];
    for (const [files, why] of cases) {
      await put('asr', 'tiny', { 'manifest.json': manifest(files), 'e.onnx': bytes, 'd.onnx': bytes, 't.txt': 'x' });
      expect(await only()).toMatchObject({ state: 'refused', why: expect.stringMatching(why) });
    }
  });

  it('rejects an unreadable manifest', async () => {
    await put('asr', 'tiny', { 'manifest.json': '{"id":', 'x-encoder.onnx': 'x' });
    expect(await only()).toMatchObject({ state: 'refused', why: 'its manifest.json cannot be read' });
  });

  it('checks a model once, and again when a file has changed', async () => {
    const folder = await put('asr', 'good', corrupt);
    let loads = 0;
    const store = createModelStore({
      cacheDir: cache,
      kinds: ['asr'],
      families: sherpaFamilies,
      allowUnverified: true,
      tuningOf: runtime.processors.tuningOf,
      canary: async () => {
        loads += 1;
      },
    });
    expect((await store.look())[0]?.state).toBe('canary-ok');
    await store.look();
    expect(loads).toBe(1);
    await utimes(join(folder, 'encoder.onnx'), 1, 1);
    await store.look();
    expect(loads).toBe(2);
  });
});

describe('a model of another engine', () => {
  it('is neither loaded nor refused by sherpa-onnx', async () => {
    const folder = join(cache, 'asr', 'faster-whisper-base');
    await mkdir(folder, { recursive: true });
    for (const name of ['model.bin', 'config.json', 'tokenizer.json', 'vocabulary.txt'])
      await writeFile(join(folder, name), 'x');
    runtime = startRuntime();
    expect(await runtime.models.look()).toEqual([]);
  });
});

describe('a model that fails during recognition', () => {
  it('fails with the end of stderr and is retryable', async () => {
    const folder = await put('asr', 'zipformer-broken', corrupt);
    const config = {
      featConfig: { sampleRate: 16_000, featureDim: 80 },
      modelConfig: {
        tokens: join(folder, 'tokens.txt'),
        transducer: {
          encoder: join(folder, 'encoder.onnx'),
          decoder: join(folder, 'decoder.onnx'),
          joiner: join(folder, 'joiner.onnx'),
        },
      },
    };
    const crash: unknown = await runtime.recognizers
      .run({ input: { task: 'load-recognizer', config }, timeoutMs: 30_000 })
      .catch((err: unknown) => err);
    expect(crashOf(crash)).toMatchObject({
      code: 'engine_crashed',
      permanent: false,
      detail: expect.stringMatching(/\S/),
    });
  });

  it('falls back to acoustic diarization, with the reason', async () => {
    const wav = join(cache, 'a.wav');
    await writeFile(wav, Buffer.concat([wavHeader(32_000), Buffer.alloc(32_000)]));
    const model = (kind: 'segmentation' | 'embedding'): Model => ({
      manifest: {
        id: kind,
        kind,
        family: kind === 'embedding' ? 'speaker-embedding' : 'pyannote',
        files: { model: { path: 'encoder.onnx' } },
        langs: [],
        sampleRate: 16_000,
      },
      folder: join(cache, 'asr', 'broken'),
      fingerprint: '',
      state: 'canary-ok',
      why: null,
    });
    await put('asr', 'broken', corrupt);
    const models = { look: () => Promise.resolve([model('segmentation'), model('embedding')]) };
    const otherwise = {
      diarize: () =>
        Promise.resolve({ provider: 'acoustic', turns: [{ start: 0, end: 1, speaker: 0 }], degraded: null }),
    };
    const request = { wavPath: wav, seconds: 1, minSpeakers: null, maxSpeakers: null };
    const done = await createNeuralDiarizer({ ...runtime, models }, otherwise).diarize(request);
    expect(done).toMatchObject({ provider: 'acoustic', degraded: expect.stringMatching(/models .* failed/) });
  });
});

describe('concurrent recordings', () => {
  const processesFor = async (pool: SherpaOptions['pool']): Promise<number> => {
    const before = childrenOf(process.pid).length;
    const shared = startRuntime({ pool, use: () => ({ ...use, concurrency: 3 }), idleMs: 60_000 });
    const refused = (): Promise<unknown> =>
      expect(shared.recognizers.run({ input: { task: 'nonsense' }, timeoutMs: 120_000 })).rejects.toThrow();
    await Promise.all([refused(), refused(), refused()]);
    const processes = childrenOf(process.pid).length - before;
    shared.close();
    await waitFor(() => childrenOf(process.pid).length === before);
    return processes;
  };

  it('share one process and its model in the pool `threads`', async () => {
    expect(await processesFor('threads')).toBe(1);
  });

  it('have separate processes in the pool `prefork`', async () => {
    expect(await processesFor('prefork')).toBe(3);
  });
});
