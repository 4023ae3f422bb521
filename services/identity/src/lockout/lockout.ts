import type { AuthSettings } from '@overtone/contracts';
import type { Tx } from '../database.ts';

/** Owner of a failure counter: the id of an account, or a name without an account. */
export type LockoutKey = string;

const namePrefix = 'name:';
/** One key for all spellings of a name that differ in case, width or outer spaces only. */
export function nameKey(name: string): LockoutKey {
  return `${namePrefix}${name.normalize('NFKC').trim().toLowerCase()}`;
}

export function isNameKey(key: LockoutKey): boolean {
  return key.startsWith(namePrefix);
}

export type LockoutSettings = Pick<
  AuthSettings,
  | 'account_lockout_enabled'
  | 'account_lockout_threshold'
  | 'account_lockout_duration_minutes'
  | 'account_lockout_progressive'
  | 'account_lockout_max_duration_minutes'
>;
/** `minutes`: duration of the first, second, third and every further lock. */
export type LockoutRule = { threshold: number; minutes: number[] };

/** The rule of the settings; null: accounts are never locked. */
export function lockoutRuleOf(settings: LockoutSettings): LockoutRule | null {
  if (!settings.account_lockout_enabled) return null;
  const longest = settings.account_lockout_max_duration_minutes;
  const first = Math.min(settings.account_lockout_duration_minutes, longest);
  return {
    threshold: settings.account_lockout_threshold,
    minutes: settings.account_lockout_progressive
      ? [first, Math.min(2 * first, longest), Math.min(4 * first, longest), longest]
      : [first],
  };
}

/** An attempt, counted as a failure before the password is checked: concurrent attempts cannot exceed the limit. */
export type FailureReservation = { key: LockoutKey; counted: boolean; locksAccount: boolean };

/** SQL that removes the lock this attempt caused; the row of the account or name has the alias `t`. */
export const removeLockSql = 'locked_until = null, lockouts = greatest(t.lockouts - 1, 0)';
/** SQL that a correct password applies to the same row. */
export function resetFailuresSql(locks: boolean): string {
  return `failed_logins = 0${locks ? `, ${removeLockSql}` : ''}`;
}

/** The attempt, if the only one is counted for this account; undefined: other counters must be cleared, too. */
export function onlyAttemptOn(
  reservations: readonly FailureReservation[],
  userId: string,
): FailureReservation | undefined {
  return reservations.length === 1 && reservations[0]?.key === userId ? reservations[0] : undefined;
}

export type Lockout = {
  /** @returns null while the account is locked. */
  reserve: (key: LockoutKey) => Promise<FailureReservation | null>;
  /** The password was correct: resets the counter. */
  clear: (reservation: FailureReservation, tx?: Tx) => Promise<void>;
  /** The password was not checked: uncounts this attempt only. */
  release: (reservation: FailureReservation) => Promise<void>;
  /**
   * Runs one attempt per key at a time.
   * @throws AppError rate_limited when the queue is full or the wait too long.
   */
  runExclusively: <T>(key: LockoutKey, work: () => Promise<T>) => Promise<T>;
  /** Removes the lock of an account and of its names. @returns whether it was locked. */
  unlock: (userId: string, tx?: Tx) => Promise<boolean>;
  /** Deletes names without a recent attempt. */
  deleteOld: () => Promise<void>;
};
