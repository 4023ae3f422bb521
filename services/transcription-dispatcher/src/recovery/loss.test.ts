import { describe, expect, test } from '@jest/globals';
import { canJudge, isOverdue, leaseGraceMs, missingTickets } from './loss.ts';

test('a durable with fewer tickets than open orders has lost as many', () => {
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
  expect([...missingTickets(open, tickets)]).toEqual([
    ['a', 3],
    ['d', 1],
  ]);
});

test('nothing is concluded from a missing lease before leases were followed for a renewal', () => {
  expect(canJudge(null, 1_000_000)).toBe(false);
  expect(canJudge(1_000_000 - leaseGraceMs + 1, 1_000_000)).toBe(false);
  expect(canJudge(1_000_000 - leaseGraceMs, 1_000_000)).toBe(true);
});

describe('a task under way', () => {
  const begun = (agoSeconds: number, costS: number) => ({
    claimedAt: new Date(10_000_000_000 - agoSeconds * 1_000),
    costS,
  });
  const overdue = (agoSeconds: number, costS: number) => isOverdue(begun(agoSeconds, costS), 600, 10_000_000_000);
  test('may take as long as its audio asks for, and never less than the floor', () => {
    expect([overdue(599, 10), overdue(601, 10)]).toEqual([false, true]);
    expect([overdue(35_999, 3_600), overdue(36_001, 3_600)]).toEqual([false, true]);
  });
  test('that nobody has begun is never overdue', () => {
    expect(isOverdue({ claimedAt: null, costS: 1 }, 600, Number.MAX_SAFE_INTEGER)).toBe(false);
  });
});
