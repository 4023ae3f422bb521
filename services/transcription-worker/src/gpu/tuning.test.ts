import { describe, expect, it } from '@jest/globals';
import type { GpuDevice } from '@overtone/contracts';
import { tuningFor, type TuningWishes } from './tuning.ts';

function gpu(memoryMib: number, capability: number | null = 8.6): GpuDevice {
  return { index: 0, uuid: 'GPU-1', name: 'NVIDIA GPU', memory_mib: memoryMib, capability };
}

const auto: TuningWishes = { batchSize: 'auto', computeType: 'auto', hybrid: 'auto' };
/** The fewest whole MiB that hold so many gigabytes. */
function mib(gigabytes: number): number {
  return Math.ceil((gigabytes * 1e9) / 2 ** 20);
}

const large = 'whisper-large-v3-turbo';

describe('batch size', () => {
  it.each([
    [48, 32],
    [24, 24],
    [16, 16],
    [12, 12],
    [8, 8],
    [6, 4],
  ])('from %d GB of GPU memory on is %d', (gigabytes, batch) => {
    expect(tuningFor(gpu(mib(gigabytes)), large, auto).batch_size).toBe(batch);
  });

  it.each([
    [48, 24],
    [24, 16],
    [16, 12],
    [12, 8],
    [8, 4],
    [6, 2],
  ])('just below %d GB is %d', (gigabytes, batch) => {
    expect(tuningFor(gpu(mib(gigabytes) - 1), large, auto).batch_size).toBe(batch);
  });

  it.each([
    ['RTX A6000 (48 GB)', 49_140, 32],
    ['L40S (48 GB)', 46_068, 32],
    ['H100 (80 GB)', 81_559, 32],
    ['RTX 4090 (24 GB)', 24_564, 24],
    ['A10 (24 GB)', 23_028, 24],
    ['T4 (16 GB)', 15_360, 16],
    ['RTX 3060 (12 GB)', 12_288, 12],
    ['RTX 4060 (8 GB)', 8_188, 8],
    ['RTX 2060 (6 GB)', 6_144, 4],
  ])('of a card sold as %s is that of its row', (_, memory, batch) => {
    expect(tuningFor(gpu(memory), large, auto).batch_size).toBe(batch);
  });

  it('follows BATCH_SIZE on both processors', () => {
    expect(tuningFor(gpu(mib(24)), large, { ...auto, batchSize: 3 }).batch_size).toBe(3);
    expect(tuningFor(undefined, large, { ...auto, batchSize: 3 }).batch_size).toBe(3);
  });

  it('is one piece at a time without a GPU', () => {
    expect(tuningFor(undefined, large, auto).batch_size).toBe(1);
  });
});

describe('compute type', () => {
  it.each([
    [9.0, 'int8_float16'],
    [7.5, 'int8_float16'],
    [7.4, 'float16'],
    [7.0, 'float16'],
    [6.9, 'float32'],
    [6.1, 'float32'],
    [3.5, 'float32'],
    [null, 'float32'],
  ])('of capability %p is %s', (capability, type) => {
    expect(tuningFor(gpu(mib(24), capability), large, auto).compute_type).toBe(type);
  });

  it('follows COMPUTE_TYPE', () => {
    expect(tuningFor(gpu(mib(24)), large, { ...auto, computeType: 'float32' }).compute_type).toBe('float32');
  });

  it('is int8 where the CPU transcribes', () => {
    expect(tuningFor(undefined, large, auto).compute_type).toBe('int8');
    expect(tuningFor(gpu(mib(4)), large, auto).compute_type).toBe('int8');
  });
});

describe('hybrid mode', () => {
  const hybrid = { transcribe_on: 'cpu', diarize_on: 'gpu', hybrid: true };
  const all = { transcribe_on: 'gpu', diarize_on: 'gpu', hybrid: false };

  it.each([
    ['large', 'whisper-large-v3', 4.9],
    ['large (turbo)', 'distil-turbo', 4.9],
    ['medium', 'whisper-medium.en', 4.8],
    ['small', 'whisper-small', 3.7],
  ])('is on for %s models below their threshold and off from it on', (_, model, gigabytes) => {
    expect(tuningFor(gpu(mib(gigabytes) - 1), model, auto)).toMatchObject(hybrid);
    expect(tuningFor(gpu(mib(gigabytes)), model, auto)).toMatchObject(all);
  });

  it('is never on by default for models smaller than small, and treats an unknown model as large', () => {
    expect(tuningFor(gpu(1_024), 'whisper-tiny.en', auto)).toMatchObject(all);
    expect(tuningFor(gpu(1_024), 'whisper-base', auto)).toMatchObject(all);
    expect(tuningFor(gpu(mib(4.9) - 1), 'nemo-parakeet-tdt', auto)).toMatchObject(hybrid);
  });

  it('is on or off when it is set explicitly, for any memory size', () => {
    expect(tuningFor(gpu(mib(80)), large, { ...auto, hybrid: 'true' })).toMatchObject(hybrid);
    expect(tuningFor(gpu(1_024), large, { ...auto, hybrid: 'false' })).toMatchObject(all);
  });

  it('has no effect without a GPU', () => {
    for (const mode of ['auto', 'true', 'false'] as const)
      expect(tuningFor(undefined, large, { ...auto, hybrid: mode })).toMatchObject({
        transcribe_on: 'cpu',
        diarize_on: 'cpu',
        hybrid: false,
      });
  });
});
