import { expect, test } from '@jest/globals';
import { canJudge, leaseGraceMs, shortSubjects } from './loss.ts';

test('a subject with fewer messages than open orders has lost some', () => {
  expect(
    shortSubjects([
      { subject: 'a', open: 2, messages: 1 },
      { subject: 'b', open: 2, messages: 2 },
      { subject: 'c', open: 0, messages: 3 },
    ]),
  ).toEqual(['a']);
});

test('nothing is concluded from a missing lease before leases were followed for a renewal', () => {
  expect(canJudge(null, 1_000_000)).toBe(false);
  expect(canJudge(1_000_000 - leaseGraceMs + 1, 1_000_000)).toBe(false);
  expect(canJudge(1_000_000 - leaseGraceMs, 1_000_000)).toBe(true);
});
