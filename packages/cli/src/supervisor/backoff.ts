const FIRST_MS = 200;
const LONGEST_MS = 10_000;
const HEALTHY_MS = 30_000;

/** How often in a row something has ended too soon. */
export interface Failures {
  readonly count: number;
}

/** Nothing has gone wrong lately. */
export const noFailures: Failures = { count: 0 };

/** The count after one more end; half a healthy minute before it wipes the slate. */
export function afterEnd(failures: Failures, ranForMs: number): Failures {
  return { count: ranForMs >= HEALTHY_MS ? 1 : failures.count + 1 };
}

/** How long to wait before the next start: doubling, up to ten seconds: nothing waits for a service for long. */
export function pauseBeforeStart({ count }: Failures): number {
  return count === 0 ? 0 : Math.min(FIRST_MS * 2 ** (count - 1), LONGEST_MS);
}
