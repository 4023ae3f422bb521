import type { CollectionObject, collectionShareObject, CollectionSource } from '@overtone/contracts';
import { conflict, forbidden, notFound, type AppError } from '@overtone/service-kit';
import type { z } from 'zod';
import type { Action, Permission } from '../access/access.ts';
import type { Collection, CollectionShare } from '../generated/client.ts';

export type CollectionShareObject = z.infer<typeof collectionShareObject>;
/** What of a collection depends on the caller. */
export type CollectionFacts = {
  permission: Permission;
  /** null: the caller is the owner, or identity does not respond. */
  ownerName: string | null;
  fileCount: number;
  shareCount: number;
};

/** `permission`: only those who may share a collection see how often it is shared. */
export function toCollectionObject(collection: Collection, facts: CollectionFacts): CollectionObject {
  return {
    uuid: collection.id,
    name: collection.name,
    description: collection.description,
    source: collection.source as CollectionSource,
    user_id: collection.userId,
    owner_name: facts.ownerName,
    my_permission: facts.permission,
    media_count: facts.fileCount,
    share_count: facts.permission === 'owner' ? facts.shareCount : 0,
    is_shared: facts.shareCount > 0,
    created_at: collection.createdAt.toISOString(),
    updated_at: collection.updatedAt.toISOString(),
  };
}

/** The share of a collection, or of a list of codes. */
export function toCollectionShareObject(
  share: Omit<CollectionShare, 'collectionId'>,
  names: ReadonlyMap<string, string>,
): CollectionShareObject {
  return {
    uuid: share.id,
    target_type: share.userId === null ? 'group' : 'user',
    target_uuid: share.userId ?? share.groupId ?? '',
    target_name: names.get(share.userId ?? '') ?? null,
    permission: share.permission as CollectionShareObject['permission'],
    shared_by: share.sharedBy,
    created_at: share.createdAt.toISOString(),
  };
}

/** For each requested file whether it was changed; the same error for an unknown file and for one the caller may not see. */
export function fileResults(requested: readonly string[], done: ReadonlySet<string>, missing: string) {
  return {
    results: [...new Set(requested)].map((id) => ({
      file_uuid: id,
      error: done.has(id) ? null : { code: 'not_found', message: missing },
    })),
  };
}

/** The same error for an unknown collection and for one the caller may not see. */
export function noSuchCollection(): AppError {
  return notFound('There is no such collection.');
}

export function collectionNotAllowed(action: Action): AppError {
  return forbidden(
    'permission_required',
    action === 'edit'
      ? 'This collection was shared with you for reading only.'
      : 'Only the owner of this collection and administrators may do this.',
  );
}

export function collectionExists(name: string, options?: ErrorOptions): AppError {
  return conflict('collection_exists', `There is a collection named “${name}” already.`, options);
}
