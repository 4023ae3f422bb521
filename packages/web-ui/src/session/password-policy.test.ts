import { expect, it } from '@jest/globals';
import { generatePassword, meetsRules, rulesFor, type PasswordPolicy } from './password-policy.ts';

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

function unmetRules(password: string) {
  return unmetRulesOf(policy, password);
}

function unmetRulesOf(current: PasswordPolicy, password: string) {
  return rulesFor(current, password).flatMap((rule) => (rule.isMet ? [] : [rule.label]));
}

it.each([
  ['Correct-Horse-7', []],
  ['correct-horse-7', ['An upper case letter']],
  ['CORRECT-HORSE-7', ['A lower case letter']],
  ['Correct-Horse-x', ['A digit']],
  ['CorrectHorse77', ['A special character']],
  ['Ünïcödé Sätze 1', []],
  ['Ab-1', ['At least 12 characters']],
])('the password %s does not meet %p', (password, rules) => expect(unmetRules(password)).toEqual(rules));
it('lists only rules that are switched on', () =>
  expect(rulesFor({ ...policy, require_digit: false }, '').map((rule) => rule.label)).not.toContain('A digit'));
it('requires eight characters without a policy', () =>
  expect(rulesFor({ ...policy, enabled: false }, 'seven77').map((rule) => rule.label)).toEqual([
    'At least 8 characters',
  ]));
it('accepts any password while the policy is unknown', () => expect(meetsRules(undefined, 'x')).toBe(true));
it.each([
  ['the policy', policy],
  ['a policy with a long minimum', { ...policy, min_length: 40 }],
  ['no policy', { ...policy, enabled: false }],
])('generates different passwords that meet %s', (_, current) => {
  const generated = Array.from({ length: 200 }, () => generatePassword(current));
  for (const password of generated) expect(unmetRulesOf(current, password)).toEqual([]);
  expect(new Set(generated).size).toBe(generated.length);
});
