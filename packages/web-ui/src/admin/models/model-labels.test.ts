import { describe, expect, it } from '@jest/globals';
import { figuresOf, missingOf, stateOf, type InstalledModel } from './model-labels.ts';

const evaluation: NonNullable<InstalledModel['evaluation']> = {
  set: 'calls',
  at: '2026-01-01T00:00:00.000Z',
  recordings: 4,
  audio_seconds: 600,
  words: 1_500,
  wer: { value: 0.124, low: 0.1, high: 0.151 },
  der: { value: 0.2, collar_s: 0.25, method: 'neural' },
  real_time_factor: 0.31,
  peak_memory_mib: 812,
  sctk: null,
  cores: 2,
};
const model: InstalledModel = {
  name: 'whisper-base-int8',
  kind: 'asr',
  family: 'whisper',
  languages: [],
  licence: 'MIT',
  bytes: 1,
  origin: 'catalogue',
  verified_at: '2026-01-01T00:00:00.000Z',
  fault: null,
  evaluation,
};
const plain =
  'Measured on calls: word error rate 12.4 % (10.0 % to 15.1 %), diarization error rate 20.0 % (collar 0.25 s), 0.31 s per second of sound, 812 MB of memory';

describe('the figures of an installed model', () => {
  it('are its rates with their interval and collar, its speed and its memory', () => {
    expect(figuresOf(model)).toBe(plain);
  });

  it('are followed by those of the scoring toolkit where it was installed', () => {
    const checked = { ...evaluation, sctk: { wer: 0.125, der: 0.201 } };
    expect(figuresOf({ ...model, evaluation: checked })).toBe(
      `${plain}, word error rate by sclite 12.5 %, diarization error rate by md-eval 20.1 %`,
    );
    expect(figuresOf({ ...model, evaluation: { ...checked, sctk: { wer: null, der: null } } })).toBe(plain);
  });

  it('leave out what was not measured', () => {
    const short = { ...evaluation, wer: null, der: null, peak_memory_mib: null };
    expect(figuresOf({ ...model, evaluation: short })).toBe('Measured on calls: 0.31 s per second of sound');
    expect(figuresOf({ ...model, evaluation: null })).toBeNull();
  });
});

describe('the state of an installed model', () => {
  it('names the reason for which it is not used', () => {
    expect(stateOf(model)).toBe('Verified');
    expect(stateOf({ ...model, origin: 'import' })).toBe('Verified, imported');
    expect(stateOf({ ...model, fault: 'model.onnx has another hash' })).toBe('Not used: model.onnx has another hash');
  });

  it('offers a model of the catalogue again while the installed one has a fault', () => {
    const { name } = model;
    const entry = { name } as Parameters<typeof missingOf>[0]['catalogue'][number];
    const overview = { folder: '', catalogue: [entry], tasks: [], suggestion: { text: '', name }, speech_setup: null };
    expect(missingOf({ ...overview, installed: [model] })).toEqual([]);
    expect(missingOf({ ...overview, installed: [{ ...model, fault: 'changed' }] })).toEqual([entry]);
  });
});
