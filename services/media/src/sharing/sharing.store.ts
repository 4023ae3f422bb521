import { mediaEvents, roleAtLeast, type SharePermission } from '@overtone/contracts';
import type { Outbox } from '@overtone/database';
import { invalid, type AppError, type Caller } from '@overtone/service-kit';
import { groupsOf } from '../access/access.store.ts';
import { removeTemplateSharesWith } from '../export-templates/export-templates.store.ts';
import { removeCodeListSharesWith } from '../codes/codes.store.ts';
import { removeCollectionSharesWith } from '../collections/collections.store.ts';
import type { Db, Tx } from '../database.ts';
import type { FileShare } from '../generated/client.ts';
import type { People } from '../ports/people.adapter.ts';
import { accessOf, type Membership, type ShareTarget } from './sharing.ts';

export function selectShares(db: Db, fileId: string) {
  return db.fileShare.findMany({ where: { fileId }, orderBy: [{ createdAt: 'asc' }, { id: 'asc' }] });
}

/** A page of the files that are or were shared, by id. */
export function selectShared(db: Db, after: string | null, limit: number) {
  return db.mediaFile.findMany({
    where: { accessVersion: { gt: 0 }, deletedAt: null, ...(after ? { id: { gt: after } } : {}) },
    include: { grants: true },
    orderBy: { id: 'asc' },
    take: limit,
  });
}

/** Requires the file's lock, which excludes concurrent shares. */
export async function setShare(
  tx: Tx,
  fileId: string,
  target: ShareTarget,
  change: { permission: SharePermission; sharedBy: string },
): Promise<{ share: FileShare; isNew: boolean }> {
  const found = await tx.fileShare.findFirst({ where: { fileId, ...target } });
  const share = found
    ? await tx.fileShare.update({ where: { id: found.id }, data: change })
    : await tx.fileShare.create({ data: { fileId, ...target, ...change } });
  return { share, isNew: found === null };
}

/** Requires the file's lock. @returns the removed share. */
export async function removeShare(tx: Tx, fileId: string, id: string): Promise<FileShare | null> {
  const share = await tx.fileShare.findFirst({ where: { id, fileId } });
  if (share) await tx.fileShare.delete({ where: { id } });
  return share;
}

/**
 * Removes all shares with a group or user, also those of collections, whose files are published later.
 * @returns the ids of the files that were shared themselves.
 */
export async function removeSharesWith(tx: Tx, target: ShareTarget): Promise<string[]> {
  const shares = await tx.fileShare.findMany({ where: target, select: { fileId: true }, orderBy: { fileId: 'asc' } });
  const ids = shares.map(({ fileId }) => fileId);
  await tx.$queryRaw`select 1 from media_file where uuid = any(${ids}::uuid[]) order by uuid for update`;
  await tx.fileShare.deleteMany({ where: target });
  await removeCollectionSharesWith(tx, target);
  await removeCodeListSharesWith(tx, target);
  await removeTemplateSharesWith(tx, target);
  return ids;
}

/** @param paths the fields of the request. @throws AppError when the user does not exist or the caller is not a member of the group. */
export async function checkShareTarget(
  { db, people }: { db: Db; people: Pick<People, 'exists'> },
  { userId: callerId, role }: Caller,
  { target, paths }: { target: ShareTarget; paths: { user: string; group: string } },
): Promise<void> {
  if ('userId' in target) {
    if (!(await people.exists(target.userId))) throw unknownTarget(paths.user, 'does not exist');
    return;
  }
  const isMember = roleAtLeast(role, 'admin') || (await groupsOf(db, callerId)).includes(target.groupId);
  if (!isMember) throw unknownTarget(paths.group, 'is not one of your groups');
}

export function unknownTarget(path: string, message: string): AppError {
  return invalid('invalid_body', 'It cannot be shared like this.', { errors: [{ path, message }] });
}

/** Publishes the file's access list under its next version. */
export async function publishAccess(tx: Tx, outbox: Outbox, fileId: string): Promise<void> {
  const file = await tx.mediaFile.update({
    where: { id: fileId },
    data: { accessVersion: { increment: 1 } },
    include: { grants: true },
  });
  await outbox.add(tx, mediaEvents.accessChanged, accessOf(file));
}

/** Ignores an older version. */
export async function setMembership(db: Db, { userId, groupIds, version }: Membership): Promise<void> {
  await db.$executeRaw`
    insert into media_membership (user_id, group_ids, version)
    values (${userId}::uuid, ${groupIds}::uuid[], ${version}::bigint)
    on conflict (user_id) do update set group_ids = excluded.group_ids, version = excluded.version
    where media_membership.version < excluded.version`;
}

export async function removeMembership(tx: Tx, userId: string): Promise<void> {
  await tx.membership.deleteMany({ where: { userId } });
}
