import { describe, expect, it } from '@jest/globals';
import { clusterVoices, fingerprintOf, pairKey, selectSpans } from './voices.ts';

function pair(first: string, second: string, confidence: number) {
  return { first, second, confidence };
}

function voicesOf(...ids: string[]) {
  return ids.map((id) => ({ id, fileId: `file of ${id}` }));
}

describe('clusters of voices', () => {
  it('joins voices only when every pair is likely one person', () => {
    const chain = [pair('a', 'b', 0.95), pair('b', 'c', 0.9)];
    expect(clusterVoices(voicesOf('a', 'b', 'c'), chain, new Set())).toEqual([['b', 'a'].toSorted(), ['c']]);
    const all = [...chain, pair('a', 'c', 0.8)];
    expect(clusterVoices(voicesOf('a', 'b', 'c'), all, new Set())[0]?.toSorted()).toEqual(['a', 'b', 'c']);
  });

  it('never joins voices of one file, or voices that a person has kept apart', () => {
    const oneFile = ['a', 'b'].map((id) => ({ id, fileId: 'same' }));
    expect(clusterVoices(oneFile, [pair('a', 'b', 0.99)], new Set())).toHaveLength(2);
    expect(clusterVoices(voicesOf('a', 'b'), [pair('a', 'b', 0.99)], new Set([pairKey('b', 'a')]))).toHaveLength(2);
  });
});

describe('parts of a speaker', () => {
  it('takes the longest parts first, up to three minutes, in order of time', () => {
    const spoken = [
      { speakerId: 's', start: 0, end: 1 },
      { speakerId: 's', start: 10, end: 150 },
      { speakerId: 's', start: 200, end: 300 },
    ];
    expect(selectSpans(spoken)).toEqual([
      {
        speakerId: 's',
        spans: [
          [10, 150],
          [200, 240],
        ],
      },
    ]);
  });

  it('changes the fingerprint when other parts are spoken', () => {
    const one = selectSpans([{ speakerId: 's', start: 0, end: 4 }]);
    const other = selectSpans([{ speakerId: 's', start: 0, end: 5 }]);
    expect(fingerprintOf('key', one)).toBe(fingerprintOf('key', structuredClone(one)));
    expect(fingerprintOf('key', one)).not.toBe(fingerprintOf('key', other));
  });
});
