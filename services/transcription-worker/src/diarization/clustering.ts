import { agnes, type Cluster } from 'ml-hclust';
import { joinVoices, voiceDistances, type Voice } from './voice.ts';

/** Upper bound of speakers when the request names no number. */
const maxSpeakers = 10;
/**
 * Groups that differ more than this are two people; see `evidenceOf`. Noise makes voices alike. Measured on conversations of
 * read, acted and synthetic speech, in quiet, in rooms, in noise and by telephone.
 */
const minEvidence = { clear: 2, noisy: 1.6 };
/** Larger groups are not better evidence: one person's ways of speaking differ, too. */
const enoughPieces = 12;
/** Pieces of which the typical distance is measured, and the neighbors of each. */
const typical = { pieces: 24, neighbors: 3 };

export type Bounds = { min: number | null; max: number | null };
type Request = {
  bounds: Bounds;
  /** Frames of a speaker; smaller parts of a group are no evidence for another one. */
  least: number;
  isClear: boolean;
};
type Split = { parts: [Cluster, Cluster]; evidence: number };

/**
 * Groups pieces of speech into speakers: all pieces are one group first (of a tree by Ward's method), and the group whose
 * parts differ most is split until its parts are one person's.
 */
export function clusterPieces(pieces: readonly Voice[], { bounds, least, isClear }: Request): Voice[] {
  const { low, high } = limitsOf(bounds, pieces.length);
  const distances = voiceDistances(pieces);
  const scale = Math.sqrt(typicalDistance(distances));
  const voiceOfGroup = (group: Cluster): Voice => joinVoices(group.indices().map((i) => pieces[i]!));
  const splitOf = (group: Cluster, fewest: number): Split | null => {
    if (group.isLeaf) return null;
    const parts = group.children as [Cluster, Cluster];
    const small = parts.findIndex((part) => voiceOfGroup(part).frames < fewest);
    if (small !== -1) return splitOf(parts[1 - small]!, fewest);
    return { parts, evidence: evidenceOf(group, parts) / scale };
  };
  let groups: Cluster[] = [agnes(distances, { method: 'ward', isDistanceMatrix: true })];
  const bestSplit = (fewest: number) =>
    groups
      .flatMap((group) => {
        const split = splitOf(group, fewest);
        return split ? [{ group, split }] : [];
      })
      .toSorted((x, y) => y.split.evidence - x.split.evidence)[0];
  while (groups.length < high) {
    const isRequired = groups.length < low;
    const best = bestSplit(least) ?? (isRequired ? bestSplit(1) : undefined);
    if (!best || (!isRequired && best.split.evidence < minEvidence[isClear ? 'clear' : 'noisy'])) break;
    groups = [...groups.filter((group) => group !== best.group), ...best.split.parts];
  }
  return groups.map(voiceOfGroup);
}

/** The smallest and the largest number of speakers among `count` pieces. */
function limitsOf({ min, max }: Bounds, count: number): { low: number; high: number } {
  const low = Math.min(Math.max(1, min ?? 1), count);
  return { low, high: Math.min(Math.max(low, max ?? maxSpeakers), count) };
}

/**
 * How far the centers of the parts are from each other (what Ward's method minimises, divided by the size of the parts);
 * more when the parts are larger, because the centers of few pieces differ by chance.
 */
function evidenceOf({ height }: Cluster, [one, other]: [Cluster, Cluster]): number {
  const size = (2 * one.size * other.size) / (one.size + other.size);
  return (height / size) * Math.sqrt(Math.min(size, enoughPieces));
}

/** The median distance of pieces to their nearest neighbors, which are mostly of the same speaker. */
function typicalDistance(distances: readonly number[][]): number {
  const count = Math.min(distances.length, typical.pieces);
  const chosen = Array.from({ length: count }, (_, i) => Math.floor((i * distances.length) / count));
  const means = chosen.map((i) => {
    const nearest = chosen
      .filter((at) => at !== i)
      .map((at) => distances[i]![at]!)
      .sort((x, y) => x - y)
      .slice(0, typical.neighbors);
    return nearest.reduce((sum, distance) => sum + distance, 0) / Math.max(1, nearest.length);
  });
  return means.sort((x, y) => x - y)[Math.floor(count / 2)] || 1;
}
