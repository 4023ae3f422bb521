import type { Clock } from '@overtone/directory';
import type { Account, Person, Population } from '../plan/plan.ts';

/** How the completeness of the answer was proved, step by step. */
export type Proof = readonly { code: string; evidence: string }[];

/** Everybody the directory holds, proved complete: no error, limit, referral, cut page or unreadable attribute. */
export type Snapshot = {
  people: Population;
  seen: number;
  proof: Proof;
  /**
   * Asks once more for each of them in turn, by immutable id where there is one, all on one fresh connection.
   * @throws AppError directory_unavailable when the directory does not answer.
   */
  askAgain: (accounts: readonly Account[]) => AsyncIterable<Person | null>;
  requests: () => number;
};

/** @throws AppError unavailable, code directory_unavailable, whenever the answer may not be the whole truth. */
export type TakeSnapshot = (signal: AbortSignal, onSeen: (people: number) => void, clock?: Clock) => Promise<Snapshot>;
