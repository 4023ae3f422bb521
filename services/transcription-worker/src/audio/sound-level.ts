import { sampleRate, sampleReader } from './wav.ts';

/** How loud the sound is. Decibels below full scale: 0 is the loudest possible. */
export type SoundLevel = {
  /** Mean level of what is not a pause. */
  level_db: number;
  /** Level of the quietest tenth of the sound: the noise in the pauses. */
  noise_db: number;
  /** Share of 0.1 s pieces that reach full scale: they were recorded too loud. */
  clipped: number;
};

const perFrame = sampleRate / 10;
/** Half decibels from silence to full scale; the histogram has the same size for ten hours. */
const [floorDb, steps] = [-96, 193];
const fullScale = 32_760;
/** As in EBU R 128, without its filter: quieter pieces are silence, and those far below the mean are pauses. */
const [silenceDb, pauseDb] = [-70, 10];
const quietShare = 0.1;

/** Measures the level of samples in one pass. */
export function createSoundLevel(): { add: (chunk: Buffer) => void; finish: () => SoundLevel | null } {
  const histogram = new Uint32Array(steps);
  let [frames, clipped] = [0, 0];
  let [filled, energy, loudest] = [0, 0, 0];
  const close = (): void => {
    const decibels = 10 * Math.log10(energy / filled / 32_768 ** 2 || 1e-12);
    const step = Math.round((Math.max(floorDb, decibels) - floorDb) * 2);
    histogram[step] = (histogram[step] ?? 0) + 1;
    frames += 1;
    if (loudest >= fullScale) clipped += 1;
    [filled, energy, loudest] = [0, 0, 0];
  };
  const add = sampleReader((block) => {
    for (let from = 0; from < block.length;) {
      const to = Math.min(block.length, from + perFrame - filled);
      // Local numbers: those of the closure are objects, which takes three times as long.
      let [sum, low, high] = [0, 0, 0];
      for (let i = from; i < to; i += 1) {
        const value = block[i] ?? 0;
        sum += value * value;
        low = Math.min(low, value);
        high = Math.max(high, value);
      }
      energy += sum;
      loudest = Math.max(loudest, high, -low);
      filled += to - from;
      from = to;
      if (filled === perFrame) close();
    }
  });
  return {
    add,
    finish: () => {
      if (filled > 0) close();
      if (frames === 0) return null;
      const mean = meanAbove(histogram, silenceDb) ?? floorDb;
      return {
        level_db: rounded(meanAbove(histogram, mean - pauseDb) ?? mean),
        noise_db: rounded(quantile(histogram, frames * quietShare)),
        clipped: Math.round((clipped / frames) * 10_000) / 10_000,
      };
    },
  };
}

function levelOf(step: number): number {
  return floorDb + step / 2;
}

/** The level of the mean power of the pieces above a level; null: there are none. */
function meanAbove(histogram: Uint32Array, above: number): number | null {
  let [power, count] = [0, 0];
  for (const [step, pieces] of histogram.entries()) {
    if (levelOf(step) < above) continue;
    power += pieces * 10 ** (levelOf(step) / 10);
    count += pieces;
  }
  return count === 0 ? null : 10 * Math.log10(power / count);
}

function quantile(histogram: Uint32Array, wanted: number): number {
  let count = 0;
  for (const [step, pieces] of histogram.entries()) {
    count += pieces;
    if (count >= wanted) return levelOf(step);
  }
  return 0;
}

function rounded(decibels: number): number {
  return Math.round(decibels * 2) / 2;
}
