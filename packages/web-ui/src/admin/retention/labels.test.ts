import { describe, expect, it } from '@jest/globals';
import { conditionsText, resultText } from './labels.ts';

const rule = {
  rule_uuid: '00000000-0000-4000-8000-000000000001',
  name: 'Old calls',
  removes: 'everything' as const,
  status: 'admitted' as const,
  set_digest: '',
  planned: 3,
  planned_bytes: 2048,
  removed: 2,
  removed_bytes: 1024,
  skipped: 1,
};

describe('the texts of a retention rule', () => {
  it('name every condition that must hold', () => {
    expect(
      conditionsText({ older_than_days: 90, unused_for_days: 1, larger_than_bytes: 2048, any_tag: ['a', 'b'] }),
    ).toBe('older than 90 days, not used for 1 day, larger than 2 KB, tagged a or b');
    expect(conditionsText({ any_collection: [rule.rule_uuid] })).toBe('in a chosen collection');
    expect(conditionsText({ any_collection: [rule.rule_uuid, rule.rule_uuid] })).toBe('in one of 2 collections');
  });

  it('say what happened, what is kept and what waits', () => {
    expect(resultText(rule)).toBe('2 of 3 files removed, 1 KB, 1 kept');
    expect(resultText({ ...rule, planned: 0 })).toBe('No file');
    expect(resultText({ ...rule, status: 'held', removed: 0 })).toBe('3 files, 2 KB: waiting for approval');
    expect(resultText({ ...rule, status: 'superseded', removed: 0 })).toBe('3 files: not approved');
  });
});
