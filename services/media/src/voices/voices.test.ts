import { describe, expect, it } from '@jest/globals';
import { clusterSpeakers, fingerprintOf, keptApartOf, listOf, pairKey, selectSpans, titlesFor } from './voices.ts';

function pair(first: string, second: string, confidence: number) {
  return { first, second, confidence };
}

function spokenBy(speakerId: string, ...parts: [start: number, end: number, hasOverlap?: boolean][]) {
  return parts.map(([start, end, hasOverlap = false]) => ({ speakerId, start, end, hasOverlap }));
}

function voicesOf(...ids: string[]) {
  return ids.map((id) => ({ id, fileId: `file of ${id}` }));
}

describe('clusters of voices', () => {
  it('joins voices only when every pair is likely one person', () => {
    const chain = [pair('a', 'b', 0.95), pair('b', 'c', 0.9)];
    expect(clusterSpeakers(voicesOf('a', 'b', 'c'), chain, new Set())).toEqual([['b', 'a'].toSorted(), ['c']]);
    const all = [...chain, pair('a', 'c', 0.8)];
    expect(clusterSpeakers(voicesOf('a', 'b', 'c'), all, new Set())[0]?.toSorted()).toEqual(['a', 'b', 'c']);
  });

  it('never joins voices of one file, or voices that a person has kept apart', () => {
    const oneFile = ['a', 'b'].map((id) => ({ id, fileId: 'same' }));
    expect(clusterSpeakers(oneFile, [pair('a', 'b', 0.99)], new Set())).toHaveLength(2);
    expect(clusterSpeakers(voicesOf('a', 'b'), [pair('a', 'b', 0.99)], new Set([pairKey('b', 'a')]))).toHaveLength(2);
  });
});

describe('voices that were kept apart', () => {
  it('are found from both sides', () => {
    const keptApart = keptApartOf([
      { firstId: 'a', secondId: 'b' },
      { firstId: 'a', secondId: 'c' },
    ]);
    expect([...keptApart]).toEqual([
      ['a', ['b', 'c']],
      ['b', ['a']],
      ['c', ['a']],
    ]);
  });
});

describe('parts of a speaker', () => {
  it('takes the longest parts first, up to three minutes, in order of time', () => {
    expect(selectSpans(spokenBy('s', [0, 1], [10, 150], [200, 300]))).toEqual([
      {
        speakerId: 's',
        spans: [
          [10, 150],
          [200, 240],
        ],
      },
    ]);
  });

  it('leaves out parts with another voice when there are twenty seconds without', () => {
    const spansOf = (...parts: [number, number, boolean?][]) => selectSpans(spokenBy('s', ...parts))[0]?.spans;
    expect(spansOf([0, 12], [20, 50, true], [60, 68])).toEqual([
      [0, 12],
      [60, 68],
    ]);
    expect(spansOf([0, 12], [20, 50, true])).toEqual([
      [0, 12],
      [20, 50],
    ]);
  });

  it('changes the fingerprint when other parts are spoken', () => {
    const one = selectSpans(spokenBy('s', [0, 4]));
    const other = selectSpans(spokenBy('s', [0, 5]));
    expect(fingerprintOf('key', one)).toBe(fingerprintOf('key', structuredClone(one)));
    expect(fingerprintOf('key', one)).not.toBe(fingerprintOf('key', other));
  });
});

describe('voices in the audit log', () => {
  const voiceIn = (userId: string, title: string) => ({ file: { userId, title } });

  it('have the titles of the recordings of the actor, each once, and none of other people', () => {
    const voices = [voiceIn('ada', 'Visit'), voiceIn('bob', 'Diary'), voiceIn('ada', 'Visit'), voiceIn('ada', 'Lunch')];
    expect(titlesFor('recordings', voices, { userId: 'ada' })).toEqual({ recordings: 'Visit, Lunch' });
    expect(titlesFor('recordings', voices, { userId: 'eve' })).toEqual({});
  });

  it('are ten at most, with the number of the others', () =>
    expect(listOf(Array.from({ length: 12 }, (_, i) => String(i)))).toBe('0 1 2 3 4 5 6 7 8 9 and 2 more'));
});
