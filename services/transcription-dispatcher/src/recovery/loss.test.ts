import { describe, expect, it } from '@jest/globals';
import { isWatchSettled, isOverdue, leaseGraceMs, missingSignals } from './loss.ts';

it('counts as many lost signals as a durable has too few for its open tasks', () => {
  const open = [
    { durable: 'a', open: 5 },
    { durable: 'b', open: 2 },
    { durable: 'c', open: 0 },
    { durable: 'd', open: 1 },
  ];
  const tickets = new Map([
    ['a', 2],
    ['b', 2],
    ['c', 3],
  ]);
  expect([...missingSignals(open, tickets)]).toEqual([
    ['a', 3],
    ['d', 1],
  ]);
});

it('a missing lease means nothing until the watch has lasted for one renewal', () => {
  expect(isWatchSettled(null, 1_000_000)).toBe(false);
  expect(isWatchSettled(1_000_000 - leaseGraceMs + 1, 1_000_000)).toBe(false);
  expect(isWatchSettled(1_000_000 - leaseGraceMs, 1_000_000)).toBe(true);
});

describe('a running task', () => {
  const begun = (agoSeconds: number, costS: number) => ({
    claimedAt: new Date(10_000_000_000 - agoSeconds * 1_000),
    costS,
  });
  const overdue = (agoSeconds: number, costS: number) => isOverdue(begun(agoSeconds, costS), 600, 10_000_000_000);
  it('has a time limit by its audio duration, and at least the minimum', () => {
    expect([overdue(599, 10), overdue(601, 10)]).toEqual([false, true]);
    expect([overdue(35_999, 3_600), overdue(36_001, 3_600)]).toEqual([false, true]);
  });
  it('is never overdue before it was claimed', () => {
    expect(isOverdue({ claimedAt: null, costS: 1 }, 600, Number.MAX_SAFE_INTEGER)).toBe(false);
  });
});
