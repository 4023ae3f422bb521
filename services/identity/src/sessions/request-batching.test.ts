import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { createRequestBatching } from './request-batching.ts';

beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

describe('requests for the same token', () => {
  it('wait until no more of them have arrived for a while', async () => {
    const waitFor = createRequestBatching();
    let processed = 0;
    const arrive = (key = 'token') => void waitFor(key).then(() => (processed += 1));
    arrive();
    for (let i = 0; i < 5; i++) {
      await jest.advanceTimersByTimeAsync(100);
      arrive();
      expect(processed).toBe(0);
    }
    await jest.advanceTimersByTimeAsync(1_000);
    expect(processed).toBe(6);
  });

  it('are processed after some seconds, however many arrive', async () => {
    const waitFor = createRequestBatching();
    let processed = 0;
    for (let i = 0; i < 100; i++) {
      void waitFor('token').then(() => (processed += 1));
      await jest.advanceTimersByTimeAsync(100);
    }
    expect(processed).toBeGreaterThan(0);
  });

  it('do not wait for those of another token', async () => {
    const waitFor = createRequestBatching();
    let processed = false;
    void waitFor('one').then(() => (processed = true));
    for (let i = 0; i < 10; i++) {
      await jest.advanceTimersByTimeAsync(100);
      void waitFor('other');
    }
    expect(processed).toBe(true);
  });
});
