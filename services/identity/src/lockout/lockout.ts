/** Failures an account may have before it is locked. */
export const threshold = 5;
/** Minutes of the first, second, third and every further lock. */
export const lockMinutes = [15, 30, 60, 1440] as const;

/** An attempt that was let through: counted as a failure beforehand, so that no number of attempts at once gets more. */
type Attempt = { userId: string; locksAccount: boolean };

export type Lockout = {
  /** @returns null while the account is locked. */
  begin: (userId: string) => Promise<Attempt | null>;
  /** The attempt was right: takes its count back. */
  succeed: (attempt: Attempt) => Promise<void>;
  /** One attempt per account at a time; the others wait their turn. */
  oneAtATime: <T>(userId: string, work: () => Promise<T>) => Promise<T>;
};
