import { expect, it } from '@jest/globals';
import { keepsRules, rulesFor, type PasswordPolicy } from './password-policy.ts';

const policy: PasswordPolicy = {
  enabled: true,
  min_length: 12,
  require_uppercase: true,
  require_lowercase: true,
  require_digit: true,
  require_special: true,
  history_count: 24,
  max_age_days: 0,
};
const broken = (password: string, p = policy) =>
  rulesFor(p, password).flatMap((rule) => (rule.kept ? [] : [rule.words]));

it.each([
  ['Correct-Horse-7', []],
  ['correct-horse-7', ['An upper case letter']],
  ['CORRECT-HORSE-7', ['A lower case letter']],
  ['Correct-Horse-x', ['A digit']],
  ['CorrectHorse77', ['A special character']],
  ['Ünïcödé Sätze 1', []],
  ['Ab-1', ['At least 12 characters']],
])('%s breaks %p', (password, rules) => expect(broken(password)).toEqual(rules));
it('names only rules that are switched on', () =>
  expect(rulesFor({ ...policy, require_digit: false }, '').map((rule) => rule.words)).not.toContain('A digit'));
it('asks for eight characters even without a policy', () =>
  expect(rulesFor({ ...policy, enabled: false }, 'seven77').map((rule) => rule.words)).toEqual([
    'At least 8 characters',
  ]));
it('leaves the judgement to the server while the policy is not known', () =>
  expect(keepsRules(undefined, 'x')).toBe(true));
