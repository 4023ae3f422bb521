import { describe, expect, it } from '@jest/globals';
import { detect } from './detect.ts';
import { givenNames } from './gazetteer.ts';
import { isEnglishWord } from './english-words.ts';
import { mainlyNames } from './common-names.ts';

function namesIn(text: string, knownNames: readonly string[] = []): string[] {
  return detect(text, { language: 'en', knownNames }).map(({ start, end }) => text.slice(start, end));
}

const words = [...givenNames].filter((name) => isEnglishWord(name) && !mainlyNames.has(name));

describe('a name of the list that the dictionary knows as a word', () => {
  it.each([
    'we need a @ ticket',
    'it was @ for the project',
    'there are two @ questions left',
    'so the @ part is done and we move on',
    '@ and nothing else',
    'the plan is @',
  ])('stays in lower case in %j', (sentence) => {
    const damaged = words.filter((word) => namesIn(sentence.replace('@', word)).length > 0);
    expect({ words: words.length > 800, damaged }).toEqual({ words: true, damaged: [] });
  });

  it.each([
    ['then Constant joined the call', 'Constant'],
    ['I spoke with Golden about it', 'Golden'],
    ['please ask mr constant about it', 'constant'],
    ['my name is vital', 'vital'],
    ['then miles johnson joined', 'miles johnson'],
    ['thanks miles', 'miles'],
  ])('is a name with evidence in %j', (text, name) => {
    expect(namesIn(text)).toContain(name);
  });

  it('is a name when a speaker has it', () => {
    expect(namesIn('then miles asked about the ticket', ['Miles Okafor'])).toEqual(['miles']);
  });
});

describe('a name that the dictionary lists for a rare meaning', () => {
  it.each(['john', 'anna', 'jake', 'martin', 'laura', 'eric'])('is a name in lower case: %s', (name) => {
    expect(namesIn(`then ${name} joined the call`)).toEqual([name]);
  });
});

describe('words after a name or a title', () => {
  it.each([
    ['i invite agnes can you go on', 'agnes'],
    ["I'm I'm Anna", 'Anna'],
  ])('are no part of it in %j', (text, name) => {
    expect(namesIn(text)).toEqual([name]);
  });

  it('are none for an office', () => {
    expect(namesIn('Thank you, Madam Chair, and Mr. Speaker.')).toEqual([]);
  });
});
