import { describe, expect, it } from '@jest/globals';
import { linkSpeakers, type LocalSpeaker } from './link-speakers.ts';

function voice(window: number, speaker: number, ...vector: number[]): LocalSpeaker {
  return {
    window,
    speaker,
    seconds: 10,
    vector: Float32Array.from(vector),
  };
}

describe('the same person in several windows', () => {
  it('is found by voice similarity, whatever its number in the window', () => {
    const [a, b, c, d] = linkSpeakers(
      [voice(0, 0, 1, 0), voice(0, 1, 0, 1), voice(1, 0, 0.1, 1), voice(1, 1, 1, 0.1)],
      0.5,
    );
    expect(a).toBe(d);
    expect(b).toBe(c);
    expect(a).not.toBe(b);
  });

  it('never joins two speakers of one window, however similar', () => {
    const [a, b] = linkSpeakers([voice(0, 0, 1, 0), voice(0, 1, 1, 0.01)], 0.5);
    expect(a).not.toBe(b);
  });

  it('keeps a dissimilar voice separate', () => {
    const [a, b] = linkSpeakers([voice(0, 0, 1, 0), voice(1, 0, 0, 1)], 0.5);
    expect(a).not.toBe(b);
  });
});
