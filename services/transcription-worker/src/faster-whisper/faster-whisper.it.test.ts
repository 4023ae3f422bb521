import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { GpuDevice } from '@overtone/contracts';
import { waitFor } from '@overtone/testkit';
import { engineContract } from '../../test/engine-contract.ts';
import { makeEnvironment, putModel, startRuntime, type FakeOptions } from '../../test/whisper-environment.ts';
import { sampleRate, wavHeader } from '../audio/wav.ts';
import type { TranscribeRequest } from '../engines/engines.ts';
import { createFasterWhisper } from './engine.adapter.ts';

let folder = '';
let stop: (() => void)[] = [];
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'whisper-'));
  await makeEnvironment(folder);
});
afterEach(async () => {
  for (const close of stop.splice(0)) close();
  await rm(folder, { recursive: true, force: true });
});

/** A tone, with silence at these seconds. */
async function recording(seconds: number, isSilent: (second: number) => boolean = () => false): Promise<string> {
  const samples = new Int16Array(seconds * sampleRate);
  for (let i = 0; i < samples.length; i++) if (!isSilent(i / sampleRate)) samples[i] = i % 2 === 0 ? 4_000 : -4_000;
  const path = join(folder, 'speech.wav');
  await writeFile(path, Buffer.concat([wavHeader(samples.byteLength), Buffer.from(samples.buffer)]));
  return path;
}

async function startEngine(options: FakeOptions & { model?: string } = {}) {
  const { model = 'faster-whisper-base' } = options;
  await putModel(join(folder, 'models'), model);
  const { runtime, processors, readCalls } = startRuntime(folder, options);
  const engine = createFasterWhisper(runtime);
  stop.push(() => engine.close());
  const state = await engine.check();
  const transcribe = async (more: Partial<TranscribeRequest> = {}) =>
    engine.transcribe({ wavPath: more.wavPath ?? (await recording(4)), seconds: 4, language: 'en', ...more });
  return { engine, state, transcribe, processors, readCalls };
}

function gpu(gigabytes: number, capability: number): GpuDevice {
  return { index: 0, uuid: 'GPU-1', name: 'NVIDIA', memory_mib: Math.ceil((gigabytes * 1e9) / 2 ** 20), capability };
}
const turbo = 'faster-whisper-large-v3-turbo';

engineContract('faster-whisper with recording modules', async () => {
  const own = await mkdtemp(join(tmpdir(), 'whisper-contract-'));
  await makeEnvironment(own);
  await putModel(join(own, 'models'));
  const engine = createFasterWhisper(startRuntime(own).runtime);
  return { engine, stop: () => rm(own, { recursive: true, force: true }) };
});

describe('the tables of the specification', () => {
  it.each([
    [48, 8.6, 32, 'int8_float16'],
    [24, 7.5, 24, 'int8_float16'],
    [16, 7.0, 16, 'float16'],
    [12, 8.6, 12, 'int8_float16'],
    [8, 6.1, 8, 'float32'],
    [6, 8.6, 4, 'int8_float16'],
  ])('of a GPU with %d GB and capability %d reach the model', async (memory, capability, batch, type) => {
    const { transcribe, readCalls } = await startEngine({ device: gpu(memory, capability), model: turbo });
    await transcribe();
    expect((await readCalls('load')).at(-1)).toMatchObject({ device: 'cuda', compute_type: type });
    expect(await readCalls('batch')).toMatchObject([{ batch_size: batch, language: 'en', task: 'transcribe' }]);
  });

  it.each([
    [4.8, turbo, 'cpu'],
    [4.9, turbo, 'cuda'],
    [4.7, 'faster-whisper-medium', 'cpu'],
    [4.8, 'faster-whisper-medium', 'cuda'],
    [3.6, 'faster-whisper-small', 'cpu'],
    [3.7, 'faster-whisper-small', 'cuda'],
  ])('transcribe with %d GB and %s on the processor %s', async (memory, model, device) => {
    const { readCalls } = await startEngine({ device: gpu(memory, 8.6), model });
    expect(await readCalls('load')).toMatchObject([{ device }]);
  });

  it.each([
    ['true', 'cpu'],
    ['false', 'cuda'],
  ] as const)('follow WHISPER_HYBRID_MODE=%s', async (mode, device) => {
    const memory = mode === 'true' ? 24 : 2;
    const { readCalls } = await startEngine({
      device: gpu(memory, 8.6),
      model: turbo,
      settings: { hybrid_mode: mode },
    });
    expect(await readCalls('load')).toMatchObject([{ device }]);
  });

  it('without a GPU are the CPU, eight bits, and one piece after the other', async () => {
    const { transcribe, readCalls } = await startEngine({ settings: { threads: 3 } });
    await transcribe();
    expect((await readCalls('load')).at(-1)).toMatchObject({ device: 'cpu', compute_type: 'int8', cpu_threads: 3 });
    expect(await readCalls('batch')).toEqual([]);
    expect(await readCalls('transcribe')).toHaveLength(2);
  });

  it('follow BATCH_SIZE and COMPUTE_TYPE', async () => {
    const { transcribe, readCalls } = await startEngine({ settings: { batch_size: 3, compute_type: 'float32' } });
    await transcribe();
    expect((await readCalls('load')).at(-1)).toMatchObject({ compute_type: 'float32' });
    expect(await readCalls('batch')).toMatchObject([{ batch_size: 3 }]);
  });

  it('use the nearest number format that the processor has', async () => {
    const { readCalls } = await startEngine({ settings: { compute_type: 'float16' } });
    expect(await readCalls('load')).toMatchObject([{ compute_type: 'float32' }]);
  });

  it.each([[turbo], ['faster-whisper-tiny.en'], ['faster-whisper-distil-large-v3']])(
    'let %s translate nothing',
    async (model) => {
      const { engine, transcribe } = await startEngine({ model });
      expect(engine.translates).toBe(false);
      await expect(transcribe({ task: 'translate' })).rejects.toMatchObject({ code: 'translation_unsupported' });
    },
  );

  it('let a larger model translate', async () => {
    const { engine, transcribe, readCalls } = await startEngine({ model: 'faster-whisper-large-v3' });
    expect(engine.translates).toBe(true);
    expect(await transcribe({ task: 'translate', language: 'es' })).toMatchObject({ language: 'en' });
    expect((await readCalls('transcribe')).at(-1)).toMatchObject({ task: 'translate', language: 'es' });
  });
});

describe('concurrent recordings', () => {
  const two = async (pool: 'threads' | 'prefork') => {
    const gate = join(folder, 'gate');
    const settings = { gpu_concurrency: 2 };
    const { transcribe, readCalls } = await startEngine({ pool, settings, env: { FAKE_GATE: gate } });
    const tasks = [transcribe(), transcribe()];
    await waitFor(async () => (await readCalls('transcribe')).length === 3);
    await writeFile(gate, '');
    const results = await Promise.all(tasks);
    expect(results[0]?.words).toEqual(results[1]?.words);
    return (await readCalls('load')).slice(1);
  };

  it('share one model in one process with GPU_WORKER_POOL=threads', async () => {
    expect(await two('threads')).toMatchObject([{ num_workers: 2 }]);
  });

  it('have a process and a model each with GPU_WORKER_POOL=prefork', async () => {
    const loads = await two('prefork');
    expect(loads).toMatchObject([{ num_workers: 1 }, { num_workers: 1 }]);
    expect(loads[0]?.pid).not.toBe(loads[1]?.pid);
  });
});

describe('a recording', () => {
  it('gets words with the times of the recording, without the silence before them', async () => {
    const { transcribe } = await startEngine();
    const wavPath = await recording(20, (second) => second < 10 || (second >= 12 && second < 17));
    const { words, engine } = await transcribe({ wavPath, seconds: 20 });
    expect(engine).toEqual({ provider: 'faster-whisper', model: 'faster-whisper-base', timing: 'engine' });
    expect(words[0]).toMatchObject({ word: 'word0', confidence: 0.9 });
    expect(words[0]?.start).toBeCloseTo(9.85, 1);
    for (const { start, end } of words) expect((start > 9.5 && end < 12.5) || (start > 16.5 && end <= 20)).toBe(true);
  });

  it('of silence has no words, and no language', async () => {
    const { transcribe, readCalls } = await startEngine();
    const wavPath = await recording(4, () => true);
    expect(await transcribe({ wavPath, language: null })).toMatchObject({ words: [], language: null });
    expect(await readCalls('detect')).toEqual([]);
  });

  it('gets the most probable language that the model knows', async () => {
    const { transcribe } = await startEngine();
    expect(await transcribe({ language: null })).toMatchObject({ language: 'es' });
  });

  it('is transcribed in the language that the model knows by another code', async () => {
    const { engine, transcribe, readCalls } = await startEngine();
    expect(engine.languages).toEqual(['en', 'es', 'no', 'tl', 'nb', 'nn', 'fil']);
    await transcribe({ language: 'nb' });
    expect((await readCalls('transcribe')).at(-1)).toMatchObject({ language: 'no' });
    await expect(transcribe({ language: 'de' })).rejects.toMatchObject({ code: 'language_unsupported' });
  });

  it('is decoded with the vocabulary, as far as it fits', async () => {
    const { transcribe, readCalls } = await startEngine();
    const vocabulary = ['Overtone', 'Dashwood', ...Array.from({ length: 200 }, (_, i) => `term${i}`)];
    await transcribe({ vocabulary });
    const { hotwords, initial_prompt } = (await readCalls('transcribe')).at(-1) as unknown as Record<string, string>;
    expect(hotwords).toMatch(/^Overtone, Dashwood, term0/);
    expect(hotwords?.split(' ').length).toBe(100);
    expect(initial_prompt).toBe(hotwords);
  });

  it('is cut in its pauses, and its parts do not lead each other, when it is long', async () => {
    const { transcribe, readCalls } = await startEngine();
    const wavPath = await recording(700, (second) => second % 50 >= 48);
    const { words } = await transcribe({ wavPath, seconds: 700 });
    const parts = (await readCalls('transcribe')).slice(1);
    expect(parts.length).toBeGreaterThan(2);
    for (const part of parts) {
      expect(part['seconds']).toBeLessThanOrEqual(300);
      expect(part['condition_on_previous_text']).toBe(false);
    }
    expect(words.at(-1)?.end).toBeGreaterThan(690);
    expect(new Set(words.map(({ start }) => start)).size).toBe(words.length);
  });

  it('detects speech with the settings', async () => {
    const settings = { vad_threshold: 0.3, vad_min_silence_s: 0.7, vad_min_speech_s: 0.1 };
    const { transcribe, readCalls } = await startEngine({ settings });
    await transcribe();
    const expected = { threshold: 0.3, min_silence_duration_ms: 700, min_speech_duration_ms: 100 };
    expect(await readCalls('vad')).toMatchObject([expected]);
  });

  it('is retryable after its process was killed, and gets the same words once', async () => {
    const gate = join(folder, 'gate');
    const { transcribe, readCalls } = await startEngine({ env: { FAKE_GATE: gate } });
    const task = transcribe();
    const outcome = expect(task).rejects.toMatchObject({ code: 'engine_crashed', kind: 'unavailable' });
    const call = await waitFor(async () => (await readCalls('transcribe'))[1]);
    process.kill(call.pid, 'SIGKILL');
    await outcome;
    await writeFile(gate, '');
    const { words } = await transcribe();
    expect(words.map(({ word }) => word)).toEqual([0, 1, 2, 3, 4, 5, 6, 7].map((number) => `word${number}`));
  });

  it('that is cancelled ends its process', async () => {
    const { transcribe, readCalls } = await startEngine({ env: { FAKE_GATE: join(folder, 'never') } });
    const stop = new AbortController();
    const task = transcribe({ signal: stop.signal });
    const outcome = expect(task).rejects.toThrow('no longer wanted');
    const { pid } = await waitFor(async () => (await readCalls('transcribe'))[1]);
    stop.abort(new Error('no longer wanted'));
    await outcome;
    await waitFor(() => !isAlive(pid));
  });
});

describe('a GPU whose memory other programs use', () => {
  const device = gpu(48, 8.6);
  it.each([16, 4, 1])('gets fewer pieces at once, here %d, and every word once', async (fitting) => {
    const { transcribe, readCalls } = await startEngine({ device, env: { FAKE_MEMORY: String(fitting) } });
    const wavPath = await recording(60, (second) => second % 20 === 19);
    const result = await transcribe({ wavPath, seconds: 60 });
    expect(result.words.map(({ start }) => start)).toEqual([...new Set(result.words.map(({ start }) => start))]);
    expect(result.words.length).toBeGreaterThan(108);
    const sizes = (await readCalls('batch')).map((call) => call['batch_size'] as number);
    expect(sizes).toEqual([32, 16, 8, 4, 2].filter((size) => size >= Math.max(2, fitting)));
    expect(await readCalls('load')).not.toContainEqual(expect.objectContaining({ device: 'cpu' }));
  });

  it('too small for the model leaves the recording to the CPU, and the next one tries the GPU again', async () => {
    const full: string[] = [];
    const { state, transcribe, readCalls, engine, processors } = await startEngine({
      onGpuFull: (model) => full.push(model),
      device,
      env: { FAKE_MEMORY: '0' },
    });
    expect(state).toEqual({ ready: true });
    for (const _ of [1, 2]) expect((await transcribe()).words).toHaveLength(8);
    const devices = (await readCalls('load')).map((call) => call['device']);
    // The test of the model, then each recording; the process keeps the model on the CPU.
    expect(devices.slice(0, 4)).toEqual(['cuda', 'cpu', 'cuda', 'cpu']);
    expect(devices.slice(4)).toContain('cuda');
    expect(engine.tuning).toMatchObject({ transcribe_on: 'gpu' });
    expect(processors.state().note).toBeNull();
    expect(full).toEqual(['faster-whisper-base', 'faster-whisper-base']);
  });

  it('that cannot load a kernel for want of memory leaves the recording to the CPU, too', async () => {
    const { transcribe, readCalls } = await startEngine({ device, env: { FAKE_CUDA: 'no kernel' } });
    expect((await transcribe()).words).toHaveLength(8);
    expect((await readCalls('load')).at(-1)).toMatchObject({ device: 'cpu' });
  });

  it('that failed otherwise ends the process, so that the retry gets a new one', async () => {
    const { transcribe, readCalls } = await startEngine({
      device,
      settings: { batch_size: 1 },
      env: { FAKE_CUDA: 'lost' },
    });
    for (const _ of [1, 2])
      await expect(transcribe()).rejects.toMatchObject({ code: 'engine_crashed', kind: 'unavailable' });
    const [first, second] = (await readCalls('load')).slice(-2);
    expect(first?.pid).not.toBe(second?.pid);
  });
});

describe('faster-whisper is not ready', () => {
  it('without its environment', async () => {
    await putModel(join(folder, 'models'));
    await rm(join(folder, 'speech'), { recursive: true });
    const engine = createFasterWhisper(startRuntime(folder).runtime);
    expect(await engine.check()).toMatchObject({ ready: false, why: expect.stringContaining('environment') });
  });

  it('without a model', async () => {
    const engine = createFasterWhisper(startRuntime(folder).runtime);
    expect(await engine.check()).toEqual({ ready: false, why: 'No Whisper model is installed' });
  });
});

it('a GPU that the library cannot use is given up with the reason, when the model loads on the CPU', async () => {
  const { state, processors, engine } = await startEngine({ device: gpu(24, 8.6), env: { FAKE_CUDA: 'missing' } });
  expect(state).toEqual({ ready: true });
  expect(engine.tuning).toMatchObject({ transcribe_on: 'cpu', batch_size: 1, compute_type: 'int8' });
  expect(processors.state().note).toContain('CUDA driver version is insufficient');
});

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
