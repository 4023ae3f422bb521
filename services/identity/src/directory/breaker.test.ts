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
        (v) => v,
      ),
  };
}

describe('an unresponsive directory', () => {
  it('gets no request after slow failures in a row, one trial after a pause, and requests again once it responds', async () => {
    const w = world();
    expect(await w.ask('slow_failure')).toBe('slow_failure');
    expect(await w.ask('slow_failure')).toBe('slow_failure');
    expect(w.breaker.resting()).toBe(true);
    expect(await w.ask('fine')).toBeUndefined();
    w.wait(100);
    expect(await w.ask('slow_failure')).toBe('slow_failure');
    expect(await w.ask('fine')).toBeUndefined();
    w.wait(100);
    expect(await w.ask('fine')).toBe('fine');
    expect(w.breaker.resting()).toBe(false);
    expect(w.asked()).toBe(4);
  });

  it('gets requests after fast or occasional failures', async () => {
    const w = world();
    for (let i = 0; i < 10; i++) for (const v of ['slow_failure', 'fine'] as const) expect(await w.ask(v)).toBe(v);
  });

  it('gets a limited number of concurrent requests, and a single trial', async () => {
    const w = world();
    const never = new Promise<Verdict>(() => {});
    const held = [1, 2, 3].map(() =>
      w.breaker.run(
        () => never,
        (v) => v,
      ),
    );
    expect(await w.ask('fine')).toBeUndefined();
    expect(held).toHaveLength(3);

    const other = world();
    await other.ask('slow_failure');
    await other.ask('slow_failure');
    other.wait(100);
    const { breaker } = other;
    void breaker.run(
      () => never,
      (v) => v,
    );
    expect(await other.ask('fine')).toBeUndefined();
  });

  it('no longer counts a request as in progress after it throws', async () => {
    const w = world();
    const thrown = async (): Promise<Verdict> => {
      throw new Error('x');
    };
    for (let i = 0; i < 5; i++) await expect(w.breaker.run(thrown, (v) => v)).rejects.toThrow('x');
    expect(await w.ask('fine')).toBe('fine');
  });
});
