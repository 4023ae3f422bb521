import { setTimeout as sleep } from 'node:timers/promises';

type Options = {
  /** Minimum duration of a refusal; 0: none. */
  floorMs: number;
  /** Upper limit of the delay that makes other sign-ins as slow as those with a directory request. */
  maxMs?: number;
  now?: () => number;
  random?: () => number;
  wait?: (ms: number) => Promise<unknown>;
};
/** Kinds of work that make a sign-in slow. */
export type Work = 'hash' | 'directory';
type Sample = { at: number; ms: number };

const maxSamples = 64;
const sampleLifetimeMs = 30_000;

/**
 * Makes every refusal take the same time, so that its duration reveals nothing: at least `floorMs`, and under load as long
 * as recent slow sign-ins took. A random part hides the remaining differences.
 */
export function createPace({
  floorMs,
  maxMs = 15_000,
  now = () => performance.now(),
  random = Math.random,
  wait = sleep,
}: Options) {
  const recentSamples: Record<Work, Sample[]> = { hash: [], directory: [] };

  const percentile = (samples: Sample[]): number => {
    const recent = samples.filter((sample) => sample.at > now() - sampleLifetimeMs).map((sample) => sample.ms);
    if (recent.length === 0) return 0;
    return recent.sort((left, right) => left - right)[Math.ceil(recent.length * 0.97) - 1] ?? 0;
  };
  const target = () =>
    Math.min(
      maxMs,
      Math.max(floorMs, 1.2 * Math.max(percentile(recentSamples.hash), percentile(recentSamples.directory))),
    );

  return {
    start: now,
    /** Waits until the refusal of a sign-in that started at `started` may be sent. */
    refuse: async (started: number, work: readonly Work[]): Promise<void> => {
      if (floorMs === 0) return;
      const spent = now() - started;
      for (const kind of work)
        recentSamples[kind] = [...recentSamples[kind].slice(1 - maxSamples), { at: now(), ms: spent }];
      const step = target();
      const steps = Math.max(1, Math.ceil(spent / step));
      const whole = steps * step > maxMs ? Math.max(spent, step) : steps * step;
      await wait(whole - spent + random() * floorMs * 0.2);
    },
  };
}

export type Pace = ReturnType<typeof createPace>;
