import { describe, expect, it } from '@jest/globals';
import { defaultRetention, expired, expiredSafetyDumps, safetyLabelOf } from './retention.ts';

const day = 86_400_000;
const now = Date.UTC(2026, 10, 22, 3); // a Sunday

function daily(count: number, from = now) {
  return Array.from({ length: count }, (_, i) => ({ name: `b${i}`, createdAt: new Date(from - i * day) }));
}

function keptOf(backups: readonly { name: string; createdAt: Date }[], retention = defaultRetention): string[] {
  const gone = new Set(expired(backups, retention));
  return backups.filter(({ name }) => !gone.has(name)).map(({ createdAt }) => createdAt.toISOString().slice(0, 10));
}

describe('the retention', () => {
  it('keeps everything of the last seven days', () =>
    expect(keptOf(daily(7))).toEqual([
      '2026-11-22',
      '2026-11-21',
      '2026-11-20',
      '2026-11-19',
      '2026-11-18',
      '2026-11-17',
      '2026-11-16',
    ]));

  it('keeps of two years of daily backups 7 days, the newest of 4 weeks and of 12 months', () =>
    expect(keptOf(daily(730)).join(' ')).toBe(
      '2026-11-22 2026-11-21 2026-11-20 2026-11-19 2026-11-18 2026-11-17 2026-11-16 ' +
        '2026-11-15 2026-11-08 2026-11-01 ' +
        '2026-10-31 2026-09-30 2026-08-31 2026-07-31 2026-06-30 2026-05-31 2026-04-30 ' +
        '2026-03-31 2026-02-28 2026-01-31 2025-12-31',
    ));

  it('counts days that have a backup, so that a pause does not delete the last ones', () =>
    expect(keptOf(daily(7, now - 400 * day))).toHaveLength(7));

  it('keeps the newest of several backups of a day', () => {
    const hourly = Array.from({ length: 24 }, (_, i) => ({ name: `h${i}`, createdAt: new Date(now - i * 3_600_000) }));
    expect(expired(hourly, { daily: 1, weekly: 0, monthly: 0 })).toHaveLength(23);
    expect(expired(hourly, { daily: 1, weekly: 0, monthly: 0 })).not.toContain('h0');
  });

  it('never deletes the newest backup', () =>
    expect(expired(daily(3), { daily: 0, weekly: 0, monthly: 0 })).toEqual(['b1', 'b2']));

  it('deletes nothing without backups', () => expect(expired([], defaultRetention)).toEqual([]));
});

describe('safety dumps', () => {
  const dumps = (label: string, count: number) =>
    Array.from({ length: count }, (_, i) => ({ name: `${label}-${i}`, createdAt: new Date(now - i * 60_000) }));

  it('stay by number for each of their labels, and never count regular backups', () =>
    expect(
      expiredSafetyDumps([...dumps('before-restore', 5), ...dumps('before-update', 4), ...dumps('overtone', 9)]),
    ).toEqual(['before-restore-3', 'before-restore-4', 'before-update-3']));

  it('are recognised by their label', () =>
    expect(['before-restore-1', 'before-restored', 'overtone-1'].map(safetyLabelOf)).toEqual([
      'before-restore',
      undefined,
      undefined,
    ]));
});
