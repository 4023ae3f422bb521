import { describe, expect, it } from '@jest/globals';
import { defaultsOf, engineSettings, type EngineSettingKey, type EngineSettings } from '@overtone/contracts';
import { createGpu } from '../gpu/gpu.ts';
import { tuningFor, wishesOf } from '../gpu/tuning.ts';
import { vadConfig } from '../sherpa/config.ts';
import type { Model } from '../models/models.ts';
import { useOf } from '../sherpa/sherpa.ts';
import { createLiveSettings, slotsOf, speakerBounds, threadsOf } from './settings.ts';

const device = { index: 0, uuid: 'GPU-1', name: 'NVIDIA A10', memory_mib: 24_576, capability: 8.6 };
const model: Model = {
  manifest: {
    id: 'silero',
    kind: 'vad',
    family: 'silero-vad',
    files: { model: { path: 'model.onnx' } },
    langs: [],
    sampleRate: 16_000,
  },
  folder: '/models/vad/silero',
  fingerprint: '',
  state: 'canary-ok',
  why: null,
};
const unbounded = { minSpeakers: null, maxSpeakers: null };

function tuningWith(settings: EngineSettings) {
  return tuningFor(device, 'whisper-large-v3', wishesOf(settings));
}

function sherpaWith(settings: EngineSettings) {
  return useOf(settings, createGpu({ env: {}, wishes: () => wishesOf(settings) }));
}

function detectorWith(settings: EngineSettings) {
  return vadConfig(model, sherpaWith(settings).vad).sileroVad;
}

function slotsWith(settings: EngineSettings) {
  return slotsOf({ gpu: 1, cpu: 8 }, settings);
}

type Behaviour<K extends EngineSettingKey> = {
  /** Not the default. */
  value: EngineSettings[K];
  read: (settings: EngineSettings) => unknown;
  expected: unknown;
};
/** What each setting changes; a setting without an entry does not compile. */
const behaviours: { [K in EngineSettingKey]: Behaviour<K> } = {
  batch_size: { value: 5, read: (settings) => tuningWith(settings).batch_size, expected: 5 },
  compute_type: { value: 'float32', read: (settings) => tuningWith(settings).compute_type, expected: 'float32' },
  hybrid_mode: { value: 'true', read: (settings) => tuningWith(settings).transcribe_on, expected: 'cpu' },
  gpu_concurrency: { value: 3, read: (settings) => slotsWith(settings).concurrency.gpu, expected: 3 },
  express_slots: { value: 2, read: (settings) => slotsWith(settings).express.gpu, expected: 2 },
  remote_concurrency: { value: 6, read: (settings) => slotsWith(settings).remote, expected: 6 },
  threads: { value: 7, read: (settings) => sherpaWith(settings).threads, expected: 7 },
  recycle_after_tasks: { value: 9, read: (settings) => sherpaWith(settings).recycleAfter, expected: 9 },
  vad_threshold: { value: 0.7, read: (settings) => detectorWith(settings).threshold, expected: 0.7 },
  vad_min_silence_s: { value: 1, read: (settings) => detectorWith(settings).minSilenceDuration, expected: 1 },
  vad_min_speech_s: { value: 0.4, read: (settings) => detectorWith(settings).minSpeechDuration, expected: 0.4 },
  min_speakers: { value: 2, read: (settings) => speakerBounds(unbounded, settings).minSpeakers, expected: 2 },
  max_speakers: { value: 4, read: (settings) => speakerBounds(unbounded, settings).maxSpeakers, expected: 4 },
};

describe('every engine setting changes what the worker does', () => {
  it.each(Object.entries(behaviours))('%s', async (key, { value, read, expected }) => {
    const stored: Record<string, unknown> = {};
    const settings = createLiveSettings({
      environment: {},
      readStored: () => Promise.resolve(stored),
      onFailure: (error) => {
        throw error;
      },
    });
    expect(read(settings.current())).not.toEqual(expected);
    stored[key] = value;
    await settings.refresh();
    expect(read(settings.current())).toEqual(expected);
  });
  it('has an entry for each of them', () => {
    expect(Object.keys(behaviours).toSorted()).toEqual(Object.keys(engineSettings.fields).toSorted());
  });
});

describe('the effective settings of a worker', () => {
  const create = (stored: Record<string, unknown>, environment: Record<string, unknown> = {}) =>
    createLiveSettings({ environment, readStored: () => Promise.resolve(stored), onFailure: () => undefined });

  it('are stored values, else those of the environment, else the defaults', async () => {
    const settings = create({ threads: 3 }, { ASR_THREADS: 5, BATCH_SIZE: 8 });
    expect(settings.current()).toMatchObject({ threads: 5, batch_size: 8, express_slots: 0 });
    await settings.refresh();
    expect(settings.report(null)).toMatchObject({
      threads: { value: 3, source: 'stored' },
      batch_size: { value: 8, source: 'environment' },
      express_slots: { value: 0, source: 'default' },
    });
  });
  it('report what was computed for the processors instead of `auto`', () => {
    const tuning = tuningFor(device, 'whisper-large-v3', wishesOf(defaultsOf(engineSettings)));
    expect(create({}).report(tuning)).toMatchObject({
      batch_size: { value: 24, source: 'computed' },
      compute_type: { value: 'int8_float16', source: 'computed' },
      hybrid_mode: { value: 'false', source: 'computed' },
    });
  });
  it('ignore a stored value that does not fit, and stay while the dispatcher does not respond', async () => {
    const invalid = create({ threads: 0 });
    await invalid.refresh();
    expect(invalid.current().threads).toBe('auto');
    const unreachable = createLiveSettings({
      environment: { ASR_THREADS: 4 },
      readStored: () => Promise.reject(new Error('no responder')),
      onFailure: () => undefined,
    });
    await unreachable.refresh();
    expect(unreachable.current().threads).toBe(4);
  });
  it.each([
    [2, 1, 2],
    [8, 1, 8],
    [8, 2, 4],
    [8, 6, 2],
    [64, 1, 8],
  ])('share %d cores among %d recordings with %d threads each', (cores, gpu_concurrency, threads) => {
    expect(threadsOf({ ...defaultsOf(engineSettings), gpu_concurrency }, cores)).toBe(threads);
  });
  it('give slots on the queue gpu to workers with that role only', () => {
    const settings = { ...defaultsOf(engineSettings), gpu_concurrency: 4, express_slots: 1 };
    expect(slotsOf({ gpu: 0, cpu: 8 }, settings)).toEqual({
      concurrency: { gpu: 0, cpu: 8 },
      express: { gpu: 0 },
      remote: 0,
    });
  });
  it('do not override the number of speakers of a recording', () => {
    const settings = { ...defaultsOf(engineSettings), min_speakers: 3, max_speakers: 6 } as const;
    expect(speakerBounds({ minSpeakers: 1, maxSpeakers: null }, settings)).toEqual({ minSpeakers: 1, maxSpeakers: 6 });
    expect(speakerBounds({ minSpeakers: null, maxSpeakers: 2 }, settings)).toEqual({ minSpeakers: 2, maxSpeakers: 2 });
    expect(speakerBounds({ minSpeakers: 8, maxSpeakers: null }, settings)).toEqual({ minSpeakers: 8, maxSpeakers: 8 });
  });
});
