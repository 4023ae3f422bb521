import type { AuthSettings } from '@overtone/contracts';
import type { Tx } from '../database.ts';

/** What a budget of failures belongs to: an account (its id), or a name that no account has. */
export type LockoutKey = string;

const namePrefix = 'name:';
/** One key for all spellings of a name that differ in case, width or outer spaces only. */
export const nameKey = (name: string): LockoutKey => `${namePrefix}${name.normalize('NFKC').trim().toLowerCase()}`;
export const isNameKey = (key: LockoutKey): boolean => key.startsWith(namePrefix);

type LockoutSettings = Pick<
  AuthSettings,
  | 'account_lockout_enabled'
  | 'account_lockout_threshold'
  | 'account_lockout_duration_minutes'
  | 'account_lockout_progressive'
  | 'account_lockout_max_duration_minutes'
>;
/** `minutes`: of the first, second, third and every further lock. */
export type LockoutRule = { threshold: number; minutes: number[] };

/** The settings as one rule; null when nothing is ever locked. */
export const lockoutRuleOf = (s: LockoutSettings): LockoutRule | null => {
  if (!s.account_lockout_enabled) return null;
  const longest = s.account_lockout_max_duration_minutes;
  const first = Math.min(s.account_lockout_duration_minutes, longest);
  return {
    threshold: s.account_lockout_threshold,
    minutes: s.account_lockout_progressive
      ? [first, Math.min(2 * first, longest), Math.min(4 * first, longest), longest]
      : [first],
  };
};

/** An attempt that was let through: counted as a failure beforehand, so that no number of attempts at once gets more. */
export type FailureReservation = { key: LockoutKey; counted: boolean; locksAccount: boolean };

/** Takes back the lock that an attempt ran into itself; on the row of its account or name, written `t`. */
export const unlocking = 'locked_until = null, lockouts = greatest(t.lockouts - 1, 0)';
/** What a right password clears there. */
export const forgiven = (locks: boolean): string => `failed_logins = 0${locks ? `, ${unlocking}` : ''}`;

/** The one attempt that stands on this account's own budget; undefined: there are others to forgive besides. */
export const onlyAttemptOn = (
  attempts: readonly FailureReservation[],
  userId: string,
): FailureReservation | undefined => (attempts.length === 1 && attempts[0]?.key === userId ? attempts[0] : undefined);

export type Lockout = {
  /** @returns null while the account is locked. */
  begin: (key: LockoutKey) => Promise<FailureReservation | null>;
  /** The attempt was right: every failure before it is forgotten. */
  succeed: (attempt: FailureReservation, tx?: Tx) => Promise<void>;
  /** Nothing was tried after all: takes back this attempt and no other. */
  giveBack: (attempt: FailureReservation) => Promise<void>;
  /**
   * One attempt per key at a time; the others wait their turn.
   * @throws AppError rate_limited when too many wait already, or this one has waited too long.
   */
  oneAtATime: <T>(key: LockoutKey, work: () => Promise<T>) => Promise<T>;
  /** An administrator lets an account in again, under every spelling. @returns whether it was locked. */
  unlock: (userId: string, tx?: Tx) => Promise<boolean>;
  /** Removes names without a recent attempt. */
  forgetOld: () => Promise<void>;
};
