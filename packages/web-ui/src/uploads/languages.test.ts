import { describe, expect, it } from '@jest/globals';
import { languageChoice, languageName } from './languages.ts';

describe('languageChoice', () => {
  it('offers only what the engine transcribes, and automatic detection', () =>
    expect(
      languageChoice(['de', 'en'])
        .options.map(({ value }) => value)
        .sort(),
    ).toEqual(['', 'de', 'en']));
  it('names the only language, without a choice', () => {
    const { options, note } = languageChoice(['en']);
    expect(options).toEqual([{ value: '', label: languageName('en') }]);
    expect(note).toContain(`only ${languageName('en')}`);
  });
  it('offers a language once that engines know by two codes', () => {
    const offered = languageChoice(['he', 'iw', 'jw', 'jv', 'tl', 'fil']).options.map(({ value }) => value);
    expect(offered).toEqual(['', 'tl', 'he', 'jw']);
  });
  it.each([null, undefined])('offers common languages for %p', (supported) => {
    const { options, note } = languageChoice(supported);
    expect(options.length).toBeGreaterThan(20);
    expect(note).toBeNull();
  });
});
