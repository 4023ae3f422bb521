import { roleAtLeast, type FileObject, type mediaRoutes, type QueryOf } from '@overtone/contracts';
import { forbidden, notFound, type AppError, type Caller } from '@overtone/service-kit';
import type { Db, Tx } from '../database.ts';
import type { MediaFile, Prisma } from '../generated/client.ts';

/** What somebody wants to do: read it, correct what stands in it, or decide over it (delete, share, run again). */
export type Action = 'read' | 'edit' | 'own';
export type Permission = FileObject['my_permission'];
type Ownership = QueryOf<(typeof mediaRoutes)['listFiles']>['ownership'];
type Owned = Pick<MediaFile, 'id' | 'userId' | 'deletedAt'>;
/** A file and what its user may do with it. */
export type UsableFile = MediaFile & { permission: Permission };

const needed: Record<Action, readonly Permission[]> = {
  read: ['viewer', 'editor', 'owner'],
  edit: ['editor', 'owner'],
  own: ['owner'],
};

/** Unknown and not for the caller look the same. */
export const noSuchFile = (): AppError => notFound('There is no such file.');

/** The groups somebody is in, as far as identity has told. */
export const groupsOf = async (db: Db | Tx, userId: string): Promise<string[]> =>
  (await db.membership.findUnique({ where: { userId } }))?.groupIds ?? [];

/**
 * The one rule of who may do what with files: an owner and administrators everything, the others what the file was
 * shared with them for, by themselves or by a group they are in. Who may nothing is missing in the answer, and so is a
 * file in the bin.
 */
export const permissionsOf = async (
  db: Db | Tx,
  caller: Pick<Caller, 'userId' | 'role'>,
  given: readonly Owned[],
): Promise<Map<string, Permission>> => {
  const files = given.filter(({ deletedAt }) => deletedAt === null);
  const isAdmin = roleAtLeast(caller.role, 'admin');
  const own = files.filter(({ userId }) => isAdmin || userId === caller.userId);
  const permissions = new Map<string, Permission>(own.map(({ id }) => [id, 'owner']));
  const others = files.filter(({ id }) => !permissions.has(id)).map(({ id }) => id);
  if (others.length === 0) return permissions;
  // Of several shares the one that allows most counts: editor stands before viewer.
  const shares = await db.$queryRaw<{ id: string; permission: Permission }[]>`
    select media_file_id::text as id, min(permission) as permission from file_share
    where media_file_id = any(${others}::uuid[])
      and (user_id = ${caller.userId}::uuid
        or group_id in (select unnest(group_ids) from media_membership where user_id = ${caller.userId}::uuid))
    group by media_file_id`;
  for (const { id, permission } of shares) permissions.set(id, permission);
  return permissions;
};

/** The files there are for somebody, by the same rule: their own, those shared with them, or both. */
export const scopeOf = async (db: Db, caller: Caller, ownership: Ownership): Promise<Prisma.MediaFileWhereInput> => {
  const { userId } = caller;
  if (ownership === 'mine') return { userId, deletedAt: null };
  if (ownership === 'all' && roleAtLeast(caller.role, 'admin')) return { deletedAt: null };
  const shared = { shares: { some: { OR: [{ userId }, { groupId: { in: await groupsOf(db, userId) } }] } } };
  const visible = ownership === 'all' ? { OR: [{ userId }, shared] } : { AND: [{ userId: { not: userId } }, shared] };
  return { ...visible, deletedAt: null };
};

export const may = async (db: Db | Tx, caller: Caller, file: Owned, action: Action): Promise<boolean> => {
  const permission = (await permissionsOf(db, caller, [file])).get(file.id);
  return permission !== undefined && needed[action].includes(permission);
};

/** The file, for somebody who may do this with it. @throws AppError not_found or, for those who may read it, forbidden. */
export const usableFile = async (db: Db | Tx, caller: Caller, id: string, action: Action): Promise<UsableFile> => {
  const file = await db.mediaFile.findUnique({ where: { id } });
  const permission = file && (await permissionsOf(db, caller, [file])).get(id);
  if (!file || !permission) throw noSuchFile();
  if (!needed[action].includes(permission)) throw notAllowed(action);
  return { ...file, permission };
};

/** The same, and nobody else changes the file or its transcript until the transaction ends. */
export const lockedFile = async (tx: Tx, caller: Caller, id: string, action: Action): Promise<UsableFile> => {
  await tx.$queryRaw`select 1 from media_file where uuid = ${id}::uuid for update`;
  return usableFile(tx, caller, id, action);
};

/** A file in the bin, locked: for its owner and administrators. @throws AppError not_found for everybody else. */
export const binnedFile = async (tx: Tx, { userId, role }: Caller, id: string): Promise<MediaFile> => {
  await tx.$queryRaw`select 1 from media_file where uuid = ${id}::uuid for update`;
  const file = await tx.mediaFile.findUnique({ where: { id } });
  const isTheirs = file?.deletedAt && (file.userId === userId || roleAtLeast(role, 'admin'));
  if (!isTheirs) throw noSuchFile();
  return file;
};

const notAllowed = (action: Action): AppError =>
  forbidden(
    'permission_required',
    action === 'edit'
      ? 'This file was shared with you for reading only.'
      : 'Only the owner of this file and administrators may do this.',
  );
