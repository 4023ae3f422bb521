import { describe, expect, it } from '@jest/globals';
import { isDue, nextRuns, scheduleFault } from './schedule.ts';

function at(text: string) {
  return new Date(`${text}Z`);
}

describe('a schedule', () => {
  it.each(['0 4 * * *', '*/15 * * * *', '30 2 * * 1-5', '0 0 1 * *'])('accepts %s', (expression) => {
    expect(scheduleFault(expression)).toBeNull();
  });
  it.each(['', 'daily', '61 * * * *', '* * * *', '0 4 * * * *', '0 0 31 2 *', '* * * * * * *', '@reboot x'])(
    'rejects %j with a message',
    (expression) => {
      expect(scheduleFault(expression)).toMatch(/\.$/);
    },
  );

  it('uses UTC', () => {
    expect(nextRuns('0 4 * * *', at('2026-03-29T00:30:00'), 2)).toEqual([
      at('2026-03-29T04:00:00'),
      at('2026-03-30T04:00:00'),
    ]);
  });

  it('is due at its time and later, and not before', () => {
    const since = at('2026-01-01T04:00:00');
    expect(isDue('0 4 * * *', since, at('2026-01-02T03:59:59'))).toBe(false);
    expect(isDue('0 4 * * *', since, at('2026-01-02T04:00:00'))).toBe(true);
  });

  it('is due once after any number of missed runs', () => {
    const now = at('2026-01-20T12:00:00');
    expect(isDue('0 4 * * *', at('2026-01-01T04:00:00'), now)).toBe(true);
    expect(isDue('0 4 * * *', now, now)).toBe(false);
  });
});
