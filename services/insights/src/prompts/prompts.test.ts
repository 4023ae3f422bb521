import { describe, expect, it } from '@jest/globals';
import { promptContentTypes, promptLimits } from '@overtone/contracts';
import { builtInOf, builtInPrompts } from './built-in.ts';
import { contentTypeOf, distinctTags } from './prompts.ts';

describe('the kind of a recording', () => {
  it.each([
    [['Q3', 'Meeting'], 'meeting'],
    [['interviews'], 'interview'],
    [['interview', 'Podcast'], 'podcast'],
    [['Lecture'], 'documentary'],
    [['meeting room', 'reinterview'], 'general'],
    [[], 'general'],
  ])('is that of its tags %j: %s', (tags, kind) => {
    expect(contentTypeOf(tags)).toBe(kind);
  });
});

describe('a built-in prompt', () => {
  it.each(promptContentTypes)('exists for %s, fits the limits of stored ones and is found by its id', (contentType) => {
    const prompt = builtInPrompts[contentType];
    expect(prompt.contentType).toBe(contentType);
    expect(prompt.text.length).toBeGreaterThan(200);
    expect(prompt.text.length).toBeLessThanOrEqual(promptLimits.text);
    expect(builtInOf(prompt.id)).toBe(prompt);
  });
});

describe('the tags of a prompt', () => {
  it('are kept once for spellings that differ in case', () => {
    expect(distinctTags(['Sales', 'sales', 'SALES', 'Team'])).toEqual(['Sales', 'Team']);
  });
});
