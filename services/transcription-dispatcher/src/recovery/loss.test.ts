import { expect, test } from '@jest/globals';
import { canJudge, leaseGraceMs, missingTickets } from './loss.ts';

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
