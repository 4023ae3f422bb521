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

function sentence(n: number, from = 0) {
  return `${Array.from({ length: n - 1 }, (_, i) => `w${from + i}`).join(' ')} end.`;
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
    expect(chunk(turns).map((p) => p.speakers)).toEqual([['Ann'], ['Bob'], ['Ann']]);
  });

  it('joins consecutive segments of one speaker into one turn', () => {
    const passages = chunk([say(0, 'Ann', 'One two.'), say(2, 'Ann', 'Three four.')]);
    expect(passages[0]?.layout.turns).toEqual([[0, 'Ann']]);
  });

  it('splits a long turn at sentence ends with an overlap of about forty words', () => {
    const segments = Array.from({ length: 60 }, (_, i) => say(i * 10, 'Ann', sentence(10, i * 10)));
    const passages = chunk(segments);
    expect(passages.length).toBeGreaterThan(2);
    for (const p of passages) {
      expect(count(p.text)).toBeLessThanOrEqual(240);
      expect(p.text.endsWith('end.')).toBe(true);
    }
    for (const [i, p] of passages.entries()) {
      const next = passages[i + 1];
      if (!next) continue;
      const repeated = p.layout.ms.filter((ms) => ms >= (next.layout.ms[0] ?? 0)).length;
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
    const all = new Set(segments.flatMap((s) => s.words.map((w) => Math.round(w.start * 1000))));
    for (const p of chunk(segments)) for (const ms of p.layout.ms) all.delete(ms);
    expect(all.size).toBe(0);
  });

  it('keeps passages in order of time, each starting at its first word', () => {
    const segments = Array.from({ length: 30 }, (_, i) => say(i * 20, i % 2 ? 'Ann' : 'Bob', sentence(15, i)));
    for (const p of chunk(segments)) {
      expect(p.layout.ms).toEqual([...p.layout.ms].sort((a, b) => a - b));
      expect(p.start * 1000).toBe(p.layout.ms[0]);
      expect(p.end).toBeGreaterThan(p.start);
    }
  });

  it('gives words of an edited text the time at their relative position', () => {
    const segment = { ...say(100, 'Ann', 'aaaa bbbb cccc dddd'), text: 'aaaa bbbb new cccc dddd' };
    const [p] = chunk([segment]);
    expect(p?.layout.ms[0]).toBe(100_000);
    expect(p?.layout.ms[4]).toBeGreaterThanOrEqual(102_000);
    expect(p?.end).toBeLessThanOrEqual(104);
  });

  it('distributes the time of a segment without word times evenly', () => {
    const [p] = chunk([{ start: 10, end: 14, text: 'ab cd ef gh', speaker: null, words: [] }]);
    expect(p?.layout.ms).toEqual([10_000, 11_000, 12_000, 13_000]);
    expect(p?.speakers).toEqual([]);
  });

  it('times the words of scripts without spaces and adds no spaces', () => {
    const text = '我们明天开会。大家都要来。';
    const words = text.split('').map((word, i) => ({ word, start: i, end: i + 1 }));
    const [p] = chunk([{ start: 0, end: 13, text, speaker: null, words }]);
    expect(p?.text).toBe(text);
    expect(p?.layout.at.length).toBeGreaterThan(3);
    expect(p?.layout.ms).toEqual(p?.layout.at.map((at) => at * 1000));
  });

  it('splits passages into windows of a few sentences that cover every word once', () => {
    const segments = Array.from({ length: 60 }, (_, i) => say(i * 10, i < 30 ? 'Ann' : 'Bob', sentence(10, i * 10)));
    const windows = chunk(segments).flatMap((p) => p.windows);
    expect(windows.map((w) => w.text).join(' ')).toBe(segments.map((s) => s.text).join(' '));
    for (const w of windows) expect(count(w.text)).toBeLessThanOrEqual(58);
    expect(windows[1]).toMatchObject({ start: 20, token: 20, speakers: ['Ann'] });
  });

  it('creates one window for a short conversation', () => {
    const [p] = chunk([say(0, 'Ann', 'When is it due?'), say(10, 'Bob', 'In March.')]);
    expect(p?.windows).toEqual([
      { token: 0, text: 'When is it due? In March.', start: 0, end: 11.8, speakers: ['Ann', 'Bob'] },
    ]);
  });

  it('creates windows for speech without sentences', () => {
    const [p] = chunk([say(0, 'Ann', Array.from({ length: 120 }, (_, i) => `w${i}`).join(' '))]);
    expect(p?.windows.map((w) => w.token)).toEqual([0, 50, 100]);
  });

  it('returns no passages for an empty transcript', () => {
    expect(chunk([])).toEqual([]);
    expect(chunk([{ start: 0, end: 1, text: '  ', speaker: 'Ann', words: [] }])).toEqual([]);
  });
});
