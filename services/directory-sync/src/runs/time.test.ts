import { describe, expect, it } from '@jest/globals';
import { verifiedUntil } from './time.ts';

const lastGoodAt = new Date('2026-03-01T04:00:00Z');

function days(value: number) {
  return new Date(lastGoodAt.getTime() + value * 24 * 3_600_000);
}

describe('clock verification', () => {
  it('is missing before the first successful sync run', () => {
    expect(verifiedUntil({ lastGoodAt: null, countedMs: null, schedule: '0 4 * * *' })).toBeNull();
  });

  it('lasts one hour beyond the monotonic time since the last successful sync run', () => {
    const known = { lastGoodAt, countedMs: 24 * 3_600_000, schedule: '0 4 1 * *' };
    expect(verifiedUntil(known)).toEqual(new Date(days(1).getTime() + 3_600_000));
  });

  it.each([
    ['* * * * *', 7],
    ['0 4 * * *', 7],
    ['0 4 * * 0', 21],
    ['0 4 1 * *', 90],
  ])('after a restart for three periods of the schedule %s, and a week at least', (schedule, whole) => {
    const until = verifiedUntil({ lastGoodAt, countedMs: null, schedule });
    expect(until?.getTime()).toBeGreaterThanOrEqual(days(whole).getTime());
    expect(until?.getTime()).toBeLessThan(days(whole + 4).getTime());
  });
});
