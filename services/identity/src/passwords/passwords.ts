import type { AnswerOf, AuthSettings, userRoutes } from '@overtone/contracts';
import { invalid } from '@overtone/service-kit';

/** Limits that apply with every policy: shorter passwords are easily guessed, longer ones only cost time. */
const shortest = 8;
const longest = 128;

const special = /[!@#$%^&*()_+\-=[\]{}|;':",./<>?`~\\ ]/;

export type PasswordPolicy = Pick<
  AuthSettings,
  | 'password_policy_enabled'
  | 'password_min_length'
  | 'password_require_uppercase'
  | 'password_require_lowercase'
  | 'password_require_digit'
  | 'password_require_special'
>;

/** Why a password is rejected, each fault in one sentence; empty when it is accepted. */
export function passwordFaults(
  password: string,
  owner: { email: string; fullName: string },
  policy: PasswordPolicy,
): string[] {
  const low = password.toLowerCase();
  const on = policy.password_policy_enabled;
  const least = leastLength(policy);
  return [
    [password.length < least, `It needs at least ${least} characters.`],
    [password.length > longest, `It may have at most ${longest} characters.`],
    [on && policy.password_require_uppercase && !/\p{Lu}/u.test(password), 'It needs an upper case letter.'],
    [on && policy.password_require_lowercase && !/\p{Ll}/u.test(password), 'It needs a lower case letter.'],
    [on && policy.password_require_digit && !/\p{Nd}/u.test(password), 'It needs a digit.'],
    [on && policy.password_require_special && !special.test(password), 'It needs a special character.'],
    [
      on && personalParts(owner).some((part) => low.includes(part)),
      'It must not contain the name or e-mail address of the account.',
    ],
  ].flatMap(([wrong, text]) => (wrong ? [text as string] : []));
}

export type PasswordHistory = Pick<AuthSettings, 'password_policy_enabled' | 'password_history_count'>;

/** How many earlier passwords may not be used again. */
export function historyLength(history: PasswordHistory): number {
  return history.password_policy_enabled ? history.password_history_count : 0;
}

export type PasswordState = {
  authType: string;
  hasPassword: boolean;
  mustChangePassword: boolean;
  passwordChangedAt: Date | null;
  createdAt: Date;
};
export type PasswordAges = Pick<AuthSettings, 'password_policy_enabled' | 'password_max_age_days'>;
const dayMs = 86_400_000;

/** Whether the password must be changed first: required by an administrator, or because of its age. */
export function mustChange(user: PasswordState, now: Date, ages: PasswordAges): boolean {
  if (!user.hasPassword) return false;
  if (user.mustChangePassword) return true;
  if (user.authType !== 'local' || !ages.password_policy_enabled || ages.password_max_age_days === 0) return false;
  const since = user.passwordChangedAt ?? user.createdAt;
  return now.getTime() - since.getTime() > ages.password_max_age_days * dayMs;
}

/** Checks and hashes new passwords by the effective policy. */
export type NewPasswords = {
  /**
   * @param owner with `account` if it exists: its earlier passwords are rejected.
   * @throws AppError invalid, code password_rejected, a sentence for each fault under the field `path`.
   */
  hash: (
    password: string,
    owner: { email: string; fullName: string; account?: { id: string; passwordHash: string | null } },
    path?: string,
  ) => Promise<string>;
};

export function passwordRejected(path: string, messages: string[]) {
  return invalid('password_rejected', messages.join(' '), { errors: messages.map((message) => ({ path, message })) });
}

/** The effective rules, for the person who chooses a password. */
export function toPasswordPolicy(settings: AuthSettings): AnswerOf<typeof userRoutes.passwordPolicy> {
  const on = settings.password_policy_enabled;
  return {
    enabled: on,
    min_length: leastLength(settings),
    require_uppercase: on && settings.password_require_uppercase,
    require_lowercase: on && settings.password_require_lowercase,
    require_digit: on && settings.password_require_digit,
    require_special: on && settings.password_require_special,
    history_count: historyLength(settings),
    max_age_days: on ? settings.password_max_age_days : 0,
  };
}

function leastLength(person: Pick<AuthSettings, 'password_policy_enabled' | 'password_min_length'>): number {
  return person.password_policy_enabled ? person.password_min_length : shortest;
}

function personalParts(owner: { email: string; fullName: string }): string[] {
  const local = owner.email.toLowerCase().split('@')[0] ?? '';
  const names = owner.fullName.toLowerCase().split(/\s+/);
  return [...(local.length >= 4 ? [local] : []), ...names.filter((name) => name.length >= 3)];
}
