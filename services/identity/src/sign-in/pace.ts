import { setTimeout as sleep } from 'node:timers/promises';

type Options = {
  /** A refusal takes at least this long; 0: refusals take what they take. */
  floorMs: number;
  /** Upper limit of the delay that makes other sign-ins as slow as those with a directory request. */
  maxMs?: number;
  now?: () => number;
  random?: () => number;
  wait?: (ms: number) => Promise<unknown>;
};
/** What a sign-in spent its time on. */
export type Work = 'hash' | 'directory';
type Sample = { at: number; ms: number };

const keep = 64;
const forgetAfterMs = 30_000;

/**
 * Lets every refusal take the same time, whatever was done before it: a floor that is longer than all of it is on a quiet
 * machine, and as long as the slower ones lately took where that is more. A random part on top blurs the rest.
 */
export const createPace = ({
  floorMs,
  maxMs = 15_000,
  now = () => performance.now(),
  random = Math.random,
  wait = sleep,
}: Options) => {
  const lately: Record<Work, Sample[]> = { hash: [], directory: [] };

  const usual = (samples: Sample[]): number => {
    const recent = samples.filter((s) => s.at > now() - forgetAfterMs).map((s) => s.ms);
    if (recent.length === 0) return 0;
    return recent.sort((a, b) => a - b)[Math.ceil(recent.length * 0.97) - 1] ?? 0;
  };
  const target = () => Math.min(maxMs, Math.max(floorMs, 1.2 * Math.max(usual(lately.hash), usual(lately.directory))));

  return {
    start: now,
    /** Waits until a refusal of a sign-in that began at `started` may be answered. */
    refuse: async (started: number, work: readonly Work[]): Promise<void> => {
      if (floorMs === 0) return;
      const spent = now() - started;
      for (const kind of work) lately[kind] = [...lately[kind].slice(1 - keep), { at: now(), ms: spent }];
      const step = target();
      const turns = Math.max(1, Math.ceil(spent / step));
      const whole = turns * step > maxMs ? Math.max(spent, step) : turns * step;
      await wait(whole - spent + random() * floorMs * 0.2);
    },
  };
};
export type Pace = ReturnType<typeof createPace>;
