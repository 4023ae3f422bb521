/** What identity knows of people. */
export type People = {
  exists: (userId: string) => Promise<boolean>;
  /** Names by user id; an account that does not exist has none, and none has one while identity cannot be asked. */
  names: (userIds: string[]) => Promise<ReadonlyMap<string, string>>;
  /** Everybody who is or was in a group. */
  memberships: () => AsyncIterable<{ userId: string; groupIds: string[]; version: number }>;
};
