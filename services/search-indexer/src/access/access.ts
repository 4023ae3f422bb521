import type { FileAccess } from '@overtone/contracts';

export type Membership = { userId: string; groupIds: string[]; version: number };
export type { FileAccess };

/** The files that a searcher may find. */
export type AccessScope = {
  /** null: every file (administrators). */
  ownerId: string | null;
  /** Files of other owners that are shared with the searcher. */
  sharedIds: readonly string[];
};

export type AccessScopes = { scopeOf: (searcher: { userId: string; canSeeAll: boolean }) => Promise<AccessScope> };
