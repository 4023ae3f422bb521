/** One call at a time, and its answer for `ms`: however many scrapers ask, the broker is asked once. */
export const cached = <T>(ms: number, read: () => Promise<T>): (() => Promise<T>) => {
  let at = 0;
  let answer: Promise<T> | undefined;
  return () => {
    if (answer && Date.now() - at < ms) return answer;
    at = Date.now();
    const fresh = read();
    answer = fresh;
    // A failure is not kept.
    fresh.catch(() => {
      if (answer === fresh) answer = undefined;
    });
    return fresh;
  };
};
