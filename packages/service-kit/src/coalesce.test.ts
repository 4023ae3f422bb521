import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { coalesce } from './coalesce.ts';

describe('coalesced values', () => {
  beforeEach(() => void jest.useFakeTimers());
  afterEach(() => void jest.useRealTimers());

  it('lets the first value through at once and then at most one per interval', () => {
    const seen: number[] = [];
    const gate = coalesce<[number]>(250, (value) => seen.push(value));
    for (let i = 0; i < 100; i++) {
      gate.push(i);
      jest.advanceTimersByTime(10);
    }
    expect(seen[0]).toBe(0);
    expect(seen.length).toBeLessThanOrEqual(5);
  });

  it('always delivers the last value', () => {
    const seen: number[] = [];
    const gate = coalesce<[number]>(250, (value) => seen.push(value));
    gate.push(1);
    gate.push(2);
    gate.push(3);
    jest.advanceTimersByTime(1000);
    expect(seen).toEqual([1, 3]);
  });

  it('delivers what waits when it is flushed, once', () => {
    const seen: number[] = [];
    const gate = coalesce<[number]>(250, (value) => seen.push(value));
    gate.push(1);
    gate.push(2);
    gate.flush();
    jest.advanceTimersByTime(1000);
    expect(seen).toEqual([1, 2]);
  });
});
