import { describe, expect, it } from '@jest/globals';
import { describeExits } from './status.command.ts';

describe('describeExits', () => {
  const now = new Date(2026, 4, 3, 3, 30);
  const minutesAgo = (minutes: number) => new Date(now.getTime() - minutes * 60_000).toISOString();

  it('counts the exits of the last hour, and names the last one', () => {
    const exits = [70, 59, 40, 18].map((minutes) => ({ at: minutesAgo(minutes), how: 'SIGKILL' }));
    expect(describeExits(exits, now)).toBe('ended 3 times in the last hour, last: SIGKILL at 03:12:00');
  });
  it('reports nothing without an exit in the last hour', () =>
    expect(describeExits([{ at: minutesAgo(61), how: 'exit code 1' }], now)).toBeUndefined());
});
