import { describe, expect, it } from '@jest/globals';
import { voiceVersions } from '@overtone/contracts';
import { matchProfiles, scoringOf, similarPairs } from './compare.ts';
import { voiceNormalizations } from './voice-normalization.ts';

const normalized = voiceVersions.flatMap((version) => {
  const normalization = voiceNormalizations[version.name];
  return normalization ? [{ ...version, ...normalization }] : [];
});

describe.each(normalized)('voices of version $name', ({ name, dimension, center, weights }) => {
  const scoring = scoringOf(name);

  /** The voice of a person who differs from an average voice in every number, each person in another way. */
  function voiceOf(person: number, recording: number) {
    const vector = Float32Array.from(center, (value, i) => {
      const own = Math.sin((person + 1) * (i + 1) * 1.7) + 0.3 * Math.sin((recording + 2) * (i + 1) * 2.3);
      return value + (0.02 * own) / (weights[i] ?? 1);
    });
    const length = Math.hypot(...vector);
    return { speakerId: `${person}-${recording}`, vector: vector.map((value) => value / length) };
  }

  it('have a normalization of their dimension', () => {
    expect([center.length, weights.length]).toEqual([dimension, dimension]);
    expect(Math.min(...weights)).toBeGreaterThan(0);
  });

  it('are not one person because of what all voices have in common', () => {
    const [one, other] = [voiceOf(1, 1), voiceOf(2, 1)];
    const cosine = one.vector.reduce((sum, value, i) => sum + value * (other.vector[i] ?? 0), 0);
    expect(cosine).toBeGreaterThan(scoring.confidence.middle);
    expect(similarPairs(scoring, [one, other], 0.5)).toEqual([]);
  });

  it('of one person are one person in another recording', () => {
    const [pair] = similarPairs(scoring, [voiceOf(1, 1), voiceOf(1, 2)], 0.75);
    expect(pair?.confidence).toBeGreaterThan(0.75);
  });

  it('are suggested for the profile of the person, and not for that of another one', () => {
    const profiles = [1, 2].map((person) => ({
      profileId: `${person}`,
      rows: [voiceOf(person, 1), voiceOf(person, 3)],
    }));
    const matches = matchProfiles(scoring, [voiceOf(1, 2), voiceOf(3, 2)], profiles, []);
    const likely = matches.filter(({ confidence }) => confidence >= 0.75);
    expect(likely.map(({ speakerId, profileId }) => [speakerId, profileId])).toEqual([['1-2', '1']]);
  });
});
