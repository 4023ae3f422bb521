import type { ReplyOf, directorySyncRpc } from '@overtone/contracts';
import type { Clock } from '@overtone/directory';
import type { Account, Person, Population } from '../plan/plan.ts';

/** The steps that prove the completeness of the result. */
export type Proof = readonly { code: string; evidence: string }[];

/** All persons of the directory, proved complete: no error, limit, referral, truncated page or unreadable attribute. */
export type Snapshot = {
  people: Population;
  seen: number;
  proof: Proof;
  /**
   * Reads each account's person again, by immutable id where there is one, all on one new connection.
   * @throws AppError directory_unavailable when the directory does not respond.
   */
  recheck: (accounts: readonly Account[]) => AsyncIterable<Person | null>;
  requests: () => number;
};

export type DirectoryRules = ReplyOf<typeof directorySyncRpc.rules>;
type SnapshotOptions = { signal: AbortSignal; onSeen: (people: number) => void; clock?: Clock | undefined };

/**
 * Reads the directory of the rules.
 * @throws AppError unavailable, code directory_unavailable, when the result may be incomplete.
 */
export type TakeSnapshot = (rules: DirectoryRules, options: SnapshotOptions) => Promise<Snapshot>;
