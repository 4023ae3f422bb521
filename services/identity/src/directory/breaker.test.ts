import { describe, expect, it } from '@jest/globals';
import { createBreaker, type Verdict } from './breaker.ts';

function world() {
  let now = 0;
  let asked = 0;
  const breaker = createBreaker({ maxConcurrent: 3, failures: 2, restMs: 100, now: () => now });
  return {
    breaker,
    wait: (ms: number) => void (now += ms),
    asked: () => asked,
    ask: (verdict: Verdict) =>
      breaker.run(
        async () => {
          asked += 1;
          return verdict;
        },
        (value) => value,
      ),
  };
}

describe('an unresponsive directory', () => {
  it('gets no request after slow failures in a row, one trial after a pause, and requests again once it responds', async () => {
    const breakerWorld = world();
    expect(await breakerWorld.ask('slow_failure')).toBe('slow_failure');
    expect(await breakerWorld.ask('slow_failure')).toBe('slow_failure');
    expect(breakerWorld.breaker.resting()).toBe(true);
    expect(await breakerWorld.ask('fine')).toBeUndefined();
    breakerWorld.wait(100);
    expect(await breakerWorld.ask('slow_failure')).toBe('slow_failure');
    expect(await breakerWorld.ask('fine')).toBeUndefined();
    breakerWorld.wait(100);
    expect(await breakerWorld.ask('fine')).toBe('fine');
    expect(breakerWorld.breaker.resting()).toBe(false);
    expect(breakerWorld.asked()).toBe(4);
  });

  it('gets requests after fast or occasional failures', async () => {
    const breakerWorld = world();
    for (let i = 0; i < 10; i++)
      for (const value of ['slow_failure', 'fine'] as const) expect(await breakerWorld.ask(value)).toBe(value);
  });

  it('gets a limited number of concurrent requests, and a single trial', async () => {
    const breakerWorld = world();
    const never = new Promise<Verdict>(() => {});
    const held = [1, 2, 3].map(() =>
      breakerWorld.breaker.run(
        () => never,
        (value) => value,
      ),
    );
    expect(await breakerWorld.ask('fine')).toBeUndefined();
    expect(held).toHaveLength(3);

    const other = world();
    await other.ask('slow_failure');
    await other.ask('slow_failure');
    other.wait(100);
    const { breaker } = other;
    void breaker.run(
      () => never,
      (value) => value,
    );
    expect(await other.ask('fine')).toBeUndefined();
  });

  it('no longer counts a request as in progress after it throws', async () => {
    const breakerWorld = world();
    const thrown = async (): Promise<Verdict> => {
      throw new Error('x');
    };
    for (let i = 0; i < 5; i++) await expect(breakerWorld.breaker.run(thrown, (value) => value)).rejects.toThrow('x');
    expect(await breakerWorld.ask('fine')).toBe('fine');
  });
});
