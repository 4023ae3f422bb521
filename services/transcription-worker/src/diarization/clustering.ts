import { agnes } from 'ml-hclust';
import { joinVoices, voiceDistance, type Voice } from './voice.ts';

/** Upper bound of speakers when the request names no number. */
const maxSpeakers = 10;
/** Voices nearer than this are one person; see `voiceDistance`. Measured on read and synthetic speech. */
const samePersonDistance = 1.9;

export type Bounds = { min: number | null; max: number | null };

/** Groups pieces of speech into speakers. */
export function clusterPieces(pieces: readonly Voice[], bounds: Bounds): Voice[] {
  const limits = limitsOf(bounds, pieces.length);
  if (limits.high < 2) return [joinVoices(pieces)];
  const groups = firstGroups(pieces, Math.max(limits.high * 2, 12), 'average');
  return joinNearest(groups, { ...limits, minDistance: samePersonDistance });
}

/** The smallest and the largest number of speakers among `count` pieces. */
export function limitsOf(bounds: Bounds, count: number): { low: number; high: number } {
  const low = Math.min(Math.max(1, bounds.min ?? 1), count);
  return { low, high: Math.min(Math.max(low, bounds.max ?? maxSpeakers), count) };
}

/**
 * Groups of the pieces that are most alike. By their average distance, one unlike piece can be a group of its own; the
 * groups of Ward's method are of similar size.
 */
export function firstGroups(pieces: readonly Voice[], groups: number, method: 'average' | 'ward'): Voice[] {
  const count = pieces.length;
  if (count < 2) return [...pieces];
  const distances = pieces.map((piece, i) =>
    pieces.map((other, column) => (i < column ? voiceDistance(piece, other) : 0)),
  );
  for (let i = 0; i < count; i++)
    for (let column = 0; column < i; column++) (distances[i] as number[])[column] = distances[column]?.[i] ?? 0;
  const tree = agnes(distances, { method, isDistanceMatrix: true });
  const labels = pieces.map(() => 0);
  for (const [label, group] of tree.group(Math.min(count, groups)).children.entries())
    for (const index of group.indices()) labels[index] = label;
  return joinByLabel(pieces, labels);
}

/** One voice for each label, in the order of their first pieces. */
export function joinByLabel(pieces: readonly Voice[], labels: readonly number[]): Voice[] {
  return [...new Set(labels)].map((label) => joinVoices(pieces.filter((_, i) => labels[i] === label)));
}

type JoinLimits = {
  /** Voices nearer than this are one person. */
  minDistance: number;
  low: number;
  high: number;
};

/**
 * Joins the two nearest voices until the rest are different people, within the limits.
 * @param refine is applied to the voices after two of them were joined.
 */
export function joinNearest(
  first: readonly Voice[],
  { minDistance, low, high }: JoinLimits,
  refine = (voices: Voice[]): Voice[] => voices,
): Voice[] {
  let voices = [...first];
  while (voices.length > low) {
    const { distance, one, other } = nearestPair(voices);
    if (distance >= minDistance && voices.length <= high) break;
    voices = refine([...voices.filter((voice) => voice !== one && voice !== other), joinVoices([one, other])]);
  }
  return voices;
}

function nearestPair(voices: readonly Voice[]): { distance: number; one: Voice; other: Voice } {
  const pairs = voices.flatMap((one, i) =>
    voices.slice(0, i).map((other) => ({ distance: voiceDistance(one, other), one, other })),
  );
  return pairs.reduce((best, pair) => (pair.distance < best.distance ? pair : best));
}
