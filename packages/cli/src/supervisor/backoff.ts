const FIRST_MS = 200;
const LONGEST_MS = 10_000;
const HEALTHY_MS = 30_000;

/** The number of consecutive early exits. */
export type Failures = {
  readonly count: number;
};

/** No recent early exit. */
export const noFailures: Failures = { count: 0 };

/** The count after another exit; a healthy run of half a minute resets it. */
export function afterEnd(failures: Failures, ranForMs: number): Failures {
  return { count: ranForMs >= HEALTHY_MS ? 1 : failures.count + 1 };
}

/** The delay before the next start: doubles with each early exit, up to ten seconds. */
export function pauseBeforeStart({ count }: Failures): number {
  return count === 0 ? 0 : Math.min(FIRST_MS * 2 ** (count - 1), LONGEST_MS);
}
