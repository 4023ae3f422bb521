import { describe, expect, test } from '@jest/globals';
import { claimGraceMs, isHeld } from './holding.ts';

const now = 1_000_000;
const claimed = (agoMs: number) => ({ token: 3, worker: 'a', claimedAt: new Date(now - agoMs) });
const lease = (token: number, leftMs: number) => ({ worker: 'a', token, expiresAt: now + leftMs });

describe('a task', () => {
  test('is held while its lease is renewed', () => {
    expect(isHeld(claimed(3_600_000), lease(3, 1), now)).toBe(true);
  });
  test('is not held when its lease has run out', () => {
    expect(isHeld(claimed(60_000), lease(3, -1), now)).toBe(false);
  });
  test('is held while a fresh claim may not have shown its lease yet', () => {
    expect(isHeld(claimed(claimGraceMs - 1), undefined, now)).toBe(true);
    expect(isHeld(claimed(claimGraceMs), undefined, now)).toBe(false);
  });
  test("is not held by a ghost's lease under an older token", () => {
    expect(isHeld(claimed(60_000), lease(2, 10_000), now)).toBe(false);
  });
});
