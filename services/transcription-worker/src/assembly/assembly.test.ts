import { describe, expect, it } from '@jest/globals';
import type { Turn, Word } from '@overtone/contracts';
import { assemble, assembleSeparated } from './assembly.ts';

function say(text: string, from: number, each = 0.3, pause = 0.05): Word[] {
  return text.split(' ').map((word, i) => ({
    word,
    start: from + i * (each + pause),
    end: from + i * (each + pause) + each,
    confidence: 0.9,
  }));
}

function turn(start: number, end: number, speaker: number): Turn {
  return { start, end, speaker };
}

describe('assembly', () => {
  it('assigns words to turns, with speakers numbered in order of appearance', () => {
    const words = [...say('good morning everyone', 0), ...say('hello to you too', 3)];
    const { speakers, segments } = assemble(words, [turn(0, 2, 7), turn(2.5, 6, 3)], 10);
    expect(speakers).toEqual(['SPEAKER_01', 'SPEAKER_02']);
    expect(segments.map((segment) => [segment.speaker, segment.text])).toEqual([
      [0, 'good morning everyone'],
      [1, 'hello to you too'],
    ]);
  });

  it('writes a script without spaces as phrases, each of one speaker', () => {
    const words = say('今 天 很 好。 再 见', 0, 1, 0);
    const { segments } = assemble(words, [turn(0, 5, 0), turn(5, 6, 1)], 6);
    expect(segments.map(({ text }) => text)).toEqual(['今天很好。 再', '见']);
    expect(segments.flatMap((segment) => segment.words.map(({ word }) => word))).toEqual(['今天很好。', '再', '见']);
  });

  it('has one speaker without turns', () => {
    const { speakers, segments } = assemble(say('just me here', 0), [], 5);
    expect(speakers).toEqual(['SPEAKER_01']);
    expect(segments).toHaveLength(1);
  });

  it('assigns a word between turns to the nearest one', () => {
    const words = say('a', 4.4, 0.2);
    const { segments } = assemble([...say('x', 0), ...words], [turn(0, 1, 0), turn(5, 6, 1)], 10);
    expect(segments.at(-1)?.speaker).toBe(1);
  });

  it('marks a word whose middle lies in turns of two speakers', () => {
    const words = say('one two three four', 0, 0.9, 0.1);
    const { segments } = assemble(words, [turn(0, 2.5, 0), turn(1.4, 4, 1)], 4);
    const all = segments.flatMap((segment) => segment.words);
    expect(all.filter((word) => word.overlap).map(({ word }) => word)).toEqual(['two', 'three']);
    expect(all.filter((word) => !word.overlap).every((word) => !('overlap' in word))).toBe(true);
  });

  it('does not mark words in several turns of one speaker, or at the border of turns that do not overlap', () => {
    const words = say('one two three four', 0, 1, 0);
    const turns = [turn(0, 1.5, 0), turn(0.2, 1.9, 0), turn(2.5, 4, 1)];
    const all = assemble(words, turns, 4).segments.flatMap((segment) => segment.words);
    expect(all.some((word) => word.overlap)).toBe(false);
  });

  it('assigns a word in overlapping turns to the speaker with more of it', () => {
    const words = say('mine yours', 0, 1, 0.5);
    const { segments } = assemble(words, [turn(0, 1, 0), turn(0.4, 2.5, 1), turn(1.5, 2, 0)], 4);
    expect(segments.map((segment) => [segment.speaker, segment.text])).toEqual([
      [0, 'mine'],
      [1, 'yours'],
    ]);
  });

  it('assigns a word that two speakers share equally to the one with the longer turn', () => {
    const words = say('a', 2, 0.5);
    expect(assemble(words, [turn(0, 9, 0), turn(1.9, 2.6, 1)], 9).segments[0]?.speaker).toBe(0);
    const { segments } = assemble([...say('x', 0), ...words], [turn(0, 2.6, 0), turn(1.9, 9, 1)], 9);
    expect(segments.map(({ speaker, words: [word] }) => [speaker, word?.overlap])).toEqual([
      [0, undefined],
      [1, true],
    ]);
  });

  it('assigns a word after overlapping turns to the one that ended last', () => {
    const words = [...say('x', 2), ...say('late', 11, 0.2)];
    const { segments } = assemble(words, [turn(0, 10, 0), turn(4, 5, 1), turn(6, 7, 1), turn(20, 30, 2)], 30);
    expect(segments.map((segment) => segment.speaker)).toEqual([0, 0]);
  });

  it('reverts a change of speaker for one word without a pause', () => {
    const words = say('we should really do that soon', 0);
    const { segments } = assemble(words, [turn(0, 0.7, 0), turn(0.7, 1.02, 1), turn(1.02, 9, 0)], 10);
    expect(segments).toHaveLength(1);
  });

  it('keeps a short answer between pauses', () => {
    const words = [...say('is that right', 0), ...say('yes', 2), ...say('good then', 3.5)];
    const { segments } = assemble(words, [turn(0, 1.2, 0), turn(1.9, 2.5, 1), turn(3.4, 5, 0)], 10);
    expect(segments.map((segment) => segment.speaker)).toEqual([0, 1, 0]);
  });

  it('splits long speech into segments of limited length', () => {
    const { segments } = assemble(say('word '.repeat(400).trim(), 0), [turn(0, 200, 0)], 200);
    expect(segments.length).toBeGreaterThan(4);
    expect(segments.every((segment) => segment.words.length <= 80 && segment.end - segment.start <= 31)).toBe(true);
  });

  it('keeps all times inside the recording and in order', () => {
    const words: Word[] = [
      { word: 'a', start: -1, end: 0.5, confidence: null },
      { word: 'b', start: 0.2, end: 0.1, confidence: null },
      { word: 'c', start: 9, end: 14, confidence: null },
    ];
    const all = assemble(words, [], 10).segments.flatMap((segment) => segment.words);
    expect(
      all.every((word, i) => word.start >= (all[i - 1]?.start ?? 0) && word.end >= word.start && word.end <= 10),
    ).toBe(true);
  });

  it('keeps every word', () => {
    const words = say('w '.repeat(5000).trim(), 0);
    const turns = Array.from({ length: 600 }, (_, i) => turn(i * 3, i * 3 + 2.7, i % 5));
    expect(assemble(words, turns, 1800).segments.flatMap((segment) => segment.words)).toHaveLength(5000);
  });

  it('assembles six hours of speech quickly', () => {
    const words = say('w '.repeat(54_000).trim(), 0);
    const turns = Array.from({ length: 6000 }, (_, i) => turn(i * 3.15, i * 3.15 + 2.9, i % 6));
    const began = process.cpuUsage();
    expect(assemble(words, turns, 19_000).segments.length).toBeGreaterThan(5000);
    // About 100 ms of processor time; twice that and more where others share the caches.
    expect(process.cpuUsage(began).user / 1000).toBeLessThan(1000);
  });
});

describe('words of separated speakers', () => {
  it('stay whole where two people speak at the same time', () => {
    const [one, other] = [say('a b c d', 0), say('e f g h', 0.2)];
    const spoken = [...one.map((word) => ({ word, owner: 3 })), ...other.map((word) => ({ word, owner: 1 }))];
    spoken.sort((x, y) => x.word.start - y.word.start);
    const { speakers, segments } = assembleSeparated(
      spoken.map(({ word }) => word),
      spoken.map(({ owner }) => owner),
      60,
    );
    expect(speakers).toEqual(['SPEAKER_01', 'SPEAKER_02']);
    expect(segments.map(({ speaker, text }) => [speaker, text])).toEqual([
      [0, 'a b c d'],
      [1, 'e f g h'],
    ]);
  });
});
