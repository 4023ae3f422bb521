/** Numbers that are the same in each run (mulberry32). */
export type Random = {
  /** From 0 up to, but not including, 1. */
  next: () => number;
  below: (limit: number) => number;
  between: (low: number, high: number) => number;
  pick: <T>(items: readonly T[]) => T;
};

export function createRandom(seed: number): Random {
  let state = seed;
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (limit: number): number => Math.floor(next() * limit);
  return {
    next,
    below,
    between: (low, high) => low + next() * (high - low),
    pick: (items) => items[below(items.length)]!,
  };
}
