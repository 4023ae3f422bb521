import { identityEvents, roleAtLeast } from '@overtone/contracts';
import type { Outbox } from '@overtone/database';
import { conflict, unavailable, type Caller, type Client } from '@overtone/service-kit';
import { writeAudit } from '../audit/audit.ts';
import { isUniqueViolation, type Db, type Tx } from '../database.ts';
import { mayManage, maySee, noGroup, toGroupDetail, toGroupObject } from './groups.ts';
import type { GroupDetail, GroupObject, GroupRow } from './groups.ts';
import { groupsStore as store } from './groups.store.ts';
import { membershipsStore as memberships } from './memberships.store.ts';

type Deps = { db: Db; outbox: Outbox };
type Fields = { name?: string | undefined; description?: string | undefined };

/** Deleting a large group publishes every membership. */
const longTx = { timeout: 60_000 };
const deleteTries = 20;

/** Reads, creates, changes and deletes groups, with the rights of the caller. */
export function createGroups(deps: Deps) {
  const { db, outbox } = deps;
  const publishChange = async (
    tx: Tx,
    caller: Caller,
    client: Client,
    change: { event: 'group.create' | 'group.update'; group: string; name: string; details?: Record<string, string> },
  ): Promise<void> => {
    const { event, group, name, details } = change;
    await outbox.add(tx, identityEvents.groupChanged, { groupId: group, name });
    await writeAudit(tx, {
      event,
      outcome: 'success',
      actor: caller.userId,
      client,
      details: { group, name, ...details },
    });
  };

  return {
    list: async (caller: Caller, text: string): Promise<GroupObject[]> => {
      const all = roleAtLeast(caller.role, 'admin');
      return (await store.list(db, { userId: caller.userId, all }, text)).map(toGroupObject);
    },
    get: (caller: Caller, id: string): Promise<GroupDetail> => detail(db, caller, id),

    create: (caller: Caller, fields: { name: string; description: string }, client: Client): Promise<GroupDetail> =>
      withUniqueName(db, async (tx) => {
        const id = await store.create(tx, { ...fields, createdBy: caller.userId });
        await publishChange(tx, caller, client, { event: 'group.create', group: id, name: fields.name });
        return detail(tx, caller, id);
      }),

    update: (caller: Caller, id: string, fields: Fields, client: Client): Promise<GroupDetail> =>
      withUniqueName(db, async (tx) => {
        const group = await store.find(tx, id, caller.userId);
        if (!group || !mayManage(caller, group) || !(await store.update(tx, id, fields))) throw noGroup();
        const name = fields.name ?? group.name;
        await publishChange(tx, caller, client, {
          event: 'group.update',
          group: id,
          name,
          details: { old_name: group.name },
        });
        return detail(tx, caller, id);
      }),

    delete: async (caller: Caller, id: string, client: Client): Promise<undefined> => {
      for (let tries = 0; tries < deleteTries; tries += 1)
        if (await tryDelete(deps, caller, id, client)) return undefined;
      throw unavailable('service_unavailable', 'People keep joining this group. Please try again.');
    },

    /** A page of memberships by user. */
    memberships: (after: string | null, limit: number) => memberships.page(db, after, limit),
    groupsOf: async (userId: string): Promise<string[]> => {
      const rows = await db.userGroupMember.findMany({ where: { userId }, select: { groupId: true } });
      return rows.map(({ groupId }) => groupId).sort();
    },
  };
}

async function detail(on: Db | Tx, caller: Caller, id: string): Promise<GroupDetail> {
  return toGroupDetail(await findVisible(on, caller, id), await store.members(on, id));
}

async function withUniqueName<T>(db: Db, work: (tx: Tx) => Promise<T>): Promise<T> {
  try {
    return await db.$transaction(work);
  } catch (error) {
    throw isUniqueViolation(error)
      ? conflict('group_name_taken', 'Another group has this name', { cause: error })
      : error;
  }
}

/** @returns false when a member joined before the group was locked: the caller retries. */
function tryDelete({ db, outbox }: Deps, caller: Caller, id: string, client: Client): Promise<boolean> {
  return db.$transaction(async (tx) => {
    await store.lockMappings(tx);
    const locked = new Set(await memberships.lockMembers(tx, id));
    if (!(await store.lock(tx, id))) throw noGroup();
    const { name } = await findVisible(tx, caller, id);
    const members = await memberships.memberIds(tx, id);
    if (members.some((userId) => !locked.has(userId))) return false;
    await memberships.removeAll(tx, id);
    const mappings = await store.unmap(tx, id);
    await store.delete(tx, id);
    await outbox.addAll(tx, identityEvents.membershipChanged, await memberships.allGroupsOf(tx, members));
    await outbox.add(tx, identityEvents.groupDeleted, { groupId: id, deletedBy: caller.userId });
    await writeAudit(tx, {
      event: 'group.delete',
      outcome: 'success',
      actor: caller.userId,
      client,
      details: {
        group: id,
        name,
        members: members.length,
        mappings_deleted: mappings.deleted,
        mappings_changed: mappings.changed,
      },
    });
    return true;
  }, longTx);
}

async function findVisible(on: Db | Tx, caller: Caller, id: string): Promise<GroupRow> {
  const group = await store.find(on, id, caller.userId);
  if (!group || !maySee(caller, group)) throw noGroup();
  return group;
}

export type Groups = ReturnType<typeof createGroups>;
