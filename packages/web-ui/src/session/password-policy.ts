import type { IdentityAnswer } from '../api/identity.ts';

export type PasswordPolicy = IdentityAnswer<'passwordPolicy'>;
export type Rule = { readonly words: string; readonly kept: boolean };

// However lax the rules, this much holds always.
const shortest = 8;
const special = /[!@#$%^&*()_+\-=[\]{}|;':",./<>?`~\\ ]/;

/** The rules that can be judged while typing; what else the server knows (earlier passwords, names) it says itself. */
export const rulesFor = (policy: PasswordPolicy, password: string): Rule[] => {
  const least = policy.enabled ? policy.min_length : shortest;
  const on = (wanted: boolean): boolean => policy.enabled && wanted;
  return [
    { wanted: true, words: `At least ${least} characters`, kept: password.length >= least },
    { wanted: on(policy.require_uppercase), words: 'An upper case letter', kept: /\p{Lu}/u.test(password) },
    { wanted: on(policy.require_lowercase), words: 'A lower case letter', kept: /\p{Ll}/u.test(password) },
    { wanted: on(policy.require_digit), words: 'A digit', kept: /\p{Nd}/u.test(password) },
    { wanted: on(policy.require_special), words: 'A special character', kept: special.test(password) },
  ].flatMap(({ wanted, words, kept }) => (wanted ? [{ words, kept }] : []));
};

export const keepsRules = (policy: PasswordPolicy | undefined, password: string): boolean =>
  policy === undefined || rulesFor(policy, password).every((rule) => rule.kept);
