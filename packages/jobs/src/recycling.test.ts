import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { createRecycling } from './recycling.ts';

describe('the recycling of a process that runs tasks itself', () => {
  beforeEach(() => void jest.useFakeTimers());
  afterEach(() => void jest.useRealTimers());

  const watch = (minimumAgeMs?: number) => {
    const recycling = createRecycling(minimumAgeMs === undefined ? {} : { minimumAgeMs });
    const due: string[] = [];
    void recycling.recycleDue.then((queue) => due.push(queue));
    return { recycling, due };
  };
  const times = (count: number, work: () => void): void => {
    for (let i = 0; i < count; i++) work();
  };

  it("is enough after the queue's number of tasks, and not one before", async () => {
    const { recycling, due } = watch(0);
    times(19, () => recycling.recordTask('cpu'));
    await jest.advanceTimersByTimeAsync(1);
    expect(due).toEqual([]);
    recycling.recordTask('cpu');
    await jest.advanceTimersByTimeAsync(1);
    expect(due).toEqual(['cpu']);
  });

  it('counts every queue for itself', async () => {
    const { recycling, due } = watch(0);
    times(19, () => recycling.recordTask('cpu'));
    times(19, () => recycling.recordTask('utility'));
    times(499, () => recycling.recordTask('embedding'));
    await jest.advanceTimersByTimeAsync(1);
    expect(due).toEqual([]);
    recycling.recordTask('embedding');
    await jest.advanceTimersByTimeAsync(1);
    expect(due).toEqual(['embedding']);
  });

  it('lets no process be replaced that is younger than a quarter of an hour', async () => {
    const { recycling, due } = watch();
    await jest.advanceTimersByTimeAsync(5 * 60_000);
    times(20, () => recycling.recordTask('cpu'));
    await jest.advanceTimersByTimeAsync(9 * 60_000);
    expect(due).toEqual([]);
    await jest.advanceTimersByTimeAsync(60_000 + 1);
    expect(due).toEqual(['cpu']);
  });
});
