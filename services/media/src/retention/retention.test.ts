import { describe, expect, it } from '@jest/globals';
import { testSeed } from '@overtone/testkit/seed';
import * as fc from 'fast-check';
import { admitSets, allowanceOf, bytesOf, digestOf, reasonsOf, type Candidate, type Rule } from './retention.ts';
import { verdictOf } from './runs.service.ts';

fc.configureGlobal({ seed: testSeed });

const dayMs = 24 * 3_600_000;
const now = new Date('2026-06-01T12:00:00Z');

const [talks, drafts] = ['00000000-0000-4000-8000-00000000000a', '00000000-0000-4000-8000-00000000000b'] as const;

function daysAgo(days: number): Date {
  return new Date(now.getTime() - days * dayMs);
}

function buildFile(change: Partial<Candidate> = {}): Candidate {
  return {
    id: '00000000-0000-4000-8000-000000000001',
    status: 'completed',
    uploadTime: daysAgo(100),
    lastUsedOn: daysAgo(50),
    fileSize: 5_000n,
    deletedAt: null,
    recordingRemovedAt: null,
    transcriptVersion: 1,
    transcriptProvisional: false,
    tagNames: ['plan'],
    collectionIds: [talks],
    ...change,
  };
}

function buildRule(conditions: Rule['conditions'], removes: Rule['removes'] = 'everything'): Rule {
  return { id: '00000000-0000-4000-8000-000000000002', name: 'rule', removes, conditions };
}

const days = fc.integer({ min: 1, max: 400 });
const conditions: fc.Arbitrary<Rule['conditions']> = fc.record(
  {
    older_than_days: days,
    unused_for_days: days,
    larger_than_bytes: fc.integer({ min: 1, max: 10_000 }),
    any_tag: fc.array(fc.constantFrom('plan', 'call', 'draft'), { minLength: 1, maxLength: 3 }),
    any_collection: fc.array(fc.constantFrom(talks, drafts), { minLength: 1, maxLength: 2 }),
  },
  { requiredKeys: [] },
);
const file: fc.Arbitrary<Candidate> = fc
  .record({
    status: fc.constantFrom('completed', 'error', 'cancelled', 'transcribing', 'quarantined', 'orphaned', 'pending'),
    uploadTime: fc.integer({ min: 0, max: 400 }).map(daysAgo),
    lastUsedOn: fc.integer({ min: 0, max: 400 }).map(daysAgo),
    fileSize: fc.integer({ min: 1, max: 10_000 }).map(BigInt),
    deletedAt: fc.constantFrom(null, null, now),
    recordingRemovedAt: fc.constantFrom(null, null, now),
    transcriptVersion: fc.integer({ min: 0, max: 2 }),
    transcriptProvisional: fc.boolean(),
    tagNames: fc.subarray(['plan', 'call', 'draft']),
    collectionIds: fc.subarray([talks, drafts]),
  })
  .map(buildFile);

describe('a retention rule', () => {
  it('applies when every condition holds, and names each of them', () => {
    const all = {
      older_than_days: 99,
      unused_for_days: 48,
      larger_than_bytes: 4_999,
      any_tag: ['call', 'plan'],
      any_collection: [drafts, talks],
    };
    expect(reasonsOf(buildRule(all), buildFile(), now)).toEqual(['age', 'unused', 'size', 'tag', 'collection']);
    for (const change of [
      { older_than_days: 100 },
      { unused_for_days: 49 },
      { larger_than_bytes: 5_000 },
      { any_tag: ['call'] },
      { any_collection: [drafts] },
    ])
      expect(reasonsOf(buildRule({ ...all, ...change }), buildFile(), now)).toEqual([]);
  });

  it('without conditions applies to no file', () => {
    expect(reasonsOf(buildRule({}), buildFile(), now)).toEqual([]);
  });

  it('counts the whole day of the last use as use', () => {
    const usedOn = (day: string) => buildFile({ lastUsedOn: new Date(`${day}T00:00:00Z`) });
    const rule = buildRule({ unused_for_days: 1 });
    expect(reasonsOf(rule, usedOn('2026-05-31'), now)).toEqual([]);
    expect(reasonsOf(rule, usedOn('2026-05-30'), now)).toEqual(['unused']);
  });

  it('never applies to a file in the bin or one that is being processed, whatever the conditions', () => {
    fc.assert(
      fc.property(
        conditions,
        file,
        fc.constantFrom('recording' as const, 'everything' as const),
        (given, row, what) => {
          const applies = reasonsOf(buildRule(given, what), row, now).length > 0;
          if (row.deletedAt !== null || !['completed', 'error', 'cancelled'].includes(row.status))
            expect(applies).toBe(false);
        },
      ),
    );
  });

  it('removes a recording only where a final transcript remains', () => {
    fc.assert(
      fc.property(conditions, file, (given, row) => {
        if (reasonsOf(buildRule(given, 'recording'), row, now).length === 0) return;
        expect(row).toMatchObject({ status: 'completed', transcriptProvisional: false, recordingRemovedAt: null });
        expect(row.transcriptVersion).toBeGreaterThan(0);
      }),
    );
  });

  it('with one more condition never applies to more files', () => {
    fc.assert(
      fc.property(conditions, conditions, file, (given, more, row) => {
        const strict = buildRule({ ...more, ...given });
        if (Object.keys(given).length > 0 && reasonsOf(strict, row, now).length > 0)
          expect(reasonsOf(buildRule(given), row, now)).not.toEqual([]);
      }),
    );
  });

  it('that applied to a file applies to it later, too, while nothing of the file changes', () => {
    fc.assert(
      fc.property(conditions, file, days, (given, row, later) => {
        if (reasonsOf(buildRule(given), row, now).length > 0)
          expect(reasonsOf(buildRule(given), row, new Date(now.getTime() + later * dayMs))).not.toEqual([]);
      }),
    );
  });
});

describe('the brake', () => {
  it('admits sets only within the allowance, in the order of the rules, and holds a set as a whole', () => {
    expect(admitSets([3, 4, 2], 5)).toEqual(['admitted', 'held', 'admitted']);
    fc.assert(
      fc.property(fc.array(fc.nat(1_000)), fc.nat(2_000), (counts, allowance) => {
        const statuses = admitSets(counts, allowance);
        const admitted = counts.filter((_, i) => statuses[i] === 'admitted').reduce((sum, count) => sum + count, 0);
        expect(statuses).toHaveLength(counts.length);
        expect(admitted).toBeLessThanOrEqual(allowance);
      }),
    );
  });

  it('allows a share of the library a day, however many runs there are', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 5_000 }), fc.integer({ min: 1, max: 100 }), (files, maxPercent) => {
        let removed = 0;
        for (let run = 0; run < 10; run += 1)
          removed += allowanceOf({ libraryFiles: files - removed, maxPercent, removedToday: removed });
        expect(removed).toBe(Math.max(1, Math.floor((files * maxPercent) / 100)));
      }),
    );
  });

  it('identifies a set by its files and by what is removed, not by their order', () => {
    const rule = buildRule({ older_than_days: 1 });
    expect(digestOf(rule, ['b', 'a'])).toBe(digestOf(rule, ['a', 'b']));
    expect(digestOf(rule, ['a'])).not.toBe(digestOf(rule, ['a', 'b']));
    expect(digestOf(rule, ['a'])).not.toBe(digestOf({ removes: 'recording' }, ['a']));
  });
});

describe('a planned file', () => {
  const rule = buildRule({ older_than_days: 1 });

  it('is kept when it is deleted, held, in use again, or its rule has changed', () => {
    expect(verdictOf({ file: buildFile(), rule, isHeld: false }, now)).toBe('remove');
    expect(verdictOf({ file: undefined, rule, isHeld: false }, now)).toBe('gone');
    expect(verdictOf({ file: buildFile(), rule, isHeld: true }, now)).toBe('legal_hold');
    expect(verdictOf({ file: buildFile(), rule: undefined, isHeld: false }, now)).toBe('rule_changed');
    expect(verdictOf({ file: buildFile({ uploadTime: now }), rule, isHeld: false }, now)).toBe('no_longer_applies');
  });

  it('under a hold is never removed', () => {
    fc.assert(
      fc.property(conditions, file, (given, row) => {
        expect(verdictOf({ file: row, rule: buildRule(given), isHeld: true }, now)).toBe('legal_hold');
      }),
    );
  });

  it('frees no bytes when its recording was removed before', () => {
    expect([bytesOf(buildFile()), bytesOf(buildFile({ recordingRemovedAt: now }))]).toEqual([5_000, 0]);
  });
});
