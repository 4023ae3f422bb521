/** What identity knows of people. */
export type People = {
  exists: (userId: string) => Promise<boolean>;
  /** Everybody who is or was in a group. */
  memberships: () => AsyncIterable<{ userId: string; groupIds: string[]; version: number }>;
};
