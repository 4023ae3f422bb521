import type { FileAccess } from '@overtone/contracts';

export type Membership = { userId: string; groupIds: string[]; version: number };
export type { FileAccess };

/** What somebody may find. */
export type Sight = {
  /** null: every file (administrators). */
  ownerId: string | null;
  /** Files of others that are shared with them. */
  sharedIds: readonly string[];
};
