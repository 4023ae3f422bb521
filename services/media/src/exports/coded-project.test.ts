import { expect, it } from '@jest/globals';
import { passage, speaker, timed } from '../../test/exports.ts';
import { createCodedText, type CodedPlace } from './coded-project.ts';

function place(id: string, startMs: number, endMs: number): CodedPlace {
  return { id, codeId: 'code', startMs, endMs, authorId: null, at: '2026-01-01T00:00:00.000Z' };
}

it('places codes by characters of Unicode, also over several passages', () => {
  const places = [place('words', 500, 1500), place('over', 1000, 4500), place('half', 4600, 4700)];
  const text = createCodedText(places);
  const spoken = [
    passage(0, 2, '😀 one\ntwo three.', speaker('Zoë 🎤'), timed('😀 one two three.', 0)),
    passage(4, 5, ' four five ', speaker(null), timed('four five', 4)),
  ];
  const whole = spoken.map((one) => text.line({ ...one, withheld: false })).join('');
  expect(whole).toBe('Zoë 🎤: 😀 one two three.\nSpeaker 1:  four five \n');
  const characters = Array.from(whole);
  const shown = places.map(({ id }) => {
    const range = text.rangeOf(id);
    return range && characters.slice(range.from, range.to).join('');
  });
  expect(shown).toEqual(['one two', 'two three.\nSpeaker 1:  four', 'four five']);
});

it('finds no place without speech', () => {
  const text = createCodedText([place('silence', 5000, 6000)]);
  text.line({ ...passage(0, 2, 'one', null, timed('one', 0)), withheld: false });
  expect(text.rangeOf('silence')).toBeNull();
});
