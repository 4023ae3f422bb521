import { describe, expect, it } from '@jest/globals';
import type { Turn } from '@overtone/contracts';
import { growthOf, linearGrowth } from '@overtone/testkit/growth';
import { toNearestVoices } from './nearest-voices.ts';

type Span = { start: number; end: number };
const voices = new Map([
  [0, Float32Array.of(1, 0)],
  [1, Float32Array.of(0, 1)],
]);

/** Who really speaks; between two people, half of each voice. */
function recording(spoken: readonly Turn[]) {
  const asked: Span[] = [];
  const vectorOf = ({ start, end }: Span): Promise<Float32Array> => {
    asked.push({ start, end });
    const vector = new Float32Array(2);
    for (const { speaker, ...turn } of spoken)
      vector[speaker]! += Math.max(0, Math.min(end, turn.end) - Math.max(start, turn.start));
    return Promise.resolve(vector);
  };
  return { least: 1, asked, speech: spoken.map(({ start, end }) => ({ start, end })), voices, vectorOf };
}
function said(start: number, end: number, speaker: number): Turn {
  return { start, end, speaker };
}

describe('the speaker of a piece between two pauses', () => {
  it('is the one with the nearest voice, where the segmentation noticed the change late', async () => {
    const found = [said(0, 9, 0), said(9, 20, 1)];
    const spoken = recording([said(0, 5, 0), said(6, 9, 1), said(9.5, 20, 1)]);
    expect(await toNearestVoices(found, spoken)).toEqual([
      said(0, 5.5, 0),
      said(5.5, 9, 1),
      said(9, 9.25, 1),
      said(9.25, 20, 1),
    ]);
  });

  it('stays when no voice is clearly nearer, or the piece is too short to tell', async () => {
    const halves = recording([said(0, 5, 0), said(6, 8, 0), said(6, 8, 1)]);
    expect((await toNearestVoices([said(0, 8, 0)], halves)).every(({ speaker }) => speaker === 0)).toBe(true);
    const short = recording([said(0, 5.2, 0), said(5.4, 5.6, 1), said(5.8, 9, 0)]);
    expect((await toNearestVoices([said(0, 9, 0)], short)).every(({ speaker }) => speaker === 0)).toBe(true);
  });

  it('stays where two people speak at the same time', async () => {
    const found = [said(0, 5, 0), said(4, 6, 1), said(6, 12, 0)];
    const spoken = recording([said(0, 3, 0), said(4, 6, 1), said(7, 12, 1)]);
    const judged = await toNearestVoices(found, spoken);
    expect(judged.filter(({ start, end }) => start < 5 && end > 4).map(({ speaker }) => speaker)).toEqual([0, 1]);
    expect(judged.at(-1)).toEqual(said(6.5, 12, 1));
  });

  it('stays when fewer speakers would remain than there must be', async () => {
    const found = [said(0, 5.5, 0), said(5.5, 12, 1)];
    const spoken = recording([said(0, 5, 0), said(6, 12, 0)]);
    const speakers = (turns: readonly Turn[]) => turns.map(({ speaker }) => speaker);
    expect(speakers(await toNearestVoices(found, spoken))).toEqual([0, 0]);
    expect(await toNearestVoices(found, { ...spoken, least: 2 })).toEqual(found);
  });

  it('needs no look at a recording of one voice', async () => {
    const spoken = recording([said(0, 5, 0), said(6, 9, 0)]);
    const one = { ...spoken, voices: new Map([...voices].slice(0, 1)) };
    expect(await toNearestVoices([said(0, 9, 0)], one)).toEqual([said(0, 9, 0)]);
    expect(spoken.asked).toEqual([]);
  });

  it('covers each turn without a gap', async () => {
    const found = [said(0, 30, 0), said(2, 4, 1), said(31, 60, 1)];
    const spoken = recording(Array.from({ length: 20 }, (_, i) => said(3 * i, 3 * i + 2, i % 2)));
    const judged = await toNearestVoices(found, spoken);
    for (const turn of found)
      expect(judged.some(({ start }) => start === turn.start) && judged.some(({ end }) => end === turn.end)).toBe(true);
    const seconds = (turns: readonly Turn[]) => turns.reduce((sum, { start, end }) => sum + end - start, 0);
    expect(seconds(judged)).toBeCloseTo(seconds(found), 6);
  });

  it('is found in linear time', async () => {
    const conversation = (size: number) => ({
      found: Array.from({ length: size }, (_, i) => said(i, i + 1, i % 2)),
      spoken: Array.from({ length: size }, (_, i) => ({ start: i + 0.1, end: i + 0.9 })),
    });
    const judge = ({ found, spoken }: ReturnType<typeof conversation>) =>
      toNearestVoices(found, {
        speech: spoken,
        voices,
        vectorOf: () => Promise.resolve(Float32Array.of(1, 0)),
        least: 1,
      });
    expect(await growthOf(conversation, 4_000, judge)).toBeLessThan(linearGrowth);
  });
});
