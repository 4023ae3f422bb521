import { describe, expect, it } from '@jest/globals';
import type { AsrProvider, ProviderState } from '@overtone/contracts';
import { speechAbilities, type WorkerState } from './workers.ts';

const provider: AsrProvider = {
  id: '8d1f6a7e-57a4-4d4c-9d0b-0c6c7e3f5a11',
  name: 'Office server',
  kind: 'openai-compatible',
  enabled: true,
  selectable: true,
  languages: [],
  model: 'whisper-1',
  base_url: 'https://speech.example.org/v1',
  vocabulary: [],
  parallel_requests: 1,
  timeout_seconds: 900,
  max_audio_seconds: null,
};
const state: ProviderState = {
  id: provider.id,
  kind: 'openai-compatible',
  model: 'whisper-1',
  ready: true,
  why: null,
  translates: true,
};

function worker(...engines: ProviderState[]): WorkerState {
  return { service: 'transcription-worker', pulls: [], engine: null, engineNote: null, engines, expiresAt: 0 };
}

describe('what the speech engines can do for an upload', () => {
  it('offers enabled and selectable providers only', () => {
    const list = [
      provider,
      { ...provider, name: 'Off', enabled: false },
      { ...provider, name: 'Fixed', selectable: false },
    ];
    expect(speechAbilities([worker(state)], list).providers?.map(({ name }) => name)).toEqual(['Office server']);
  });
  it('translates when one ready engine can, and is unknown without a live engine', () => {
    expect(speechAbilities([worker({ ...state, translates: false }, state)], []).translates).toBe(true);
    expect(speechAbilities([worker({ ...state, translates: false })], []).translates).toBe(false);
    expect(speechAbilities([worker({ ...state, ready: false })], []).translates).toBeNull();
    expect(speechAbilities(null, []).translates).toBeNull();
  });
});
