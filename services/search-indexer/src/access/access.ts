import type { FileAccess } from '@overtone/contracts';

export type Membership = { userId: string; groupIds: string[]; version: number };
export type { FileAccess };

/** What somebody may find now. */
export type Sight = {
  /** null: every file (administrators). */
  ownerId: string | null;
  /** Files of others that are shared with them. */
  sharedIds: readonly string[];
};

export type Sights = { sightOf: (searcher: { userId: string; seesAll: boolean }) => Promise<Sight> };
