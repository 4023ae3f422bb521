/** Shares one call and its result for `ms`, so that several scrapers cause one request to the broker. */
export function cached<T>(ms: number, read: () => Promise<T>): () => Promise<T> {
  let startedAt = 0;
  let current: Promise<T> | undefined;
  return () => {
    if (current && Date.now() - startedAt < ms) return current;
    startedAt = Date.now();
    const fresh = read();
    current = fresh;
    // A failure is not cached.
    fresh.catch(() => {
      if (current === fresh) current = undefined;
    });
    return fresh;
  };
}
