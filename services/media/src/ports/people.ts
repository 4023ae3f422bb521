/** What identity knows of people. */
export type People = {
  exists: (userId: string) => Promise<boolean>;
  /** Names by user id; who is gone has none. */
  names: (userIds: string[]) => Promise<ReadonlyMap<string, string>>;
  /** Everybody who is or was in a group. */
  memberships: () => AsyncIterable<{ userId: string; groupIds: string[]; version: number }>;
};
