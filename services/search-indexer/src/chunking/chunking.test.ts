import { describe, expect, it } from '@jest/globals';
import { chunk, type SpokenSegment } from './chunking.ts';

/** A segment with one word per second. */
function say(start: number, speaker: string | null, text: string): SpokenSegment {
  const words = text.split(' ').map((word, i) => ({ word, start: start + i, end: start + i + 0.8 }));
  return { start, end: start + words.length, text, speaker, words };
}

function count(text: string) {
  return text.split(' ').length;
}

function sentence(length: number, from = 0) {
  return `${Array.from({ length: length - 1 }, (_, i) => `w${from + i}`).join(' ')} end.`;
}

describe('chunking', () => {
  it('joins adjacent short turns into one passage, each part with its speaker', () => {
    const [passage, ...rest] = chunk([
      say(0, 'Ann', 'When is it due?'),
      say(10, 'Bob', 'In March.'),
      say(20, 'Ann', 'Good.'),
    ]);
    expect(rest).toEqual([]);
    expect(passage).toMatchObject({ text: 'When is it due? In March. Good.', speakers: ['Ann', 'Bob'], start: 0 });
    expect(passage?.layout.turns).toEqual([
      [0, 'Ann'],
      [4, 'Bob'],
      [6, 'Ann'],
    ]);
    expect(passage?.layout.ms[4]).toBe(10_000);
  });

  it('creates one passage for every longer turn', () => {
    const turns = [say(0, 'Ann', sentence(12)), say(20, 'Bob', sentence(9)), say(40, 'Ann', sentence(30))];
    expect(chunk(turns).map((passage) => passage.speakers)).toEqual([['Ann'], ['Bob'], ['Ann']]);
  });

  it('joins consecutive segments of one speaker into one turn', () => {
    const passages = chunk([say(0, 'Ann', 'One two.'), say(2, 'Ann', 'Three four.')]);
    expect(passages[0]?.layout.turns).toEqual([[0, 'Ann']]);
  });

  it('splits a long turn at sentence ends with an overlap of about forty words', () => {
    const segments = Array.from({ length: 60 }, (_, i) => say(i * 10, 'Ann', sentence(10, i * 10)));
    const passages = chunk(segments);
    expect(passages.length).toBeGreaterThan(2);
    for (const passage of passages) {
      expect(count(passage.text)).toBeLessThanOrEqual(240);
      expect(passage.text.endsWith('end.')).toBe(true);
    }
    for (const [i, passage] of passages.entries()) {
      const next = passages[i + 1];
      if (!next) continue;
      const repeated = passage.layout.ms.filter((ms) => ms >= (next.layout.ms[0] ?? 0)).length;
      expect(repeated).toBeGreaterThanOrEqual(20);
      expect(repeated).toBeLessThanOrEqual(60);
    }
  });

  it('splits a turn without sentence ends at the target size', () => {
    const words = Array.from({ length: 1_000 }, (_, i) => `w${i}`).join(' ');
    const passages = chunk([say(0, 'Ann', words)]);
    expect(count(passages[0]?.text ?? '')).toBe(200);
    expect(passages[1]?.text.startsWith('w160 ')).toBe(true);
  });

  it('keeps every word', () => {
    const segments = Array.from({ length: 80 }, (_, i) =>
      say(i * 50, `S${i % 3}`, sentence(2 + ((i * 7) % 45), i * 50)),
    );
    const all = new Set(segments.flatMap((segment) => segment.words.map((word) => Math.round(word.start * 1000))));
    for (const passage of chunk(segments)) for (const ms of passage.layout.ms) all.delete(ms);
    expect(all.size).toBe(0);
  });

  it('keeps passages in order of time, each starting at its first word', () => {
    const segments = Array.from({ length: 30 }, (_, i) => say(i * 20, i % 2 ? 'Ann' : 'Bob', sentence(15, i)));
    for (const passage of chunk(segments)) {
      expect(passage.layout.ms).toEqual([...passage.layout.ms].sort((x, y) => x - y));
      expect(passage.start * 1000).toBe(passage.layout.ms[0]);
      expect(passage.end).toBeGreaterThan(passage.start);
    }
  });

  it('gives words of an edited text the time at their relative position', () => {
    const segment = { ...say(100, 'Ann', 'aaaa bbbb cccc dddd'), text: 'aaaa bbbb new cccc dddd' };
    const [passage] = chunk([segment]);
    expect(passage?.layout.ms[0]).toBe(100_000);
    expect(passage?.layout.ms[4]).toBeGreaterThanOrEqual(102_000);
    expect(passage?.end).toBeLessThanOrEqual(104);
  });

  it('distributes the time of a segment without word times evenly', () => {
    const [passage] = chunk([{ start: 10, end: 14, text: 'ab cd ef gh', speaker: null, words: [] }]);
    expect(passage?.layout.ms).toEqual([10_000, 11_000, 12_000, 13_000]);
    expect(passage?.speakers).toEqual([]);
  });

  it('times the words of scripts without spaces and adds no spaces', () => {
    const text = '我们明天开会。大家都要来。';
    const words = text.split('').map((word, i) => ({ word, start: i, end: i + 1 }));
    const [passage] = chunk([{ start: 0, end: 13, text, speaker: null, words }]);
    expect(passage?.text).toBe(text);
    expect(passage?.layout.at.length).toBeGreaterThan(3);
    expect(passage?.layout.ms).toEqual(passage?.layout.at.map((at) => at * 1000));
  });

  it('splits passages into windows of a few sentences that cover every word once', () => {
    const segments = Array.from({ length: 60 }, (_, i) => say(i * 10, i < 30 ? 'Ann' : 'Bob', sentence(10, i * 10)));
    const windows = chunk(segments).flatMap((passage) => passage.windows);
    expect(windows.map((window) => window.text).join(' ')).toBe(segments.map((segment) => segment.text).join(' '));
    for (const window of windows) expect(count(window.text)).toBeLessThanOrEqual(58);
    expect(windows[1]).toMatchObject({ start: 20, token: 20, speakers: ['Ann'] });
  });

  it('creates one window for a short conversation', () => {
    const [passage] = chunk([say(0, 'Ann', 'When is it due?'), say(10, 'Bob', 'In March.')]);
    expect(passage?.windows).toEqual([
      { token: 0, text: 'When is it due? In March.', start: 0, end: 11.8, speakers: ['Ann', 'Bob'] },
    ]);
  });

  it('creates windows for speech without sentences', () => {
    const [passage] = chunk([say(0, 'Ann', Array.from({ length: 120 }, (_, i) => `w${i}`).join(' '))]);
    expect(passage?.windows.map((window) => window.token)).toEqual([0, 50, 100]);
  });

  it('returns no passages for an empty transcript', () => {
    expect(chunk([])).toEqual([]);
    expect(chunk([{ start: 0, end: 1, text: '  ', speaker: 'Ann', words: [] }])).toEqual([]);
  });
});
