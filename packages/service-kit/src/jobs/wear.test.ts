import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { createWear } from './wear.ts';

describe('the wear of a process that does tasks itself', () => {
  beforeEach(() => void jest.useFakeTimers());
  afterEach(() => void jest.useRealTimers());

  const watch = (youngestMs?: number) => {
    const wear = createWear(youngestMs === undefined ? {} : { youngestMs });
    const over: string[] = [];
    void wear.wornOut.then((queue) => over.push(queue));
    return { wear, over };
  };
  const times = (n: number, work: () => void): void => {
    for (let i = 0; i < n; i++) work();
  };

  it("is enough after the queue's number of tasks, and not one before", async () => {
    const { wear, over } = watch(0);
    times(19, () => wear.did('cpu'));
    await jest.advanceTimersByTimeAsync(1);
    expect(over).toEqual([]);
    wear.did('cpu');
    await jest.advanceTimersByTimeAsync(1);
    expect(over).toEqual(['cpu']);
  });

  it('counts every queue for itself', async () => {
    const { wear, over } = watch(0);
    times(19, () => wear.did('cpu'));
    times(19, () => wear.did('utility'));
    times(499, () => wear.did('embedding'));
    await jest.advanceTimersByTimeAsync(1);
    expect(over).toEqual([]);
    wear.did('embedding');
    await jest.advanceTimersByTimeAsync(1);
    expect(over).toEqual(['embedding']);
  });

  it('lets no process be replaced that is younger than a quarter of an hour', async () => {
    const { wear, over } = watch();
    await jest.advanceTimersByTimeAsync(5 * 60_000);
    times(20, () => wear.did('cpu'));
    await jest.advanceTimersByTimeAsync(9 * 60_000);
    expect(over).toEqual([]);
    await jest.advanceTimersByTimeAsync(60_000 + 1);
    expect(over).toEqual(['cpu']);
  });
});
