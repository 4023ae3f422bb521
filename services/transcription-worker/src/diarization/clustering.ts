import { agnes } from 'ml-hclust';

/** Most speakers that are looked for when nobody says how many there are. */
const mostSpeakers = 8;
/** Clustering costs the square of its points: more than this are sampled, and the rest joins the nearest group. */
const mostPoints = 600;
/** A split that separates less clearly than this is one voice in two moods. Measured on synthetic and read speech. */
const clearSplit = 0.25;

export type Bounds = { min: number | null; max: number | null };

/** Every feature to mean 0 and deviation 1, in place. */
export const standardise = (points: Float64Array[]): void => {
  const dims = points[0]?.length ?? 0;
  for (let d = 0; d < dims; d++) {
    const mean = points.reduce((sum, p) => sum + (p[d] ?? 0), 0) / points.length;
    const variance = points.reduce((sum, p) => sum + ((p[d] ?? 0) - mean) ** 2, 0) / points.length;
    const scale = variance > 1e-12 ? 1 / Math.sqrt(variance) : 0;
    for (const p of points) p[d] = ((p[d] ?? 0) - mean) * scale;
  }
};

const distance = (a: Float64Array, b: Float64Array): number => {
  let sum = 0;
  for (let d = 0; d < a.length; d++) sum += ((a[d] ?? 0) - (b[d] ?? 0)) ** 2;
  return Math.sqrt(sum);
};

/** Mean silhouette: how much nearer points are to their own group than to the next one, -1..1. */
export const silhouette = (distances: Float64Array[], labels: readonly number[], groups: number): number => {
  const sizes = Array.from({ length: groups }, (_, g) => labels.filter((l) => l === g).length);
  let total = 0;
  for (const [i, row] of distances.entries()) {
    const sums = new Float64Array(groups);
    for (const [j, label] of labels.entries()) sums[label] = (sums[label] ?? 0) + (row[j] ?? 0);
    const own = labels[i] ?? 0;
    const size = sizes[own] ?? 1;
    if (size < 2) continue;
    const inside = (sums[own] ?? 0) / (size - 1);
    let outside = Infinity;
    for (let g = 0; g < groups; g++) if (g !== own) outside = Math.min(outside, (sums[g] ?? 0) / (sizes[g] ?? 1));
    total += (outside - inside) / Math.max(outside, inside);
  }
  return total / distances.length;
};

const labelsOf = (tree: ReturnType<typeof agnes>, groups: number, count: number): number[] => {
  const labels = Array.from({ length: count }, () => 0);
  for (const [label, group] of tree.group(groups).children.entries())
    for (const index of group.indices()) labels[index] = label;
  return labels;
};

/** The number of groups that separates most clearly within the bounds; one when no split is clear. */
const chooseGroups = (tree: ReturnType<typeof agnes>, distances: Float64Array[], { min, max }: Bounds): number => {
  const count = distances.length;
  const low = Math.min(Math.max(1, min ?? 1), count);
  const high = Math.min(Math.max(low, max ?? mostSpeakers), count);
  let best = { groups: low, score: low === 1 ? clearSplit : -Infinity };
  for (let groups = Math.max(2, low); groups <= high; groups++) {
    const score = silhouette(distances, labelsOf(tree, groups, count), groups);
    // A further speaker has to make it clearer, not as clear.
    if (score > best.score + (best.groups > 1 ? 0.01 : 0)) best = { groups, score };
  }
  return best.groups;
};

const centroidsOf = (points: readonly Float64Array[], labels: readonly number[], groups: number): Float64Array[] =>
  Array.from({ length: groups }, (_, g) => {
    const members = points.filter((_p, i) => labels[i] === g);
    const centre = new Float64Array(points[0]?.length ?? 0);
    for (const m of members)
      for (let d = 0; d < centre.length; d++) centre[d] = (centre[d] ?? 0) + (m[d] ?? 0) / members.length;
    return centre;
  });

/** Groups points (standardised features) into speakers. @returns a label per point. */
export const clusterSpeakers = (points: readonly Float64Array[], bounds: Bounds): number[] => {
  if (points.length < 2) return points.map(() => 0);
  const step = Math.max(1, points.length / mostPoints);
  const sample = Array.from(
    { length: Math.min(points.length, mostPoints) },
    (_, i) => points[Math.floor(i * step)] as Float64Array,
  );
  const distances = sample.map((a) => Float64Array.from(sample, (b) => distance(a, b)));
  const tree = agnes(
    distances.map((row) => [...row]),
    { method: 'ward', isDistanceMatrix: true },
  );
  const groups = chooseGroups(tree, distances, bounds);
  if (groups === 1) return points.map(() => 0);
  const centroids = centroidsOf(sample, labelsOf(tree, groups, sample.length), groups);
  return points.map((p) => {
    const d = centroids.map((c) => distance(p, c));
    return d.indexOf(Math.min(...d));
  });
};
