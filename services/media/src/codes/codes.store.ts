import { mediaEvents, type SharePermission } from '@overtone/contracts';
import type { Outbox } from '@overtone/database';
import { conflict } from '@overtone/service-kit';
import { permits, type Action, type Permission } from '../access/access.ts';
import { permissionsOnShared, type Owned, type Reader } from '../access/access.store.ts';
import type { Db, Tx } from '../database.ts';
import { idsOf } from '../files/files.ts';
import type { Code, CodeList, CodeListShare } from '../generated/client.ts';
import { notHeld } from '../legal-hold/legal-hold.store.ts';
import type { ShareTarget } from '../sharing/sharing.ts';
import { codeListNotAllowed, noSuchCode, noSuchCodeList } from './codes.ts';

/** A list with the caller's permission. */
export type UsableCodeList = CodeList & { permission: Permission };

/** Permissions by id. Lists without one are missing from the result. */
export function codeListPermissions(
  db: Db | Tx,
  reader: Reader,
  lists: readonly Owned[],
): Promise<Map<string, Permission>> {
  return permissionsOnShared(db, reader, lists, async (ids, recipient) => {
    const shares = await db.codeListShare.findMany({ where: { listId: { in: ids }, ...recipient } });
    return shares.map(({ listId: ownedId, permission }) => ({ ownedId, permission }));
  });
}

/** The list, if the caller may perform the action. @throws AppError not_found, or forbidden for those who may read it. */
export async function usableCodeList(db: Db | Tx, caller: Reader, id: string, action: Action): Promise<UsableCodeList> {
  const list = await db.codeList.findUnique({ where: { id } });
  const permission = list && (await codeListPermissions(db, caller, [list])).get(id);
  if (!list || !permission) throw noSuchCodeList();
  if (!permits(permission, action)) throw codeListNotAllowed(action);
  return { ...list, permission };
}

/** Like `usableCodeList`, locked: its codes and shares change only under this lock. */
export async function lockedCodeList(tx: Tx, caller: Reader, id: string, action: Action): Promise<UsableCodeList> {
  await tx.$queryRaw`select 1 from code_list where uuid = ${id}::uuid for update`;
  return usableCodeList(tx, caller, id, action);
}

/** A code that stays, with its list, until the transaction ends. To be locked before files are. */
export async function keptCode(
  tx: Tx,
  caller: Reader,
  id: string,
  action: Action,
): Promise<{ code: Code; list: UsableCodeList }> {
  await tx.$queryRaw`
    select 1 from code_list l where l.uuid = (select c.code_list_id from code c where c.uuid = ${id}::uuid) for share`;
  const code = await tx.code.findUnique({ where: { id } });
  if (!code) throw noSuchCode();
  return { code, list: await usableCodeList(tx, caller, code.listId, action) };
}

/** @throws AppError not_found. */
export async function codeOf(db: Db | Tx, listId: string, id: string): Promise<Code> {
  const code = await db.code.findFirst({ where: { id, listId } });
  if (!code) throw noSuchCode();
  return code;
}

/**
 * Requires the lock of the list. Locks the files with these codes: holds are placed under the lock of their files.
 * @throws AppError conflict when a file with one of the codes is under a legal hold.
 */
export async function checkCodesNotHeld(tx: Tx, codeIds: readonly string[]): Promise<void> {
  const files = await tx.$queryRaw<{ held: boolean }[]>`
    select not (${notHeld}) as held from media_file f
    where f.uuid in (select media_file_id from coding where code_id = any(${codeIds}::uuid[]))
    order by f.uuid for share of f`;
  if (files.some(({ held }) => held))
    throw conflict(
      'legal_hold',
      'A recording with this code is under a legal hold, and its codes cannot be renamed or removed. An administrator can release it.',
    );
}

/** Requires the list's lock, which excludes concurrent shares. */
export async function setCodeListShare(
  tx: Tx,
  listId: string,
  target: ShareTarget,
  change: { permission: SharePermission; sharedBy: string },
): Promise<CodeListShare> {
  const found = await tx.codeListShare.findFirst({ where: { listId, ...target } });
  return found
    ? tx.codeListShare.update({ where: { id: found.id }, data: change })
    : tx.codeListShare.create({ data: { listId, ...target, ...change } });
}

/** Publishes that a list changed to all who see it; to be called before a change that ends the access of an account. */
export async function publishCodeListChange(tx: Tx, outbox: Outbox, { id, userId: ownerId }: Owned): Promise<void> {
  const shares = await tx.codeListShare.findMany({ where: { listId: id }, select: { userId: true, groupId: true } });
  await outbox.add(tx, mediaEvents.codeListChanged, {
    listId: id,
    userIds: [ownerId, ...shares.flatMap(({ userId }) => userId ?? [])],
    groupIds: shares.flatMap(({ groupId }) => groupId ?? []),
  });
}

/** Removes all shares of lists of codes with a group or user. */
export async function removeCodeListSharesWith(tx: Tx, target: ShareTarget): Promise<void> {
  await tx.codeListShare.deleteMany({ where: target });
}

/**
 * Erases a person's lists of codes, and their name from the codes that they gave to passages in lists of others. Codes in
 * files under a legal hold stay, with their list, which is no longer shared, until the hold is released.
 * @returns the number of erased lists.
 */
export async function eraseCodesOf(tx: Tx, outbox: Outbox, userId: string): Promise<number> {
  const touched = await tx.$queryRaw<{ id: string; ownerId: string }[]>`
    select f.uuid::text as id, f.user_id::text as "ownerId" from media_file f
    where f.uuid in (select c.media_file_id from coding c where c.author_id = ${userId}::uuid
      or c.code_id in (select o.uuid from code o join code_list l on l.uuid = o.code_list_id where l.user_id = ${userId}::uuid))`;
  for (const list of await tx.codeList.findMany({ where: { userId } })) await publishCodeListChange(tx, outbox, list);
  await tx.$executeRaw`
    delete from code_list_share s using code_list l where l.uuid = s.code_list_id and l.user_id = ${userId}::uuid`;
  await tx.$executeRaw`
    delete from coding g using code c, code_list l, media_file f
    where c.uuid = g.code_id and l.uuid = c.code_list_id and f.uuid = g.media_file_id and l.user_id = ${userId}::uuid and ${notHeld}`;
  // Codes below others first.
  for (const _ of ['below', 'above'])
    await tx.$executeRaw`
      delete from code c using code_list l where l.uuid = c.code_list_id and l.user_id = ${userId}::uuid
        and not exists (select 1 from coding g where g.code_id = c.uuid)
        and not exists (select 1 from code b where b.parent_id = c.uuid)`;
  const { count } = await tx.codeList.deleteMany({ where: { userId, codes: { none: {} } } });
  await tx.coding.updateMany({ where: { authorId: userId }, data: { authorId: null } });
  await tx.$executeRaw`
    update code_list_share s set shared_by = l.user_id from code_list l
    where l.uuid = s.code_list_id and s.shared_by = ${userId}::uuid`;
  for (const { id, ownerId } of touched)
    await outbox.add(tx, mediaEvents.codingsChanged, idsOf({ id, userId: ownerId }));
  return count;
}
