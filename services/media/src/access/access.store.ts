import { roleAtLeast, type mediaRoutes, type QueryOf } from '@overtone/contracts';
import type { Caller } from '@overtone/service-kit';
import type { Db, Tx } from '../database.ts';
import type { MediaFile, Prisma } from '../generated/client.ts';
import {
  inQuarantine,
  isQuarantined,
  noSuchFile,
  notAllowed,
  permits,
  type Action,
  type Permission,
} from './access.ts';

export type Ownership = QueryOf<(typeof mediaRoutes)['listFiles']>['ownership'];
export type Reader = Pick<Caller, 'userId' | 'role'>;
type OwnedFile = Pick<MediaFile, 'id' | 'userId' | 'deletedAt' | 'status'>;
/** A file with the caller's permission. */
export type UsableFile = MediaFile & { permission: Permission };

/** The user's groups, as last reported by identity. */
export async function groupsOf(db: Db | Tx, userId: string): Promise<string[]> {
  return (await db.membership.findUnique({ where: { userId } }))?.groupIds ?? [];
}

/**
 * The access rule for files: owners and administrators have all permissions, others those of the grants to them or their
 * groups (the view `file_grant`: shares of the file and of its owner's collections). Files without a permission and files in
 * the bin are missing from the result, and files in quarantine for all but administrators.
 */
export async function permissionsOf(
  db: Db | Tx,
  caller: Reader,
  candidates: readonly OwnedFile[],
): Promise<Map<string, Permission>> {
  const isAdmin = roleAtLeast(caller.role, 'admin');
  return permissionsToSee(db, caller, isAdmin ? candidates : candidates.filter((file) => !isQuarantined(file)));
}

/** The same with files in quarantine: their names and states are shown. */
export async function permissionsToSee(
  db: Db | Tx,
  caller: Reader,
  candidates: readonly OwnedFile[],
): Promise<Map<string, Permission>> {
  const files = candidates.filter(({ deletedAt }) => deletedAt === null);
  const isAdmin = roleAtLeast(caller.role, 'admin');
  const own = files.filter(({ userId }) => isAdmin || userId === caller.userId);
  const permissions = new Map<string, Permission>(own.map(({ id }) => [id, 'owner']));
  const others = files.filter(({ id }) => !permissions.has(id)).map(({ id }) => id);
  if (others.length === 0) return permissions;
  // Of several shares the highest permission applies: `editor` sorts before `viewer`.
  const shares = await db.$queryRaw<{ id: string; permission: Permission }[]>`
    select media_file_id::text as id, min(permission) as permission from file_grant
    where media_file_id = any(${others}::uuid[])
      and (user_id = ${caller.userId}::uuid
        or group_id in (select unnest(group_ids) from media_membership where user_id = ${caller.userId}::uuid))
    group by media_file_id`;
  for (const { id, permission } of shares) permissions.set(id, permission);
  return permissions;
}

/** The filter for the caller's visible files, by the same rule: own files, shared files, or both. */
export async function scopeOf(
  db: Db,
  caller: Pick<Caller, 'userId' | 'role'>,
  ownership: Ownership,
): Promise<Prisma.MediaFileWhereInput> {
  const { userId } = caller;
  if (ownership === 'mine') return { userId, deletedAt: null };
  if (ownership === 'all' && roleAtLeast(caller.role, 'admin')) return { deletedAt: null };
  const shared = { grants: { some: await grantedTo(db, userId) } };
  const visible = ownership === 'all' ? { OR: [{ userId }, shared] } : { AND: [{ userId: { not: userId } }, shared] };
  return { ...visible, deletedAt: null };
}

/** The filter for the files whose transcripts the caller may read, by the same rule: without those in quarantine. */
export async function readableBy(db: Db, reader: Reader): Promise<Prisma.MediaFileWhereInput> {
  const visible = await scopeOf(db, reader, 'all');
  return roleAtLeast(reader.role, 'admin') ? visible : { AND: [visible, { status: { not: 'quarantined' } }] };
}

/** The filter for the files that the caller may edit, by the same rule. */
export async function editableBy(db: Db | Tx, { userId, role }: Reader): Promise<Prisma.MediaFileWhereInput> {
  if (roleAtLeast(role, 'admin')) return { deletedAt: null };
  const shared = { grants: { some: { permission: 'editor', ...(await grantedTo(db, userId)) } } };
  return { OR: [{ userId }, shared], deletedAt: null, status: { not: 'quarantined' } };
}

async function grantedTo(db: Db | Tx, userId: string) {
  return { OR: [{ userId }, { groupId: { in: await groupsOf(db, userId) } }] };
}

export async function may(db: Db | Tx, caller: Reader, file: OwnedFile, action: Action): Promise<boolean> {
  return permits((await permissionsOf(db, caller, [file])).get(file.id), action);
}

/** The file, if the caller may perform the action. @throws AppError not_found, or forbidden for callers who may read it. */
export async function usableFile(db: Db | Tx, caller: Reader, id: string, action: Action): Promise<UsableFile> {
  const file = await db.mediaFile.findUnique({ where: { id } });
  const permission = file && (await permissionsToSee(db, caller, [file])).get(id);
  if (!file || !permission) throw noSuchFile();
  if (action !== 'see' && isQuarantined(file) && !roleAtLeast(caller.role, 'admin')) throw inQuarantine();
  if (!permits(permission, action)) throw notAllowed(action);
  return { ...file, permission };
}

/** Like `usableFile`, with the file and its transcript locked until the transaction ends. */
export async function lockedFile(tx: Tx, caller: Reader, id: string, action: Action): Promise<UsableFile> {
  await lockFileRow(tx, id);
  return usableFile(tx, caller, id, action);
}

/** A file in the bin, locked; only for its owner and administrators. @throws AppError not_found for all others. */
export async function binnedFile(tx: Tx, { userId, role }: Caller, id: string): Promise<MediaFile> {
  await lockFileRow(tx, id);
  const file = await tx.mediaFile.findUnique({ where: { id } });
  const mayManage = file?.deletedAt && (file.userId === userId || roleAtLeast(role, 'admin'));
  if (!mayManage) throw noSuchFile();
  if (isQuarantined(file) && !roleAtLeast(role, 'admin')) throw inQuarantine();
  return file;
}

/** Locks a file's row, and with it the transcript, until the transaction ends. */
export async function lockFileRow(tx: Tx, id: string): Promise<void> {
  await tx.$queryRaw`select 1 from media_file where uuid = ${id}::uuid for update`;
}

/** What a person owns and shares with groups and persons: a collection, a list of codes. */
export type Owned = { id: string; userId: string };
type OwnedShare = { ownedId: string; permission: string };
type Recipient = { OR: ({ userId: string } | { groupId: { in: string[] } })[] };
type SharesWith = { shares: { some: Recipient } };
/** The filter of a query, for each owned thing with `userId` and `shares`. */
type Scope = { userId?: string | { not: string }; OR?: ({ userId: string } | SharesWith)[] } & Partial<SharesWith>;

/** The filter for what the caller may see: own things, shared ones, or both; of an administrator all. */
export async function scopeOfShared(db: Db | Tx, { userId, role }: Reader, ownership: Ownership): Promise<Scope> {
  if (ownership === 'mine') return { userId };
  if (ownership === 'all' && roleAtLeast(role, 'admin')) return {};
  const shared = { shares: { some: await recipientOf(db, userId) } };
  return ownership === 'all' ? { OR: [{ userId }, shared] } : { userId: { not: userId }, ...shared };
}

/** Permissions by id, by the rule of files: of several shares the highest applies. Others are missing from the result. */
export async function permissionsOnShared(
  db: Db | Tx,
  { userId, role }: Reader,
  candidates: readonly Owned[],
  selectShares: (ids: string[], recipient: Recipient) => Promise<OwnedShare[]>,
): Promise<Map<string, Permission>> {
  const isAdmin = roleAtLeast(role, 'admin');
  const own = candidates.filter((one) => isAdmin || one.userId === userId);
  const permissions = new Map<string, Permission>(own.map(({ id }) => [id, 'owner']));
  const others = candidates.filter(({ id }) => !permissions.has(id)).map(({ id }) => id);
  if (others.length === 0) return permissions;
  for (const { ownedId, permission } of await selectShares(others, await recipientOf(db, userId)))
    if (permissions.get(ownedId) !== 'editor') permissions.set(ownedId, permission as Permission);
  return permissions;
}

async function recipientOf(db: Db | Tx, userId: string): Promise<Recipient> {
  return { OR: [{ userId }, { groupId: { in: await groupsOf(db, userId) } }] };
}
