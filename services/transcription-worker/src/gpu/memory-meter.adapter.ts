import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import type { GpuDevice } from '@overtone/contracts';
import pTimeout from 'p-timeout';
import { runProcess } from '../children/run-process.ts';

/** Total memory in use on a device: before a task, and at its peak. */
export type MemoryReading = { device: string; baselineMib: number; peakMib: number };

/** Measures the GPU memory of a task. */
export type MemoryMeter = {
  /** Resolves when the baseline is known; undefined without a GPU. */
  start(): Promise<{ stop: () => MemoryReading } | undefined>;
};

export type MemoryMeterOptions = {
  env: Record<string, string>;
  device: () => GpuDevice | undefined;
  everyMs?: number;
};

const firstWithinMs = 5_000;
/** Longer than any task. */
const longestMs = 2 ** 31 - 1;

/** Polls the driver several times a second in a separate process that ends with the work. */
export function createMemoryMeter({ env, device, everyMs = 250 }: MemoryMeterOptions): MemoryMeter {
  return {
    start: async () => {
      const measured = device();
      if (!measured) return undefined;
      const over = new AbortController();
      const readings: { baselineMib?: number; peakMib: number } = { peakMib: 0 };
      const first = new Promise<void>((known) => {
        const seen = (mib: number): void => {
          readings.baselineMib ??= mib;
          readings.peakMib = Math.max(readings.peakMib, mib);
          known();
        };
        const format = ['--format=csv,noheader,nounits', `--loop-ms=${everyMs}`];
        const args = [`--id=${measured.uuid}`, '--query-gpu=memory.used', ...format];
        const run = { command: 'nvidia-smi', args, env, timeoutMs: longestMs, signal: over.signal };
        // Stopped or ended: no further samples either way.
        void runProcess({ ...run, consume: numbersTo(seen) })
          .catch(() => {})
          .then(() => known());
      });
      await pTimeout(first, { milliseconds: firstWithinMs, message: false });
      const { baselineMib } = readings;
      if (baselineMib === undefined) {
        over.abort();
        return undefined;
      }
      return {
        stop: () => {
          over.abort();
          return { device: measured.name, baselineMib, peakMib: readings.peakMib };
        },
      };
    },
  };
}

function numbersTo(seen: (mib: number) => void) {
  return async (stdout: Readable) => {
    for await (const line of createInterface({ input: stdout })) {
      const mib = Number.parseInt(line, 10);
      if (mib >= 0) seen(mib);
    }
  };
}
