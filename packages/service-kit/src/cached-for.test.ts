import { describe, expect, it, jest } from '@jest/globals';
import { cachedFor } from './cached-for.ts';

describe('a cached value', () => {
  const clock = { now: 0 };
  const read = jest.fn<() => Promise<number>>();
  const cached = cachedFor(1_000, read, () => clock.now);

  it('is shared, and read again after its time', async () => {
    read.mockResolvedValueOnce(1).mockResolvedValueOnce(2);
    expect(await Promise.all([cached.get(), cached.get()])).toEqual([1, 1]);
    clock.now += 1_000;
    expect(await cached.get()).toBe(2);
  });

  it('is read again after it was cleared, and after a failure', async () => {
    read.mockRejectedValueOnce(new Error('unavailable')).mockResolvedValueOnce(3);
    cached.clear();
    await expect(cached.get()).rejects.toThrow('unavailable');
    expect(await cached.get()).toBe(3);
  });
});
