import { describe, expect, it } from '@jest/globals';
import { namedId, slotOf } from './slots.ts';

function at(text: string) {
  return new Date(`2026-01-01T${text}Z`);
}

const quarter = 15 * 60_000;

describe('a periodic job', () => {
  it('has one slot at a moment, whichever replica asks', () => {
    expect(slotOf(at('10:14:59').getTime(), quarter)).toEqual(at('10:00:00'));
    expect(slotOf(at('10:15:00').getTime(), quarter)).toEqual(at('10:15:00'));
  });
  it('has one id for a slot, and it is a UUID', () => {
    expect(namedId('check a')).toBe(namedId('check a'));
    expect(namedId('check a')).not.toBe(namedId('check b'));
    expect(namedId('check a')).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-a[0-9a-f]{3}-[0-9a-f]{12}$/);
  });
});
