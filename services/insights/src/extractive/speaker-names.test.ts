import { describe, expect, it } from '@jest/globals';
import { nameCases, type NameCase } from '../../test/labelled-names.ts';
import { findSpeakerNames, type NamesInput, type NameSuggestion } from './speaker-names.ts';

describe('findSpeakerNames', () => {
  it('finds at least 9 of 10 labelled names, and at least 9 of 10 found names are right', () => {
    const counts = { labelled: 0, found: 0, right: 0 };
    for (const one of nameCases) {
      const found = namesOf(one);
      counts.labelled += Object.keys(one.names).length;
      counts.found += Object.keys(found).length;
      counts.right += Object.entries(one.names).filter(([speaker, name]) => found[speaker] === name).length;
    }
    expect(nameCases.length).toBeGreaterThanOrEqual(60);
    expect(counts.right / counts.labelled).toBeGreaterThanOrEqual(0.9);
    expect(counts.right / counts.found).toBeGreaterThanOrEqual(0.9);
  });

  it.each(['I am fine, thank you.', 'This is great.', 'Thank you Lord for this day.'])(
    'finds no name in "%s"',
    (text) => {
      expect(suggestionsFor([`A: ${text}`, 'B: Yes.'])).toEqual([]);
    },
  );

  it('gives the sentence and segment that prove a name', () => {
    const [suggestion] = suggestionsFor(['A: Good morning.', 'A: My name is Anna Schmidt.', 'B: Hello.']);
    expect(suggestion).toMatchObject({
      speakerUuid: 'A',
      name: 'Anna Schmidt',
      text: 'My name is Anna Schmidt.',
      segmentUuids: ['1'],
      start: 5,
    });
    expect(suggestion?.confidence).toBeGreaterThan(0.9);
  });

  it('is more certain when two sentences support the same name', () => {
    const once = suggestionsFor(['A: Laura, can you start?', 'B: The tests are green now.']);
    const twice = suggestionsFor(['A: Laura, can you start?', 'B: The tests are green now.', 'A: Thank you, Laura.']);
    expect(twice[0]?.confidence).toBeGreaterThan(once[0]?.confidence ?? 1);
  });

  it('gives no name to two speakers: neither gets it when both claim it', () => {
    expect(suggestionsFor(['A: My name is Anna.', 'B: My name is Anna.'])).toEqual([]);
  });

  it('does not suggest a name that another speaker was given by a person', () => {
    const input = inputOf(['A: Hello, I am Julia, the project manager.', 'B: Thanks.'], 'en', []);
    const segments = input.segments.map((segment) =>
      segment.speakerUuid === 'B' ? { ...segment, named: true, speakerName: 'Julia' } : segment,
    );
    expect(findSpeakerNames({ ...input, segments })).toEqual([]);
  });

  it('suggests nothing for a speaker that has a name from a person', () => {
    const input = inputOf(['A: My name is Anna.'], 'en', []);
    const segments = input.segments.map((segment) => ({ ...segment, named: true, speakerName: 'Antonia' }));
    expect(findSpeakerNames({ ...input, segments })).toEqual([]);
  });

  it('completes a first name only when exactly one known person has it', () => {
    const turns = ['A: Anna, can you take notes?', 'B: Sure.'];
    expect(suggestionsFor(turns, ['Anna Schmidt', 'Ben Miller'])[0]?.name).toBe('Anna Schmidt');
    expect(suggestionsFor(turns, ['Anna Schmidt', 'Anna Weber'])[0]?.name).toBe('Anna');
  });

  it('does not give a name to the person who says it to another', () => {
    const found = suggestionsFor(['A: Thank you, Rachel.', 'B: Rachel, can you go on?', 'C: Yes, I can go on.']);
    expect(found.map(({ speakerUuid }) => speakerUuid)).toEqual(['C']);
  });
});

function suggestionsFor(turns: readonly string[], knownNames: readonly string[] = []): NameSuggestion[] {
  return findSpeakerNames(inputOf(turns, 'en', knownNames));
}

function namesOf({ turns, language, known = [] }: NameCase): Record<string, string> {
  const found = findSpeakerNames(inputOf(turns, language, known));
  return Object.fromEntries(found.map(({ speakerUuid, name }) => [speakerUuid, name]));
}

function inputOf(turns: readonly string[], language: string, knownNames: readonly string[]): NamesInput {
  const segments = turns.map((turn, i) => {
    const speaker = turn.slice(0, 1);
    const times = { start: i * 5, end: i * 5 + 4 };
    return { uuid: String(i), ...times, text: turn.slice(3), speakerUuid: speaker, speakerName: null, named: false };
  });
  return { segments, language, knownNames };
}
