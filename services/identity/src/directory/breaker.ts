type Limits = {
  /** Concurrent requests. */
  atOnce: number;
  /** Slow failures in a row after which nothing is asked for a while. */
  failures: number;
  restMs: number;
  now?: () => number;
};
export type Verdict = 'fine' | 'slow_failure';

/**
 * Keeps a directory that hangs from holding everybody: few questions at once, and after some that came to nothing a
 * rest, in which one at a time tries whether it answers again. A failure that comes at once holds nobody and costs no
 * rest, so that a restarted directory is in use the moment it listens.
 */
export const createBreaker = ({ atOnce, failures, restMs, now = Date.now }: Limits) => {
  let underWay = 0;
  let inARow = 0;
  let restUntil = 0;
  let trying = false;

  const admit = (): { isTrial: boolean } | null => {
    if (underWay >= atOnce) return null;
    if (inARow < failures) return { isTrial: false };
    if (trying || now() < restUntil) return null;
    trying = true;
    return { isTrial: true };
  };

  return {
    resting: () => inARow >= failures,
    /** @returns undefined when the question is not asked. */
    run: async <T>(ask: () => Promise<T>, judge: (answer: T) => Verdict): Promise<T | undefined> => {
      const admitted = admit();
      if (!admitted) return undefined;
      underWay += 1;
      try {
        const answer = await ask();
        if (judge(answer) === 'fine') inARow = 0;
        else {
          inARow += 1;
          restUntil = now() + restMs;
        }
        return answer;
      } finally {
        underWay -= 1;
        if (admitted.isTrial) trying = false;
      }
    },
  };
};
