import { describe, expect, it } from '@jest/globals';
import { linkSpeakers, type LocalSpeaker } from './link-speakers.ts';

function voice(window: number, speaker: number, ...vector: number[]): LocalSpeaker {
  return { window, speaker, seconds: 10, vector: Float32Array.from(vector) };
}

describe('the same person in several windows', () => {
  it('is found by voice similarity, whatever its number in the window', () => {
    const [first, second, third, fourth] = linkSpeakers(
      [voice(0, 0, 1, 0), voice(0, 1, 0, 1), voice(1, 0, 0.1, 1), voice(1, 1, 1, 0.1)],
      0.5,
    );
    expect(first).toBe(fourth);
    expect(second).toBe(third);
    expect(first).not.toBe(second);
  });

  it('never joins two speakers of one window, however similar', () => {
    const [first, second] = linkSpeakers([voice(0, 0, 1, 0), voice(0, 1, 1, 0.01)], 0.5);
    expect(first).not.toBe(second);
  });

  it('keeps a dissimilar voice separate', () => {
    const [first, second] = linkSpeakers([voice(0, 0, 1, 0), voice(1, 0, 0, 1)], 0.5);
    expect(first).not.toBe(second);
  });
});
