import { describe, expect, it } from '@jest/globals';
import { claimGraceMs, isHeld, isOverdue, missingSignals } from './loss.ts';

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

const now = 1_000_000;

function claimed(agoMs: number) {
  return { token: 3, worker: 'a', claimedAt: new Date(now - agoMs) };
}

function lease(token: number, leftMs: number) {
  return { worker: 'a', token, expiresAt: now + leftMs };
}

describe('a task', () => {
  it('is held while its lease is valid', () => {
    expect(isHeld(claimed(3_600_000), lease(3, 1), now)).toBe(true);
  });
  it('is not held when its lease has expired', () => {
    expect(isHeld(claimed(60_000), lease(3, -1), now)).toBe(false);
  });
  it('is held shortly after its claim, before its lease is visible', () => {
    expect(isHeld(claimed(claimGraceMs - 1), undefined, now)).toBe(true);
    expect(isHeld(claimed(claimGraceMs), undefined, now)).toBe(false);
  });
  it('is not held by a lease under an older token', () => {
    expect(isHeld(claimed(60_000), lease(2, 10_000), now)).toBe(false);
  });
});
