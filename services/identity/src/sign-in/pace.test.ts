import { describe, expect, it } from '@jest/globals';
import { createPace, type Work } from './pace.ts';

/** A clock that only work and waiting advance. */
function world(random = 0) {
  let now = 1_000;
  const pace = createPace({
    floorMs: 300,
    now: () => now,
    random: () => random,
    wait: async (ms) => void (now += Math.max(0, ms)),
  });
  return {
    later: (ms: number) => void (now += ms),
    /** The total duration of a refusal after this work. */
    refuse: async (spent: number, work: Work[] = []): Promise<number> => {
      const started = pace.start();
      now += spent;
      await pace.refuse(started, work);
      return Math.round(now - started);
    },
  };
}

describe('the pace of refusals', () => {
  it('is the floor for every kind of work', async () => {
    const w = world();
    expect(await w.refuse(0)).toBe(300);
    expect(await w.refuse(45, ['hash'])).toBe(300);
    expect(await w.refuse(120, ['hash', 'directory'])).toBe(300);
  });

  it('has a random part that does not depend on the cause', async () => {
    const w = world(0.5);
    expect(await w.refuse(0)).toBe(330);
    expect(await w.refuse(100, ['hash'])).toBe(330);
  });

  it('follows a slow directory up and down again, also for refusals without a directory request', async () => {
    const w = world();
    await w.refuse(3_000, ['directory']);
    expect(await w.refuse(0)).toBe(3_600);
    expect(await w.refuse(50, ['hash'])).toBe(3_600);
    expect(await w.refuse(3_100, ['directory'])).toBe(3_720);
    w.later(31_000);
    expect(await w.refuse(0)).toBe(300);
  });

  it('is not lowered by a flood of fast refusals', async () => {
    const w = world();
    for (let i = 0; i < 10; i++) await w.refuse(1_000, ['hash']);
    for (let i = 0; i < 8; i++) await w.refuse(0);
    expect(await w.refuse(0)).toBe(1_200);
  });

  it('delays an extraordinarily slow refusal to a multiple of the duration', async () => {
    const w = world();
    for (let i = 0; i < 64; i++) await w.refuse(10, ['hash']);
    expect(await w.refuse(310)).toBe(600);
  });

  it('is none at a floor of 0', async () => {
    let waited = false;
    const pace = createPace({ floorMs: 0, wait: async () => void (waited = true) });
    await pace.refuse(pace.start(), ['hash']);
    expect(waited).toBe(false);
  });

  it('is bounded', async () => {
    const w = world();
    await w.refuse(60_000, ['directory']);
    expect(await w.refuse(0)).toBe(15_000);
  });
});
