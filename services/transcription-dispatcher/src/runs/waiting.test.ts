import { describe, expect, it } from '@jest/globals';
import type { WorkerState } from '../workers/workers.ts';
import { reasonFor } from './waiting.service.ts';

const engine = { provider: 'pocketsphinx', model: 'en-us', timing: 'engine' } as const;

function worker(over: Partial<WorkerState>): WorkerState {
  return {
    service: 'transcription-worker',
    pulls: ['cpu-media', 'cpu-transcription', 'gpu-transcription'],
    engine,
    engineNote: null,
    expiresAt: 0,
    ...over,
  };
}

describe('a run', () => {
  it('waits for a worker when no worker is live', () => {
    expect(reasonFor('prepare', [])).toBe('worker');
    expect(reasonFor('transcribe', [])).toBe('worker');
  });
  it('waits for an engine when live workers have none', () => {
    expect(reasonFor('transcribe', [worker({ engine: null })])).toBe('engine');
    expect(reasonFor('transcribe', [worker({ engine: null, pulls: ['cpu-media'] })])).toBe('engine');
  });
  it('has no waiting reason when a worker takes its jobs', () => {
    expect(reasonFor('transcribe', [worker({ engine: null }), worker({})])).toBeNull();
    expect(reasonFor('prepare', [worker({ engine: null })])).toBeNull();
  });
  it('waits for a worker when none takes this kind of job', () => {
    expect(reasonFor('index', [worker({})])).toBe('worker');
    expect(
      reasonFor('index', [worker({ service: 'search-indexer', pulls: ['embedding-search'], engine: null })]),
    ).toBeNull();
  });
});
