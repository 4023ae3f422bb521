import { describe, expect, it } from '@jest/globals';
import { claimGraceMs, isHeld } from './holding.ts';

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
