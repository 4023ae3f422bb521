import { describe, expect, it } from '@jest/globals';
import { speakerLabel, speakerName, speakerNumber } from './speakers.ts';

describe('a speaker', () => {
  it('is displayed with its given name, or with its number', () => {
    expect(speakerName({ name: 'SPEAKER_02', display_name: 'Ada' })).toBe('Ada');
    expect(speakerName({ name: 'SPEAKER_02', display_name: null })).toBe('Speaker 2');
    expect(speakerName({ name: 'SPEAKER_12', display_name: '' })).toBe('Speaker 12');
  });

  it('is displayed with its name when that is not a label', () => {
    expect(speakerName({ name: 'Grace', display_name: null })).toBe('Grace');
    expect(speakerNumber('Grace')).toBeUndefined();
  });

  it('has the number of its label, however large', () => {
    expect([1, 9, 10, 123].map((index) => speakerNumber(speakerLabel(index)))).toEqual([1, 9, 10, 123]);
    expect(speakerLabel(1)).toBe('SPEAKER_01');
  });
});
