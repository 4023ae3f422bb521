import { describe, expect, it } from '@jest/globals';
import { redactionKinds, type RedactionKind } from '@overtone/contracts';
import {
  audienceOf,
  defaultPolicy,
  maskOf,
  maskSegment,
  namesChanged,
  noMask,
  parsePolicy,
  stayingSpans,
  withStaying,
  type FoundSpan,
} from './redaction.ts';

const policy = { ...defaultPolicy, masked_kinds: ['card' as const], masked_for: ['viewer' as const] };
const choices = { policy, accountKinds: ['name'], fileKinds: ['phone'] };

describe('the mask of a reader', () => {
  it('is the policy for the audience, and always the choices of the owner', () => {
    expect([...maskOf(choices, 'viewer', false).kinds]).toEqual(['card', 'name', 'phone']);
    expect([...maskOf(choices, 'owner', false).kinds]).toEqual(['name', 'phone']);
  });

  it('for the index is that of any reader', () => {
    expect([...maskOf(choices, null, false).kinds]).toEqual(['card', 'name', 'phone']);
    expect([...maskOf({ ...choices, policy: { ...policy, masked_for: [] } }, null, false).kinds]).toEqual([
      'name',
      'phone',
    ]);
  });

  it('withholds unscanned text as the policy says, after a failed scan always, and never without a masked kind', () => {
    const open = { ...choices, policy: { ...policy, withhold_unscanned: false } };
    expect(maskOf(choices, 'viewer', false).withholdsUnscanned).toBe(true);
    expect(maskOf(open, 'viewer', false).withholdsUnscanned).toBe(false);
    expect(maskOf(open, 'viewer', true).withholdsUnscanned).toBe(true);
    expect(maskOf({ policy, accountKinds: [], fileKinds: [] }, 'owner', true)).toEqual(noMask);
  });

  it('of a policy that cannot be read masks every kind and lets no one reveal', () => {
    expect(parsePolicy({ masked_kinds: 5 })).toMatchObject({ masked_kinds: redactionKinds, reveal_for: [] });
    expect(parsePolicy(undefined)).toEqual(defaultPolicy);
  });

  it('depends on who reads: an administrator who owns the file is its owner', () => {
    const file = { userId: 'ada', permission: 'owner' as const };
    expect(audienceOf({ userId: 'ada', role: 'admin' }, file)).toBe('owner');
    expect(audienceOf({ userId: 'bob', role: 'super_admin' }, file)).toBe('administrator');
    expect(audienceOf({ userId: 'bob', role: 'user' }, { ...file, permission: 'viewer' })).toBe('viewer');
  });
});

function span(start: number, end: number, more: Partial<FoundSpan> = {}): FoundSpan {
  return { uuid: `${start}`, kind: 'phone', start, end, ...more };
}

const segment = { text: 'call 123', words: [], speaker: { uuid: 's', name: 'SPEAKER_01', display_name: 'Ada' } };

describe('a passage', () => {
  it('that was not scanned is withheld, with the name of its speaker', () => {
    const mask = { kinds: new Set<RedactionKind>(['name']), withholdsUnscanned: true };
    expect(maskSegment(segment, { found: [], scanned: false }, mask)).toMatchObject({
      text: '[withheld]',
      withheld: true,
      speaker: { name: 'SPEAKER_01', display_name: null },
    });
  });

  it('shows only the kinds that are not masked', () => {
    const mask = { kinds: new Set<RedactionKind>(['phone']), withholdsUnscanned: true };
    expect(maskSegment(segment, { found: [span(5, 8)], scanned: true }, mask)).toMatchObject({
      text: 'call [phone]',
      redactions: [{ uuid: '5', kind: 'phone', start: 5, end: 12 }],
      speaker: { display_name: 'Ada' },
    });
  });
});

describe('the spans of an earlier scan', () => {
  const spans = [span(0, 3), span(5, 8, { kept: true })];
  const row = (redactionKey: string | null) => ({ redactions: spans, redactionKey });

  it('stay while text and rules are the same', () => {
    expect(stayingSpans(row('rules-1:abc'), 'abc', 'rules-1')).toEqual(spans);
    expect(stayingSpans(row(`${namesChanged}:abc`), 'abc', 'rules-1')).toEqual(spans);
  });

  it('stay after a change of the rules only where an edit kept them, and never in another text', () => {
    expect(stayingSpans(row('rules-0:abc'), 'abc', 'rules-1')).toEqual([spans[1]]);
    expect(stayingSpans(row('rules-1:abc'), 'other', 'rules-1')).toEqual([]);
    expect(stayingSpans(row(null), 'abc', 'rules-1')).toEqual([]);
  });

  it('keep their id and their mark in a new scan', () => {
    const united = withStaying([{ kind: 'phone', start: 4, end: 8 }], [span(5, 8, { kept: true })], () => 'new');
    expect(united).toMatchObject([{ start: 4, end: 8, kept: true }]);
    expect(withStaying([{ kind: 'phone', start: 5, end: 8 }], [span(5, 8)], () => 'new')).toMatchObject([
      { uuid: '5' },
    ]);
  });
});
