import { describe, expect, it } from '@jest/globals';
import { checkSpeech, type SpeechAbilities } from './languages.adapter.ts';

const [turbo, large] = ['turbo', 'large'] as const;
const abilities: SpeechAbilities = {
  languages: ['en', 'de'],
  translates: true,
  providers: [
    { id: turbo, name: 'Turbo', translates: false },
    { id: large, name: 'Large', translates: true },
  ],
};

describe('the check of the speech options before a job starts', () => {
  it.each([
    [{ task: 'translate', asr_provider: turbo }, {}, 'translation_unsupported'],
    [{ task: 'translate' }, { translates: false }, 'translation_unsupported'],
    [{ task: 'translate', asr_provider: turbo }, { translates: true }, 'translation_unsupported'],
    [{ asr_provider: 'other' }, {}, 'provider_unknown'],
    [{ language: 'fr' }, {}, 'language_unsupported'],
  ] as const)('refuses %j with abilities %j: %s', (choice, change, code) => {
    expect(() => checkSpeech(choice, { ...abilities, ...change })).toThrow(expect.objectContaining({ code }));
  });

  it.each([
    [{ task: 'translate', asr_provider: large }, { translates: false }],
    [{ task: 'translate' }, {}],
    [{ task: 'transcribe', asr_provider: turbo }, {}],
    [{ language: 'de-CH' }, {}],
    [
      { task: 'translate', language: 'fr' },
      { translates: null, languages: null },
    ],
  ] as const)('allows %j with abilities %j', (choice, change) => {
    expect(() => checkSpeech(choice, { ...abilities, ...change })).not.toThrow();
  });
});
