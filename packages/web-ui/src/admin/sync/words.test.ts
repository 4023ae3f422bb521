import { describe, expect, it } from '@jest/globals';
import { evidenceOf, stateOf, summaryOf } from './words.ts';

const report = {
  status: 'ok' as const,
  error: null,
  dry_run: false,
  disabled: 0,
  undone: 0,
  approved_at: null,
  would_disable: 0,
  deferred: 0,
  candidates: 0,
  checked: 120,
  reconciled: 0,
};

describe('what a pass came to', () => {
  it('with nobody gone says that all are there', () => {
    expect(summaryOf(report)).toBe('All of 120 accounts are still in the directory.');
  });
  it('with leavers says how many, and how many are left', () => {
    expect(summaryOf({ ...report, candidates: 4, disabled: 1, deferred: 3 })).toBe(
      '1 account disabled. 3 accounts left for the next pass.',
    );
  });
  it('says of how many roles or groups changed', () => {
    expect(summaryOf({ ...report, reconciled: 7 })).toMatch(
      /still in the directory\. Roles or groups of 7 accounts changed/,
    );
  });
  it('dry says what would have been', () => {
    expect(summaryOf({ ...report, dry_run: true, candidates: 2, would_disable: 2 })).toBe(
      '2 accounts would be disabled.',
    );
  });
  it('broken off says that nobody was disabled, and why', () => {
    const said = summaryOf({ ...report, status: 'directory_unavailable', error: 'No answer in time.' });
    expect(said).toMatch(/nobody was disabled.*No answer in time/);
  });
  it('that broke off at its second try says whom the first had disabled', () => {
    expect(summaryOf({ ...report, status: 'directory_unavailable', error: 'Gone.', disabled: 2 })).toBe(
      'The directory could not be read whole, after 2 accounts had been disabled. Gone.',
    );
  });
  it.each([
    [1, '3 accounts disabled. 1 enabled again since.'],
    [3, '3 accounts disabled. Taken back since: all enabled again.'],
  ])('taken back for %p of three says so', (undone, said) => {
    expect(summaryOf({ ...report, candidates: 3, disabled: 3, undone })).toBe(said);
  });
  it('held and approved says that nothing waits any more', () => {
    const approved = { ...report, status: 'held' as const, candidates: 40, approved_at: '2026-11-21T12:00:00Z' };
    expect(summaryOf(approved)).toBe('40 accounts would be disabled. The set was approved.');
    expect(stateOf(approved).words).toBe('approved');
  });
  it('approved for some only says what was done, and that the others wait', () => {
    expect(summaryOf({ ...report, status: 'held', candidates: 3, disabled: 2 })).toBe(
      '2 accounts disabled. Others have left meanwhile. The whole set waits for approval.',
    );
  });
  it('held says that the whole set waits', () => {
    expect(summaryOf({ ...report, status: 'held', candidates: 40 })).toMatch(/40 accounts .* waits for approval/);
  });
});

describe('evidence', () => {
  it('is told in words, unknown kinds too', () => {
    expect(evidenceOf({ state: 'expired', seen_at: 'x' })).toBe('state: expired · seen at: x');
  });
});
