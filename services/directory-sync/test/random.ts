/** A pseudo-random number generator with a seed (mulberry32). */
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
