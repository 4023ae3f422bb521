import type { ResponseBody } from '@overtone/client';
import { plural, t } from '@lingui/core/macro';

export type PasswordPolicy = ResponseBody<'GET /api/auth/password-policy'>;
export type Rule = { readonly label: string; readonly isMet: boolean };

// The server requires this length even without a policy.
const minimumLength = 8;
const special = /[!@#$%^&*()_+\-=[\]{}|;':",./<>?`~\\ ]/;

/** The rules that can be checked while typing. The server also checks earlier passwords and names. */
export function rulesFor(policy: PasswordPolicy, password: string): Rule[] {
  const length = policy.enabled ? policy.min_length : minimumLength;
  const isRequired = (wanted: boolean): boolean => policy.enabled && wanted;
  return [
    { wanted: true, label: plural(length, { other: 'At least # characters' }), isMet: password.length >= length },
    { wanted: isRequired(policy.require_uppercase), label: t`An upper case letter`, isMet: /\p{Lu}/u.test(password) },
    { wanted: isRequired(policy.require_lowercase), label: t`A lower case letter`, isMet: /\p{Ll}/u.test(password) },
    { wanted: isRequired(policy.require_digit), label: t`A digit`, isMet: /\p{Nd}/u.test(password) },
    { wanted: isRequired(policy.require_special), label: t`A special character`, isMet: special.test(password) },
  ].flatMap(({ wanted, label, isMet }) => (wanted ? [{ label, isMet }] : []));
}

export function meetsRules(policy: PasswordPolicy | undefined, password: string): boolean {
  return policy === undefined || rulesFor(policy, password).every((rule) => rule.isMet);
}

const alphabets = ['ABCDEFGHJKLMNPQRSTUVWXYZ', 'abcdefghijkmnpqrstuvwxyz', '23456789', '-_+=!?'];
const generatedLength = 16;

/** A random password that meets any policy, without characters that are easily confused. */
export function generatePassword(policy: PasswordPolicy | undefined): string {
  const length = Math.max(generatedLength, policy?.enabled ? policy.min_length : 0);
  const all = alphabets.join('');
  // One of each kind, at random places.
  const rest = Array.from({ length: length - alphabets.length }, () => all);
  const chosen = [...alphabets, ...rest].map((characters) => characters.charAt(randomBelow(characters.length)));
  for (let i = chosen.length - 1; i > 0; i -= 1) {
    const other = randomBelow(i + 1);
    [chosen[i], chosen[other]] = [chosen[other] ?? '', chosen[i] ?? ''];
  }
  return chosen.join('');
}

/** Values above the last multiple of the bound are drawn again, so that all are equally likely. */
function randomBelow(bound: number): number {
  const limit = Math.floor(2 ** 32 / bound) * bound;
  for (;;) {
    const value = crypto.getRandomValues(new Uint32Array(1))[0] ?? limit;
    if (value < limit) return value % bound;
  }
}
