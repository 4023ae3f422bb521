import type { VoiceRow } from '../ports/speaker-index.ts';

type Voice = Pick<VoiceRow, 'speakerId' | 'vector'>;
/** The cosine that is as likely one person as two, and how fast that changes. */
type Calibration = { middle: number; slope: number };
export type Match = { speakerId: string; profileId: string; confidence: number };

/** Candidates of a speaker. */
const maxMatches = 3;
const maxPairs = 5_000;

/**
 * How likely each speaker is the person of each profile. A profile is compared by its mean voice. Two profiles that are about
 * equally similar share the confidence: people who sound alike are not suggested for each other. Profiles that were refused
 * for a speaker take no part.
 */
export function matchProfiles(
  calibration: Calibration,
  speakers: readonly Voice[],
  profiles: readonly { profileId: string; rows: readonly Voice[] }[],
  refused: readonly { speakerId: string; profileIds: readonly string[] }[],
): Match[] {
  const refusedOf = new Map(refused.map(({ speakerId, profileIds }) => [speakerId, new Set(profileIds)]));
  const means = profiles.flatMap(({ profileId, rows }) => (rows.length > 0 ? [{ profileId, mean: meanOf(rows) }] : []));
  return speakers.flatMap(({ speakerId, vector }) => {
    const ranked = means
      .filter(({ profileId }) => !refusedOf.get(speakerId)?.has(profileId))
      .map(({ profileId, mean }) => ({ profileId, similarity: similarity(vector, mean) }))
      .toSorted((x, y) => y.similarity - x.similarity)
      .slice(0, maxMatches);
    const odds = ranked.map((match) => Math.exp(calibration.slope * (match.similarity - (ranked[0]?.similarity ?? 0))));
    const total = odds.reduce((sum, value) => sum + value, 0);
    return ranked.map(({ profileId, similarity: value }, i) => ({
      speakerId,
      profileId,
      confidence: Math.min(confidenceOf(calibration, value), (odds[i] ?? 0) / total),
    }));
  });
}

/** Pairs that are likely one person, the likeliest first. */
export function similarPairs(calibration: Calibration, speakers: readonly Voice[], minConfidence: number) {
  const pairs: { first: string; second: string; confidence: number }[] = [];
  for (const [i, one] of speakers.entries())
    for (const other of speakers.slice(0, i)) {
      const confidence = confidenceOf(calibration, similarity(one.vector, other.vector));
      if (confidence >= minConfidence) pairs.push({ first: one.speakerId, second: other.speakerId, confidence });
    }
  return pairs.toSorted((x, y) => y.confidence - x.confidence).slice(0, maxPairs);
}

/** A calibrated confidence from the cosine of two embeddings. */
export function confidenceOf({ middle, slope }: Calibration, cosine: number): number {
  return 1 / (1 + Math.exp(-slope * (cosine - middle)));
}

function similarity(one: Float32Array, other: Float32Array): number {
  let sum = 0;
  for (let i = 0; i < one.length; i++) sum += (one[i] ?? 0) * (other[i] ?? 0);
  return sum;
}

function meanOf(rows: readonly Voice[]): Float32Array {
  const mean = new Float32Array(rows[0]?.vector.length ?? 0);
  for (const { vector } of rows) for (let i = 0; i < mean.length; i++) mean[i] = (mean[i] ?? 0) + (vector[i] ?? 0);
  const length = Math.hypot(...mean) || 1;
  return mean.map((value) => value / length);
}
