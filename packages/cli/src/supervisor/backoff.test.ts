import { describe, expect, it } from '@jest/globals';
import { afterEnd, noFailures, pauseBeforeStart } from './backoff.ts';

function endings(ranForMs: readonly number[]) {
  return ranForMs.reduce(afterEnd, noFailures);
}

describe('back-off', () => {
  it('does not wait before the first start', () => {
    expect(pauseBeforeStart(noFailures)).toBe(0);
  });

  it('doubles the pause with every early end', () => {
    const pauses = [1, 2, 3, 4].map((count) => pauseBeforeStart(endings(Array<number>(count).fill(100))));
    expect(pauses).toEqual([200, 400, 800, 1600]);
  });

  it('never waits longer than ten seconds', () => {
    expect(pauseBeforeStart(endings(Array<number>(40).fill(0)))).toBe(10_000);
  });

  it('starts over after half a healthy minute', () => {
    expect(pauseBeforeStart(endings([100, 100, 100, 30_000]))).toBe(200);
  });
});
