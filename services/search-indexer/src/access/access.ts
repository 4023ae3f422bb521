import { roleAtLeast, type FileAccess } from '@overtone/contracts';
import type { Caller } from '@overtone/service-kit';

export type Membership = { userId: string; groupIds: string[]; version: number };
export type { FileAccess };

/** `canSeeAll`: administrators find every file. */
export type Searcher = { userId: string; canSeeAll: boolean };

/** The files that a searcher may find. */
export type AccessScope = {
  /** null: every file (administrators). */
  ownerId: string | null;
  /** Files of other owners that are shared with the searcher. */
  sharedIds: readonly string[];
};

export type ScopeReader = { scopeOf: (searcher: Searcher) => Promise<AccessScope> };

export function searcherOf({ userId, role }: Pick<Caller, 'userId' | 'role'>): Searcher {
  return { userId, canSeeAll: roleAtLeast(role, 'admin') };
}

/** Checks access to found files again, because the index may be outdated. */
export function keepVisible<F extends { ownerId: string }>(
  files: Map<string, F>,
  { ownerId, sharedIds }: AccessScope,
): Map<string, F> {
  if (ownerId === null) return files;
  const shared = new Set(sharedIds);
  return new Map([...files].filter(([id, file]) => file.ownerId === ownerId || shared.has(id)));
}
