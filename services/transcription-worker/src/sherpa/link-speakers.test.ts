import { describe, expect, it } from '@jest/globals';
import { linkSpeakers, type LinkOptions, type LocalSpeaker } from './link-speakers.ts';

const options: LinkOptions = { threshold: 0.5, shortThreshold: 0.3, shortSeconds: 3, least: 1, most: Infinity };

function voice(vector: readonly number[], { window = 0, seconds = 10 } = {}): LocalSpeaker {
  return { window, speaker: 0, seconds, vector: Float32Array.from(vector) };
}

function peopleIn(voices: readonly LocalSpeaker[], more: Partial<LinkOptions> = {}): number {
  return new Set(linkSpeakers(voices, { ...options, ...more })).size;
}

describe('the same person', () => {
  it('is found in several windows by voice similarity', () => {
    const later = { window: 1 };
    const [first, second, third, fourth] = linkSpeakers(
      [voice([1, 0]), voice([0, 1]), voice([0.1, 1], later), voice([1, 0.1], later)],
      options,
    );
    expect(first).toBe(fourth);
    expect(second).toBe(third);
    expect(first).not.toBe(second);
  });

  it('is found again after the clustering separated one voice in a window', () => {
    expect(peopleIn([voice([1, 0]), voice([1, 0.4]), voice([0, 1])])).toBe(2);
  });

  it('is compared by the mean of the voices that were joined', () => {
    // The last voice resembles the second one, and not the first two together.
    expect(peopleIn([voice([1, 0], { seconds: 100 }), voice([0.8, 0.6]), voice([0.1, 1])])).toBe(2);
  });

  it('needs less similarity when a voice is short, because its embedding is inexact', () => {
    const resembling = [0.4, 0.917];
    expect(peopleIn([voice([1, 0]), voice(resembling)])).toBe(2);
    expect(peopleIn([voice([1, 0]), voice(resembling, { seconds: 2 })])).toBe(1);
    expect(peopleIn([voice([1, 0]), voice([0, 1], { seconds: 2 })])).toBe(2);
  });
});

describe('the number of people', () => {
  const different = [voice([1, 0, 0]), voice([0.2, 1, 0]), voice([0, 0, 1])];

  it('is that of the voices without bounds', () => {
    expect(peopleIn(different)).toBe(3);
  });

  it('does not exceed the maximum: the most similar voices are joined', () => {
    const [first, second, third] = linkSpeakers(different, { ...options, most: 2 });
    expect(first).toBe(second);
    expect(third).not.toBe(first);
  });

  it('does not fall below the minimum, however similar the voices are', () => {
    expect(peopleIn([voice([1, 0]), voice([1, 0.01]), voice([1, 0.02])], { least: 2 })).toBe(2);
  });
});
