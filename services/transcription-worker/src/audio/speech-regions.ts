import { pcmStream, sampleRate, sampleReader } from './wav.ts';

export type TimeSpan = { start: number; end: number };

export const frameSeconds = 0.02;

/** Root-mean-square level of every 20 ms, in decibels below full scale. Ten hours are 1.8 million floats (7 MB). */
export async function frameLevels(wavPath: string, seconds: number): Promise<Float32Array> {
  const perFrame = sampleRate * frameSeconds;
  const levels = new Float32Array(Math.ceil(seconds / frameSeconds) + 1);
  let count = 0;
  let sum = 0;
  let filled = 0;
  const add = sampleReader((block) => {
    for (const value of block) {
      sum += value * value;
      if (++filled < perFrame) continue;
      if (count < levels.length) levels[count++] = 10 * Math.log10(sum / perFrame / 1_073_741_824 + 1e-10);
      sum = 0;
      filled = 0;
    }
  });
  for await (const chunk of pcmStream(wavPath, 0, seconds) as AsyncIterable<Buffer>) add(chunk);
  return levels.subarray(0, count);
}

function percentile(sorted: Float32Array, share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? -100;
}

/** The threshold of speech adapts to the recording's noise floor. */
export function speechThreshold(levels: Float32Array): number {
  const sorted = Float32Array.from(levels).sort();
  const floor = percentile(sorted, 0.1);
  const loud = percentile(sorted, 0.95);
  if (loud < -60) return 0;
  return Math.max(-60, Math.min(floor + Math.max(6, (loud - floor) * 0.35), loud - 6));
}

/** How far the loud moments are above the quiet ones, in decibels; infinite for silence. */
export function levelRange(levels: Float32Array): number {
  const sorted = Float32Array.from(levels).sort();
  const loud = percentile(sorted, 0.95);
  return loud < -60 ? Infinity : loud - percentile(sorted, 0.1);
}

/** Stretches of speech: gaps under `minGap` are bridged, sounds under `minSpeech` dropped, `pad` added on both sides. */
export function speechRegions(
  levels: Float32Array,
  { minGap = 0.3, minSpeech = 0.15, pad = 0.1 }: { minGap?: number; minSpeech?: number; pad?: number } = {},
): TimeSpan[] {
  const threshold = speechThreshold(levels);
  const total = levels.length * frameSeconds;
  const raw: TimeSpan[] = [];
  for (let i = 0; i < levels.length; i++) {
    if ((levels[i] ?? -100) < threshold) continue;
    const start = i * frameSeconds;
    const last = raw.at(-1);
    if (last && start - last.end < minGap) last.end = start + frameSeconds;
    else raw.push({ start, end: start + frameSeconds });
  }
  const padded: TimeSpan[] = [];
  for (const span of raw) {
    if (span.end - span.start < minSpeech) continue;
    const start = Math.max(0, span.start - pad);
    const end = Math.min(total, span.end + pad);
    const last = padded.at(-1);
    if (last && start <= last.end) last.end = end;
    else padded.push({ start, end });
  }
  return padded;
}

/** Moves each cut to the quietest moment nearby, so that no word is split. */
function quietest(levels: Float32Array, from: number, to: number): number {
  const width = 5;
  let best = to;
  let bestLevel = Infinity;
  for (let i = Math.floor(from / frameSeconds); i + width < Math.min(levels.length, to / frameSeconds); i++) {
    let level = 0;
    for (let offset = 0; offset < width; offset++) level += levels[i + offset] ?? 0;
    if (level <= bestLevel) {
      bestLevel = level;
      best = (i + width / 2) * frameSeconds;
    }
  }
  return best;
}

/** Covers [0, seconds] with pieces of at most `maxSeconds`, cut where it is quietest in the last 40 % of each piece. */
export function cutAtSilences(levels: Float32Array, seconds: number, maxSeconds: number): TimeSpan[] {
  const pieces: TimeSpan[] = [];
  let start = 0;
  while (seconds - start > maxSeconds) {
    const cut = quietest(levels, start + maxSeconds * 0.6, start + maxSeconds);
    pieces.push({ start, end: cut });
    start = cut;
  }
  if (seconds > start) pieces.push({ start, end: seconds });
  return pieces;
}

/** Joins adjacent speech regions into pieces of at most `maxSeconds`; a longer region is cut where it is quietest. */
export function packRegions(regions: readonly TimeSpan[], levels: Float32Array, maxSeconds: number): TimeSpan[] {
  const pieces: TimeSpan[] = [];
  for (const region of regions) {
    const last = pieces.at(-1);
    if (last && region.end - last.start <= maxSeconds && region.start - last.end < 2) {
      last.end = region.end;
      continue;
    }
    let start = region.start;
    while (region.end - start > maxSeconds) {
      const cut = quietest(levels, start + maxSeconds * 0.6, start + maxSeconds);
      pieces.push({ start, end: cut });
      start = cut;
    }
    pieces.push({ start, end: region.end });
  }
  return pieces;
}
