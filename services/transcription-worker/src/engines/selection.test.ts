import { describe, expect, it } from '@jest/globals';
import type { AsrProvider } from '@overtone/contracts';
import { createScripted } from './scripted.adapter.ts';
import type { Candidate, SpeechWish } from './engines.ts';
import { fits, translatesWith } from './selection.ts';

const provider: AsrProvider = {
  id: '8d1f6a7e-57a4-4d4c-9d0b-0c6c7e3f5a11',
  name: 'Office server',
  kind: 'openai-compatible',
  enabled: true,
  selectable: true,
  languages: ['de', 'fr'],
  model: 'whisper-large-v3',
  base_url: 'http://speech.example/v1',
  vocabulary: [],
  parallel_requests: 2,
  timeout_seconds: 900,
  max_audio_seconds: 600,
};
const wish: SpeechWish = { language: 'de', seconds: 60, task: 'transcribe', provider: null };

function candidate(more: Partial<AsrProvider> = {}, translates = false): Candidate {
  return { engine: { ...createScripted('1'), translates }, provider: { ...provider, ...more } };
}

describe('whether a provider fits a recording', () => {
  it('requires one of its languages, without regard to the region', () => {
    expect(fits(candidate(), wish)).toBe(true);
    expect(fits(candidate(), { ...wish, language: 'de-CH' })).toBe(true);
    expect(fits(candidate(), { ...wish, language: 'en' })).toBe(false);
  });
  it('accepts any language when it lists none and its engine knows any, and automatic detection', () => {
    expect(fits(candidate({ languages: [] }), { ...wish, language: 'en' })).toBe(true);
    expect(fits(candidate(), { ...wish, language: null })).toBe(true);
  });
  it('refuses longer recordings than its limit', () => {
    expect(fits(candidate(), { ...wish, seconds: 601 })).toBe(false);
    expect(fits(candidate({ max_audio_seconds: null }), { ...wish, seconds: 601 })).toBe(true);
  });
  it('is only the chosen one when a person chose one', () => {
    expect(fits(candidate(), { ...wish, provider: provider.id })).toBe(true);
    expect(fits(candidate(), { ...wish, provider: 'another' })).toBe(false);
  });
  it('translates only with an engine that can', () => {
    expect(fits(candidate(), { ...wish, task: 'translate' })).toBe(false);
    expect(fits(candidate({}, true), { ...wish, task: 'translate' })).toBe(true);
  });
});

describe('models that translate', () => {
  it.each([
    ['whisper-1', true],
    ['Systran/faster-whisper-large-v3', true],
    ['whisper-large-v3-turbo', false],
    ['whisper-tiny.en', false],
    ['distil-whisper-small-en', false],
    ['gpt-4o-transcribe', false],
    ['parakeet-tdt-0.6b', false],
  ])('%s: %s', (model, expected) => {
    expect(translatesWith(model)).toBe(expected);
  });
});
