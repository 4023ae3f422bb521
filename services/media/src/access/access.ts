import { roleAtLeast, type FileObject, type mediaRoutes, type QueryOf } from '@overtone/contracts';
import { forbidden, notFound, type AppError, type Caller } from '@overtone/service-kit';
import type { Db, Tx } from '../database.ts';
import type { MediaFile, Prisma } from '../generated/client.ts';

/** Actions on a file: read, edit its transcript, or own it (delete, share, reprocess). */
export type Action = 'read' | 'edit' | 'own';
export type Permission = FileObject['my_permission'];
type Ownership = QueryOf<(typeof mediaRoutes)['listFiles']>['ownership'];
type Owned = Pick<MediaFile, 'id' | 'userId' | 'deletedAt'>;
/** A file with the caller's permission. */
export type UsableFile = MediaFile & { permission: Permission };

const needed: Record<Action, readonly Permission[]> = {
  read: ['viewer', 'editor', 'owner'],
  edit: ['editor', 'owner'],
  own: ['owner'],
};

/** The same error for an unknown file and for one the caller may not see. */
export function noSuchFile(): AppError {
  return notFound('There is no such file.');
}

/** The user's groups, as last reported by identity. */
export async function groupsOf(db: Db | Tx, userId: string): Promise<string[]> {
  return (await db.membership.findUnique({ where: { userId } }))?.groupIds ?? [];
}

/**
 * The access rule for files: owners and administrators have all permissions, others those of the shares with them or their
 * groups. Files without a permission and files in the bin are missing from the result.
 */
export async function permissionsOf(
  db: Db | Tx,
  caller: Pick<Caller, 'userId' | 'role'>,
  candidates: readonly Owned[],
): Promise<Map<string, Permission>> {
  const files = candidates.filter(({ deletedAt }) => deletedAt === null);
  const isAdmin = roleAtLeast(caller.role, 'admin');
  const own = files.filter(({ userId }) => isAdmin || userId === caller.userId);
  const permissions = new Map<string, Permission>(own.map(({ id }) => [id, 'owner']));
  const others = files.filter(({ id }) => !permissions.has(id)).map(({ id }) => id);
  if (others.length === 0) return permissions;
  // Of several shares the highest permission applies: `editor` sorts before `viewer`.
  const shares = await db.$queryRaw<{ id: string; permission: Permission }[]>`
    select media_file_id::text as id, min(permission) as permission from file_share
    where media_file_id = any(${others}::uuid[])
      and (user_id = ${caller.userId}::uuid
        or group_id in (select unnest(group_ids) from media_membership where user_id = ${caller.userId}::uuid))
    group by media_file_id`;
  for (const { id, permission } of shares) permissions.set(id, permission);
  return permissions;
}

/** The filter for the caller's visible files, by the same rule: own files, shared files, or both. */
export async function scopeOf(db: Db, caller: Caller, ownership: Ownership): Promise<Prisma.MediaFileWhereInput> {
  const { userId } = caller;
  if (ownership === 'mine') return { userId, deletedAt: null };
  if (ownership === 'all' && roleAtLeast(caller.role, 'admin')) return { deletedAt: null };
  const shared = { shares: { some: { OR: [{ userId }, { groupId: { in: await groupsOf(db, userId) } }] } } };
  const visible = ownership === 'all' ? { OR: [{ userId }, shared] } : { AND: [{ userId: { not: userId } }, shared] };
  return { ...visible, deletedAt: null };
}

export async function may(db: Db | Tx, caller: Caller, file: Owned, action: Action): Promise<boolean> {
  const permission = (await permissionsOf(db, caller, [file])).get(file.id);
  return permission !== undefined && needed[action].includes(permission);
}

/** The file, if the caller may perform the action. @throws AppError not_found, or forbidden for callers who may read it. */
export async function usableFile(db: Db | Tx, caller: Caller, id: string, action: Action): Promise<UsableFile> {
  const file = await db.mediaFile.findUnique({ where: { id } });
  const permission = file && (await permissionsOf(db, caller, [file])).get(id);
  if (!file || !permission) throw noSuchFile();
  if (!needed[action].includes(permission)) throw notAllowed(action);
  return { ...file, permission };
}

/** Like `usableFile`, with the file and its transcript locked until the transaction ends. */
export async function lockedFile(tx: Tx, caller: Caller, id: string, action: Action): Promise<UsableFile> {
  await tx.$queryRaw`select 1 from media_file where uuid = ${id}::uuid for update`;
  return usableFile(tx, caller, id, action);
}

/** A file in the bin, locked; only for its owner and administrators. @throws AppError not_found for all others. */
export async function binnedFile(tx: Tx, { userId, role }: Caller, id: string): Promise<MediaFile> {
  await tx.$queryRaw`select 1 from media_file where uuid = ${id}::uuid for update`;
  const file = await tx.mediaFile.findUnique({ where: { id } });
  const mayManage = file?.deletedAt && (file.userId === userId || roleAtLeast(role, 'admin'));
  if (!mayManage) throw noSuchFile();
  return file;
}

function notAllowed(action: Action): AppError {
  return forbidden(
    'permission_required',
    action === 'edit'
      ? 'This file was shared with you for reading only.'
      : 'Only the owner of this file and administrators may do this.',
  );
}
