import { agnes } from 'ml-hclust';
import { joinVoices, voiceDistance, type Voice } from './voice.ts';

/** Upper bound of speakers when the request names no number. */
const maxSpeakers = 10;
/** Voices nearer than this are one person; see `voiceDistance`. Measured on read and synthetic speech. */
const samePersonDistance = 1.9;

export type Bounds = { min: number | null; max: number | null };

/** Groups pieces of speech into speakers. @returns one label per piece. */
export function clusterVoices(pieces: readonly Voice[], bounds: Bounds): number[] {
  const { low, high } = limitsOf(bounds, pieces.length);
  return high < 2
    ? pieces.map(() => 0)
    : joinNearest(pieces, firstGroups(pieces, Math.max(high * 2, 12), 'average'), low, high);
}

/** The smallest and the largest number of speakers among `count` pieces. */
export function limitsOf(bounds: Bounds, count: number): { low: number; high: number } {
  const low = Math.min(Math.max(1, bounds.min ?? 1), count);
  return { low, high: Math.min(Math.max(low, bounds.max ?? maxSpeakers), count) };
}

/**
 * Groups of the pieces that are most alike. By their average distance, one unlike piece can be a group of its own; the
 * groups of Ward's method are of similar size. @returns one label per piece.
 */
export function firstGroups(pieces: readonly Voice[], groups: number, method: 'average' | 'ward'): number[] {
  const count = pieces.length;
  if (count < 2) return pieces.map(() => 0);
  const distances = pieces.map((piece, i) =>
    pieces.map((other, column) => (i < column ? voiceDistance(piece, other) : 0)),
  );
  for (let i = 0; i < count; i++)
    for (let column = 0; column < i; column++) (distances[i] as number[])[column] = distances[column]?.[i] ?? 0;
  const tree = agnes(distances, { method, isDistanceMatrix: true });
  const labels = pieces.map(() => 0);
  for (const [label, group] of tree.group(Math.min(count, groups)).children.entries())
    for (const index of group.indices()) labels[index] = label;
  return labels;
}

/** Joins the two nearest groups until the rest are different people, within the bounds. */
function joinNearest(pieces: readonly Voice[], labels: readonly number[], low: number, high: number): number[] {
  let groups = [...new Set(labels)].map((label) => {
    const members = labels.flatMap((candidate, i) => (candidate === label ? [i] : []));
    return { members, voice: joinVoices(members.map((i) => pieces[i] as Voice)) };
  });
  while (groups.length > low) {
    let nearest: { distance: number; pair: typeof groups } = { distance: Infinity, pair: [] };
    for (const [i, one] of groups.entries())
      for (const other of groups.slice(0, i)) {
        const distance = voiceDistance(one.voice, other.voice);
        if (distance < nearest.distance) nearest = { distance, pair: [one, other] };
      }
    const [one, other] = nearest.pair;
    if (!one || !other || (nearest.distance >= samePersonDistance && groups.length <= high)) break;
    const joined = { members: [...one.members, ...other.members], voice: joinVoices([one.voice, other.voice]) };
    groups = [...groups.filter((group) => group !== one && group !== other), joined];
  }
  const result = pieces.map(() => 0);
  for (const [label, { members }] of groups.entries()) for (const i of members) result[i] = label;
  return result;
}
