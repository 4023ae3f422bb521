import { describe, expect, it } from '@jest/globals';
import type { Word } from '@overtone/contracts';
import { aroundOf, kindsOf, replacePassages, type Passage } from './operations.ts';

function wordsFrom(text: string, start: number): Word[] {
  return text.split(' ').map((word, i) => ({ word, start: start + i / 2, end: start + i / 2 + 0.4, confidence: 0.9 }));
}

function passage(id: string, text: string, start: number, speakerId: string | null = 'ada'): Passage {
  const words = wordsFrom(text, start);
  return { id, text, words, speakerId, startTime: start, endTime: (words.at(-1)?.end ?? start) + 0.1 };
}

const one = passage('1', 'so we begin with the plan', 10);
const two = passage('2', 'yes please', 14, 'bob');
const around = { start: 0, end: 0 };
function timesOf(passages: Passage[]) {
  return passages.flatMap(({ words }) => words.map(({ start, end }) => [start, end]));
}

describe('replaced passages', () => {
  it('are split between two words: all words keep their times and confidence', () => {
    const pieces = [
      { id: '1', text: 'so we begin', speakerId: 'ada' },
      { id: '3', text: 'with the plan', speakerId: 'bob' },
    ];
    const next = replacePassages([one], pieces, around);
    expect(next.map(({ id, speakerId, startTime, endTime }) => [id, speakerId, startTime, endTime])).toEqual([
      ['1', 'ada', 10, 11.4],
      ['3', 'bob', 11.5, one.endTime],
    ]);
    expect(next.flatMap(({ words }) => words)).toEqual(one.words);
    expect(kindsOf([one], next)).toEqual(['split', 'speaker']);
  });

  it('are merged: all words keep their times, and a split after it returns to both', () => {
    const text = `${one.text} ${two.text}`;
    const merged = replacePassages([one, two], [{ id: '1', text, speakerId: 'ada' }], around);
    expect(merged).toEqual([
      { ...one, text, words: [...one.words, ...two.words], startTime: 10, endTime: two.endTime },
    ]);
    expect(kindsOf([one, two], merged)).toEqual(['merge']);
    const pieces = [one, two].map(({ id, text: part, speakerId }) => ({ id, text: part, speakerId }));
    expect(timesOf(replacePassages(merged, pieces, around))).toEqual(timesOf([one, two]));
  });

  it('keep the times of all words but the edited ones, which take those of what they replace', () => {
    const pieces = [
      { id: '1', text: 'so we start with the', speakerId: 'ada' },
      { id: '2', text: 'plan yes please', speakerId: 'bob' },
    ];
    const next = replacePassages([one, two], pieces, around);
    expect(timesOf(next)).toEqual(timesOf([one, two]));
    expect(next[0]?.words[2]).toMatchObject({ word: 'start', confidence: null });
    expect(kindsOf([one, two], next)).toEqual(['text', 'retime']);
  });

  it('share the time of a word that is split', () => {
    const pieces = ['so we beg', 'in with the plan'].map((text, i) => ({ id: `${i}`, text, speakerId: null }));
    const [first, second] = replacePassages([one], pieces, around);
    expect(first?.words.at(-1)).toEqual({ word: 'beg', start: 11, end: 11.24, confidence: null, interpolated: true });
    expect(second?.words[0]).toEqual({ word: 'in', start: 11.24, end: 11.4, confidence: null, interpolated: true });
  });

  it('take their words along when they are moved, and clamp them when only one end is', () => {
    const piece = { id: '1', text: one.text, speakerId: 'ada' };
    const [moved] = replacePassages([one], [{ ...piece, start: 10.25, end: one.endTime + 0.25 }], around);
    expect(moved?.words[1]).toMatchObject({ start: 10.75, end: 11.15 });
    const [later] = replacePassages([one], [{ ...piece, start: 10.2 }], around);
    expect(later?.words[0]).toMatchObject({ start: 10.2, end: 10.4, interpolated: true });
    expect(later?.words.slice(1)).toEqual(one.words.slice(1));
    expect(kindsOf([one], [later as Passage])).toEqual(['retime']);
  });

  it('lose the confidence of the words that a person has checked, and nothing else', () => {
    const pieces = [{ id: '1', text: one.text, speakerId: 'ada', accepted: [10.5, 11] }];
    const next = replacePassages([one], pieces, around);
    expect(next[0]?.words.map(({ confidence }) => confidence)).toEqual([0.9, null, null, 0.9, 0.9, 0.9]);
    expect(timesOf(next)).toEqual(timesOf([one]));
    expect(kindsOf([one], next)).toEqual(['accept']);
    const spoken = next.map((passage) => ({ ...passage, speakerId: 'bob' }));
    expect(kindsOf([one], spoken)).toEqual(['speaker', 'accept']);
    expect(kindsOf(next, replacePassages(next, pieces, around))).toEqual([]);
  });

  it('are inserted where the next one starts when the adjacent ones overlap', () => {
    const overlapping = { ...one, endTime: two.startTime + 1 };
    const { between } = aroundOf(overlapping, two);
    expect(replacePassages([], [{ id: '9', text: '', speakerId: null }], between)).toMatchObject([
      { startTime: two.startTime, endTime: two.startTime },
    ]);
    expect(aroundOf(null, null).between).toEqual({ start: 0, end: 1 });
  });

  it('are inserted between others and deleted', () => {
    const inserted = replacePassages([], [{ id: '9', text: 'hm yes', speakerId: null }], { start: 13, end: 14 });
    expect(inserted).toMatchObject([{ startTime: 13, endTime: 14, words: [{ interpolated: true }, { end: 14 }] }]);
    expect(kindsOf([], inserted)).toEqual(['insert']);
    const timed = [
      { id: '8', text: 'hm yes', speakerId: null, start: 12, end: 14 },
      { id: '9', text: 'no', speakerId: null, start: 15, end: 16 },
    ];
    expect(replacePassages([], timed, { start: 13, end: 13 })).toMatchObject([
      { startTime: 12, endTime: 14, words: [{ start: 12 }, { end: 14 }] },
      { startTime: 15, endTime: 16, words: [{ start: 15, end: 16 }] },
    ]);
    expect(kindsOf([one], replacePassages([one], [], around))).toEqual(['delete']);
  });
});
