/** A speaker of one window with the mean embedding of the voice. */
export type LocalSpeaker = { window: number; speaker: number; vector: Float32Array; seconds: number };

export type LinkOptions = {
  /** Similarity from which two voices are the same person. */
  threshold: number;
  /** The same for a voice of less than `shortSeconds`, whose embedding is inexact. */
  shortThreshold: number;
  shortSeconds: number;
  /** Bounds of the number of people. */
  least: number;
  most: number;
};

const none = new Float32Array();

type Voice = { vector: Float32Array; seconds: number };
type Pair = { one: number; other: number; likeness: number };

/**
 * Finds the same person among the speakers of all windows, the most similar voices first. Clustering separates one
 * person into several speakers more often than it joins two, so that speakers of one window are joined, too.
 * @returns a label per input.
 */
export function linkSpeakers(locals: readonly LocalSpeaker[], options: LinkOptions): number[] {
  const voices: (Voice | null)[] = locals.map(({ vector, seconds }) => ({ vector: scaled(vector, seconds), seconds }));
  const likeness = voices.map((one, i) =>
    Float64Array.from(voices.slice(0, i), (other) => cosine(one?.vector ?? none, other?.vector ?? none)),
  );
  const likenessOf = (one: number, other: number): number =>
    likeness[Math.max(one, other)]?.[Math.min(one, other)] ?? -1;
  const labels = locals.map((_, i) => i);
  for (let count = locals.length; count > options.least; count--) {
    const best = nearestPair(voices, likenessOf, count > options.most ? null : options);
    if (!best) break;
    const { one, other } = best;
    const joined = join(voices[one] ?? null, voices[other] ?? null);
    voices[one] = joined;
    voices[other] = null;
    for (const [i, voice] of voices.entries())
      if (voice && i !== one) likeness[Math.max(i, one)]![Math.min(i, one)] = cosine(voice.vector, joined.vector);
    for (const [i, label] of labels.entries()) if (label === other) labels[i] = one;
  }
  return labels;
}

/** @param options null: the most similar pair, however different its voices are */
function nearestPair(
  voices: readonly (Voice | null)[],
  likenessOf: (one: number, other: number) => number,
  options: LinkOptions | null,
): Pair | undefined {
  let best: Pair | undefined;
  for (const [one, voice] of voices.entries())
    for (let other = 0; other < one && voice; other++) {
      const candidate = voices[other];
      const likeness = likenessOf(one, other);
      if (!candidate || likeness <= (best?.likeness ?? -Infinity)) continue;
      const isShort = Math.min(voice.seconds, candidate.seconds) < (options?.shortSeconds ?? 0);
      const least = options === null ? -Infinity : isShort ? options.shortThreshold : options.threshold;
      if (likeness >= least) best = { one, other, likeness };
    }
  return best;
}

/** The mean voice of each label. */
export function voicesOf(locals: readonly LocalSpeaker[], labels: readonly number[]): Map<number, Float32Array> {
  const voices = new Map<number, Voice>();
  for (const [i, { vector, seconds }] of locals.entries()) {
    const label = labels[i] ?? 0;
    const own = { vector: scaled(vector, seconds), seconds };
    const before = voices.get(label);
    voices.set(label, before ? join(before, own) : own);
  }
  return new Map([...voices].map(([label, { vector }]) => [label, vector]));
}

function scaled(vector: Float32Array, seconds: number): Float32Array {
  const length = Math.hypot(...vector) || 1;
  return vector.map((value) => (value / length) * seconds);
}

function join(one: Voice | null, other: Voice | null): Voice {
  const vector = Float32Array.from(one?.vector ?? [], (value, i) => value + (other?.vector[i] ?? 0));
  return { vector, seconds: (one?.seconds ?? 0) + (other?.seconds ?? 0) };
}

/** Similarity of two vectors, from -1 to 1. */
export function cosine(left: Float32Array, right: Float32Array): number {
  let [dot, aa, bb] = [0, 0, 0];
  for (let i = 0; i < left.length; i++) {
    dot += (left[i] ?? 0) * (right[i] ?? 0);
    aa += (left[i] ?? 0) ** 2;
    bb += (right[i] ?? 0) ** 2;
  }
  return dot / Math.sqrt(aa * bb + 1e-12);
}
