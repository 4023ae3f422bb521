type Limits = {
  /** Concurrent requests. */
  maxConcurrent: number;
  /** Slow failures in a row that open the breaker. */
  failures: number;
  restMs: number;
  now?: () => number;
};
export type Verdict = 'fine' | 'slow_failure';

/**
 * Circuit breaker for an unresponsive directory. It limits concurrent requests. After several slow failures it rejects
 * requests for `restMs`, then admits one trial request at a time. Fast failures do not open it, so a restarted directory
 * is used as soon as it listens. (In cockatiel's breaker the other requests wait for the trial, which may take a whole
 * timeout; here they are rejected immediately.)
 */
export function createBreaker({ maxConcurrent, failures, restMs, now = Date.now }: Limits) {
  let running = 0;
  let failuresInARow = 0;
  let restUntil = 0;
  let isTrialRunning = false;

  const admit = (): { isTrial: boolean } | null => {
    if (running >= maxConcurrent) return null;
    if (failuresInARow < failures) return { isTrial: false };
    if (isTrialRunning || now() < restUntil) return null;
    isTrialRunning = true;
    return { isTrial: true };
  };

  return {
    resting: () => failuresInARow >= failures,
    /** @returns undefined when the request is rejected. */
    run: async <T>(request: () => Promise<T>, judge: (result: T) => Verdict): Promise<T | undefined> => {
      const admitted = admit();
      if (!admitted) return undefined;
      running += 1;
      try {
        const result = await request();
        if (judge(result) === 'fine') failuresInARow = 0;
        else {
          failuresInARow += 1;
          restUntil = now() + restMs;
        }
        return result;
      } finally {
        running -= 1;
        if (admitted.isTrial) isTrialRunning = false;
      }
    },
  };
}
