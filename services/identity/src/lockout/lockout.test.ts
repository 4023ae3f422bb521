import { describe, expect, it } from '@jest/globals';
import { isNameKey, lockoutRuleOf, nameKey } from './lockout.ts';

const settings = {
  account_lockout_enabled: true,
  account_lockout_threshold: 5,
  account_lockout_duration_minutes: 15,
  account_lockout_progressive: true,
  account_lockout_max_duration_minutes: 1440,
};

describe('the lockout rule', () => {
  it('is five failures, then 15, 30, 60, 1440 minutes by default', () => {
    expect(lockoutRuleOf(settings)).toEqual({ threshold: 5, minutes: [15, 30, 60, 1440] });
  });
  it('never locks longer than the longest lock', () => {
    expect(lockoutRuleOf({ ...settings, account_lockout_max_duration_minutes: 20 })?.minutes).toEqual([15, 20, 20, 20]);
    expect(lockoutRuleOf({ ...settings, account_lockout_max_duration_minutes: 1 })?.minutes).toEqual([1, 1, 1, 1]);
  });
  it('has one duration for every lock when it is not progressive', () => {
    expect(lockoutRuleOf({ ...settings, account_lockout_progressive: false })?.minutes).toEqual([15]);
  });
  it('is none when lockout is off', () => {
    expect(lockoutRuleOf({ ...settings, account_lockout_enabled: false })).toBeNull();
  });
});

describe('the key of a name without an account', () => {
  it.each([' bob ', 'BOB', 'ｂｏｂ', 'b\u1d52b'])('is the same for %j', (spelling) => {
    expect(nameKey(spelling)).toBe(nameKey('bob'));
  });
  it('is never the id of an account', () => {
    const id = '0b5c0a52-6b0c-4c39-8f3c-0a3d1b7b5f11';
    expect(isNameKey(id)).toBe(false);
    expect(nameKey(id)).not.toBe(id);
  });
});
