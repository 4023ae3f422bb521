import { describe, expect, it } from '@jest/globals';
import type { InsightSegment } from '@overtone/contracts';
import { countTokens } from '../ports/model-tokens.ts';
import { splitSections } from './sections.ts';

function segment(text: string, speaker: string | null = 'anna'): InsightSegment {
  return {
    uuid: crypto.randomUUID(),
    start: 0,
    end: 1,
    text,
    speakerUuid: speaker,
    speakerLabel: speaker,
    speakerName: speaker,
    named: true,
  };
}

function tokensOf(lines: readonly { text: string }[]): number {
  return lines.reduce((sum, { text }) => sum + countTokens(text) + 1, 0);
}

function spoken(lines: readonly { text: string }[]): string {
  return lines.map(({ text }) => text.replace(/^\[\d+\](?: \w+:)? /, '')).join('');
}

describe('sections of a transcript', () => {
  it('contain every passage once, in order, and no more tokens than there is room', () => {
    const segments = Array.from({ length: 500 }, (_, i) =>
      segment(`this is what was said in passage ${i} of the meeting`, i % 7 < 4 ? 'anna' : 'ben'),
    );
    const sections = splitSections(segments, 300, countTokens);
    expect(sections.length).toBeGreaterThan(10);
    expect(sections.flatMap(({ lines }) => lines.map(({ number }) => number))).toEqual([...segments.keys()]);
    expect(Math.max(...sections.map(({ lines }) => tokensOf(lines)))).toBeLessThanOrEqual(300);
  });

  it('begin where the speaker changes, as long as a turn fits', () => {
    const segments = Array.from({ length: 60 }, (_, i) =>
      segment('we talk about the plan of this year', Math.floor(i / 3) % 2 === 0 ? 'anna' : 'ben'),
    );
    const sections = splitSections(segments, 200, countTokens);
    expect(sections.length).toBeGreaterThan(3);
    for (const { lines } of sections) expect((lines[0]?.number ?? 1) % 3).toBe(0);
  });

  it('divide a passage that is too long at sentences, then at words, then at characters', () => {
    const texts = [
      'One sentence is here. '.repeat(80).trim(),
      'word '.repeat(600).trim(),
      '界'.repeat(900),
      'x'.repeat(5_000),
    ];
    for (const text of texts) {
      const sections = splitSections([segment(text)], 200, countTokens);
      const lines = sections.flatMap((section) => section.lines);
      expect(new Set(lines.map(({ number }) => number))).toEqual(new Set([0]));
      expect(Math.max(...sections.map((section) => tokensOf(section.lines)))).toBeLessThanOrEqual(200);
      expect(spoken(lines).replaceAll(/\s/g, '')).toBe(text.replaceAll(/\s/g, ''));
    }
    const [first] = splitSections([segment(texts[0]!)], 200, countTokens);
    expect(first?.lines.at(-1)?.text).toMatch(/here\.$/);
  });

  it('leave out empty passages', () => {
    expect(splitSections([segment(' '), segment('a')], 200, countTokens)).toEqual([
      { lines: [{ number: 1, text: '[1] anna: a' }] },
    ]);
    expect(splitSections([], 200, countTokens)).toEqual([]);
  });
});
