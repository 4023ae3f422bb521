import { describe, expect, it } from '@jest/globals';
import { parseRttm, parseStm } from './labelled-set.ts';
import { bestAssignment, countDiarizationErrors, countErrors, normaliseWords, wordErrorRate } from './scoring.ts';
import { rateOf } from './sctk.ts';

describe('word errors', () => {
  it('counts wrong, missing and added words for the utterance in which they are', () => {
    expect(countErrors(['one two three', 'four five'], 'one too three four extra five')).toEqual([
      { words: 3, errors: 1 },
      { words: 2, errors: 1 },
    ]);
    expect(countErrors(['one two', 'three'], 'one three')).toEqual([
      { words: 2, errors: 1 },
      { words: 1, errors: 0 },
    ]);
  });

  it('counts every word when nothing or only other text was recognised', () => {
    expect(countErrors(['one two'], '')).toEqual([{ words: 2, errors: 2 }]);
    expect(countErrors([''], 'one two')).toEqual([{ words: 0, errors: 2 }]);
  });

  it('ignores case, punctuation and marks of noises', () => {
    expect(normaliseWords("Well, DON’T <noise> stop — [laughs] 'now'!")).toEqual(['well', "don't", 'stop', 'now']);
  });

  it('counts characters where a script has no spaces, with their marks', () => {
    expect(normaliseWords('今天，很好。 OK')).toEqual(['今', '天', '很', '好', 'ok']);
    expect(normaliseWords('ที่นี่')).toEqual(['ที่', 'นี่']);
    expect(normaliseWords('नमस्ते दुनिया')).toEqual(['नमस्ते', 'दुनिया']);
    expect(countErrors(['今天很好'], '今天 不好')).toEqual([{ words: 4, errors: 1 }]);
  });

  it('is the share of wrong words, within its confidence interval', () => {
    const utterances = Array.from({ length: 100 }, (_, index) => ({ words: 10, errors: index % 5 === 0 ? 5 : 0 }));
    const rate = wordErrorRate(utterances);
    expect(rate?.value).toBeCloseTo(0.1);
    expect(rate?.low).toBeGreaterThan(0.05);
    expect(rate?.low).toBeLessThan(0.1);
    expect(rate?.high).toBeGreaterThan(0.1);
    expect(rate?.high).toBeLessThan(0.15);
    expect(wordErrorRate(utterances)).toEqual(rate);
  });

  it('has no rate without a reference word', () => {
    expect(wordErrorRate([{ words: 0, errors: 1 }])).toBeNull();
  });
});

describe('speaker errors', () => {
  const reference = [
    { start: 0, end: 10, speaker: 'ann' },
    { start: 10, end: 20, speaker: 'ben' },
  ];

  it('are none when only the names differ', () => {
    const found = reference.map((turn) => ({ ...turn, speaker: turn.speaker === 'ann' ? '1' : '0' }));
    expect(countDiarizationErrors(reference, found, 0)).toEqual({ speech: 20, errors: 0 });
  });

  it('are missed, added and confused seconds', () => {
    const found = [
      { start: 0, end: 8, speaker: '0' },
      { start: 10, end: 15, speaker: '0' },
      { start: 15, end: 22, speaker: '1' },
    ];
    const { speech, errors } = countDiarizationErrors(reference, found, 0);
    expect(speech).toBeCloseTo(20);
    // Two seconds missed, two added, five given to the other speaker.
    expect(errors).toBeCloseTo(9);
  });

  it('do not count within the collar of a boundary', () => {
    const found = [
      { start: 0.2, end: 10.2, speaker: '0' },
      { start: 10.2, end: 20, speaker: '1' },
    ];
    expect(countDiarizationErrors(reference, found, 0).errors).toBeCloseTo(0.4);
    expect(countDiarizationErrors(reference, found, 0.25).errors).toBe(0);
  });

  it('use the best assignment, not the first', () => {
    const values = [
      [5, 4],
      [4, 1],
    ];
    expect(bestAssignment(values)).toBe(8);
    expect(bestAssignment([])).toBe(0);
  });
});

describe('labels', () => {
  it('are read from STM in the order of time, without ignored segments', () => {
    const text = [
      ';; comment',
      'a 1 ben 4.0 6.0 <o,f0> second part',
      'a 1 ann 0.0 2.0 first part',
      'a 1 x 8 9 IGNORE_TIME_SEGMENT_IN_SCORING',
    ].join('\n');
    expect(parseStm(text)).toEqual(['first part', 'second part']);
    expect(() => parseStm('just text')).toThrow('not of the format STM');
  });

  it('are read from RTTM', () => {
    expect(parseRttm('SPEAKER a 1 1.5 2 <NA> <NA> ann <NA> <NA>\nSPKR-INFO a 1 <NA>')).toEqual([
      { start: 1.5, end: 3.5, speaker: 'ann' },
    ]);
  });

  it('are compared with the report of sclite', () => {
    expect(rateOf('| Sum   |    6    185 |  160     20      5      3     28      5 |')).toBeCloseTo(28 / 185);
    expect(rateOf('nothing')).toBeUndefined();
  });
});
