/** Users as identity knows them. */
export type People = {
  exists: (userId: string) => Promise<boolean>;
  /** Names by user id; empty while identity does not respond, and without unknown users. */
  names: (userIds: string[]) => Promise<ReadonlyMap<string, string>>;
  /** All users who are or were members of a group. */
  memberships: () => AsyncIterable<{ userId: string; groupIds: string[]; version: number }>;
};
