import type { VoiceVersion } from '@overtone/contracts';
import { versionOf, type VoiceRow } from '../ports/speaker-index.ts';
import { voiceNormalizations, type VoiceNormalization } from './voice-normalization.ts';

type Voice = Pick<VoiceRow, 'speakerId' | 'vector'>;
/** The cosine that is as likely one person as two, and how fast that changes. */
type Calibration = { middle: number; slope: number };
/** `normalization`: applied before voices are compared; null: the embeddings are compared as they are. */
export type Scoring = { confidence: Calibration; normalization: VoiceNormalization | null };
export type Match = { speakerId: string; profileId: string; confidence: number };

/** Candidates of a speaker. */
const maxMatches = 3;
const maxPairs = 5_000;

export function scoringOf(version: VoiceVersion): Scoring {
  return { confidence: versionOf(version).confidence, normalization: voiceNormalizations[version] };
}

/**
 * How likely each speaker is the person of each profile. A profile is compared by its mean voice. Two profiles that are about
 * equally similar share the confidence: people who sound alike are not suggested for each other. Profiles that were refused
 * for a speaker take no part.
 */
export function matchProfiles(
  { confidence: calibration, normalization }: Scoring,
  speakers: readonly Voice[],
  profiles: readonly { profileId: string; rows: readonly Voice[] }[],
  refused: readonly { speakerId: string; profileIds: readonly string[] }[],
): Match[] {
  const refusedOf = new Map(refused.map(({ speakerId, profileIds }) => [speakerId, new Set(profileIds)]));
  const means = profiles.flatMap(({ profileId, rows }) =>
    rows.length > 0 ? [{ profileId, mean: normalize(meanOf(rows), normalization) }] : [],
  );
  return speakers.flatMap((speaker) => {
    const { speakerId } = speaker;
    const vector = normalize(speaker.vector, normalization);
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
export function similarPairs(
  { confidence: calibration, normalization }: Scoring,
  voices: readonly Voice[],
  minConfidence: number,
) {
  const speakers = voices.map(({ speakerId, vector }) => ({ speakerId, vector: normalize(vector, normalization) }));
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
  for (const { vector } of rows)
    for (let i = 0; i < mean.length; i++) mean[i] = (mean[i] ?? 0) + (vector[i] ?? 0) / rows.length;
  return mean;
}

/**
 * What distinguishes a voice from an average one, of length 1. Embeddings of different people have much in common, which
 * would be taken for a similarity of their voices.
 */
function normalize(vector: Float32Array, normalization: VoiceNormalization | null): Float32Array {
  const scaled = normalization
    ? vector.map((value, i) => (value - (normalization.center[i] ?? 0)) * (normalization.weights[i] ?? 1))
    : vector;
  const length = Math.hypot(...scaled) || 1;
  return scaled.map((value) => value / length);
}
