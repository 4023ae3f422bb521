const firstMs = 200;
const longestMs = 10_000;
const healthyMs = 30_000;

/** The number of consecutive early exits. */
export type Failures = {
  readonly count: number;
};

/** No recent early exit. */
export const noFailures: Failures = { count: 0 };

/** The count after another exit; a healthy run of half a minute resets it. */
export function afterEnd(failures: Failures, ranForMs: number): Failures {
  return { count: ranForMs >= healthyMs ? 1 : failures.count + 1 };
}

/** The delay before the next start: doubles with each early exit, up to ten seconds. */
export function pauseBeforeStart({ count }: Failures): number {
  return count === 0 ? 0 : Math.min(firstMs * 2 ** (count - 1), longestMs);
}
