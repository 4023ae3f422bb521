import { sampleRate, sampleReader } from './wav.ts';

export type Waveform = {
  version: 1;
  interval_ms: number;
  /** Loudest sample of each interval, 0..127. */
  peaks: number[];
};

export const peakIntervalMs = 100;

/** Loudest sample of every 100 ms in one pass; holds one byte per interval and nothing else. */
export function createPeaks(): { add: (chunk: Buffer) => void; finish: () => Waveform } {
  const perBucket = (sampleRate * peakIntervalMs) / 1000;
  let buckets = new Uint8Array(4096);
  let count = 0;
  let filled = 0;
  let loudest = 0;
  const close = (): void => {
    if (count === buckets.length) {
      const wider = new Uint8Array(buckets.length * 2);
      wider.set(buckets);
      buckets = wider;
    }
    buckets[count++] = Math.min(127, loudest >> 8);
    loudest = 0;
    filled = 0;
  };
  const add = sampleReader((block) => {
    for (const value of block) {
      const size = value < 0 ? -value : value;
      if (size > loudest) loudest = size;
      if (++filled === perBucket) close();
    }
  });
  return {
    add,
    finish: () => {
      if (filled > 0) close();
      return { version: 1, interval_ms: peakIntervalMs, peaks: Array.from(buckets.subarray(0, count)) };
    },
  };
}
