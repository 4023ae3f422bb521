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
    const wanted = world();
    expect(await wanted.refuse(0)).toBe(300);
    expect(await wanted.refuse(45, ['hash'])).toBe(300);
    expect(await wanted.refuse(120, ['hash', 'directory'])).toBe(300);
  });

  it('has a random part that does not depend on the cause', async () => {
    const wanted = world(0.5);
    expect(await wanted.refuse(0)).toBe(330);
    expect(await wanted.refuse(100, ['hash'])).toBe(330);
  });

  it('follows a slow directory up and down again, also for refusals without a directory request', async () => {
    const wanted = world();
    await wanted.refuse(3_000, ['directory']);
    expect(await wanted.refuse(0)).toBe(3_600);
    expect(await wanted.refuse(50, ['hash'])).toBe(3_600);
    expect(await wanted.refuse(3_100, ['directory'])).toBe(3_720);
    wanted.later(31_000);
    expect(await wanted.refuse(0)).toBe(300);
  });

  it('is not lowered by a flood of fast refusals', async () => {
    const wanted = world();
    for (let i = 0; i < 10; i++) await wanted.refuse(1_000, ['hash']);
    for (let i = 0; i < 8; i++) await wanted.refuse(0);
    expect(await wanted.refuse(0)).toBe(1_200);
  });

  it('delays an extraordinarily slow refusal to a multiple of the duration', async () => {
    const wanted = world();
    for (let i = 0; i < 64; i++) await wanted.refuse(10, ['hash']);
    expect(await wanted.refuse(310)).toBe(600);
  });

  it('is none at a floor of 0', async () => {
    let waited = false;
    const pace = createPace({ floorMs: 0, wait: async () => void (waited = true) });
    await pace.refuse(pace.start(), ['hash']);
    expect(waited).toBe(false);
  });

  it('is bounded', async () => {
    const wanted = world();
    await wanted.refuse(60_000, ['directory']);
    expect(await wanted.refuse(0)).toBe(15_000);
  });
});
