/** The seed of everything random in tests: the same in every run, unless `./overtone test nightly` draws one. */
export const testSeed = Number(process.env['OT_TEST_SEED'] ?? 1);

/** A pseudo-random number generator with a seed (mulberry32): integers from 0 to `below` - 1. */
export function randomFrom(seed: number) {
  let state = seed;
  return (below: number): number => {
    state = (state + 0x6d2b79f5) | 0;
    let time = Math.imul(state ^ (state >>> 15), 1 | state);
    time = (time + Math.imul(time ^ (time >>> 7), 61 | time)) ^ time;
    return ((time ^ (time >>> 14)) >>> 0) % below;
  };
}

export type Random = ReturnType<typeof randomFrom>;
