import { describe, expect, it } from '@jest/globals';
import { evidenceText, statusLabelOf, summaryOf } from './labels.ts';

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

describe('summaryOf', () => {
  it('reports that all accounts were found when there is no candidate', () => {
    expect(summaryOf(report)).toBe('All accounts found (120).');
  });
  it('counts disabled and deferred accounts', () => {
    expect(summaryOf({ ...report, candidates: 4, disabled: 1, deferred: 3 })).toBe(
      '1 account disabled. 3 accounts left for the next run.',
    );
  });
  it('counts accounts whose roles or groups changed', () => {
    expect(summaryOf({ ...report, reconciled: 7 })).toMatch(
      /All accounts found \(120\)\. Roles or groups of 7 accounts changed/,
    );
  });
  it('counts the accounts that a dry run would disable', () => {
    expect(summaryOf({ ...report, dry_run: true, candidates: 2, would_disable: 2 })).toBe(
      '2 accounts would be disabled.',
    );
  });
  it('reports of an interrupted run that no accounts were disabled, and why it was interrupted', () => {
    const summary = summaryOf({ ...report, status: 'directory_unavailable', error: 'No answer in time.' });
    expect(summary).toMatch(/No accounts were disabled.*No answer in time/);
  });
  it('counts the accounts that an earlier attempt of an interrupted run disabled', () => {
    expect(summaryOf({ ...report, status: 'directory_unavailable', error: 'Timeout.', disabled: 2 })).toBe(
      'The directory couldn’t be read completely. 2 accounts were disabled before. Timeout.',
    );
  });
  it.each([
    [1, '3 accounts disabled. 1 enabled again since.'],
    [3, '3 accounts disabled. Undone: all enabled again.'],
  ])('reports that an undo enabled %p of three accounts again', (undone, summary) => {
    expect(summaryOf({ ...report, candidates: 3, disabled: 3, undone })).toBe(summary);
  });
  it('reports that a held set was approved', () => {
    const approved = { ...report, status: 'held' as const, candidates: 40, approved_at: '2026-11-21T12:00:00Z' };
    expect(summaryOf(approved)).toBe('40 accounts would be disabled. The set was approved.');
    expect(statusLabelOf(approved).label).toBe('approved');
  });
  it('reports the disabled accounts of a partly approved set, and that the others await approval', () => {
    expect(summaryOf({ ...report, status: 'held', candidates: 3, disabled: 2 })).toBe(
      '2 accounts disabled. More accounts have left since. The whole set is awaiting approval.',
    );
  });
  it('reports that a held set awaits approval', () => {
    expect(summaryOf({ ...report, status: 'held', candidates: 40 })).toMatch(/40 accounts .* awaiting approval/);
  });
});

describe('evidenceText', () => {
  it('names known and unknown kinds of evidence', () => {
    expect(evidenceText({ state: 'expired', seen_at: 'x' })).toBe('state: expired · seen at: x');
  });
});
