import { identityEvents } from '@overtone/contracts';
import type { Outbox } from '@overtone/database';
import { conflict, notFound, type Caller } from '@overtone/service-kit';
import { writeAudit, type AuditRecord } from '../audit/audit.ts';
import type { Client } from '../client.ts';
import { txOptions, type Db, type Tx } from '../database.ts';
import { mayManage, noGroup, toGroupMember } from './groups.ts';
import type { GroupMember, GroupRole, GroupRow, MemberRow } from './groups.ts';
import { groupsStore as store } from './groups.store.ts';
import { membershipsStore as memberships } from './memberships.store.ts';

type Deps = { db: Db; outbox: Outbox };
type Membership = { groupId: string; userId: string };
type MembershipChange = {
  event: AuditRecord['event'];
  userId: string;
  username: string | undefined;
  group: GroupRow;
  details: Record<string, string>;
};

/** Memberships that people add, change and remove manually. */
export function createMembers({ db, outbox }: Deps) {
  const audit = (tx: Tx, caller: Caller, client: Client, { group, details, ...change }: MembershipChange) =>
    writeAudit(tx, {
      ...change,
      outcome: 'success',
      actor: caller.userId,
      client,
      details: { group: group.id, name: group.name, ...details },
    });
  const publishMemberships = async (tx: Tx, userId: string): Promise<void> =>
    outbox.addAll(tx, identityEvents.membershipChanged, await memberships.allGroupsOf(tx, [userId]));

  return {
    add: (caller: Caller, m: Membership & { role: GroupRole }, client: Client): Promise<GroupMember> =>
      db.$transaction(async (tx) => {
        const username = await memberships.lockUser(tx, m.userId);
        const group = await lockManagedGroup(tx, caller, m, false);
        if (username === undefined) throw notFound('There is no such account');
        if (!(await memberships.addByHand(tx, { ...m, addedBy: caller.userId })))
          throw conflict('already_member', 'This person is a member already');
        await publishMemberships(tx, m.userId);
        const { role, userId } = m;
        await audit(tx, caller, client, { event: 'group.member.add', userId, username, group, details: { role } });
        return toGroupMember(await memberOf(tx, m));
      }, txOptions),

    change: (caller: Caller, m: Membership & { role: GroupRole }, client: Client): Promise<GroupMember> =>
      db.$transaction(async (tx) => {
        const username = await memberships.lockUser(tx, m.userId);
        const group = await lockManagedGroup(tx, caller, m, false);
        const member = await memberOf(tx, m);
        await store.setRole(tx, m.groupId, m.userId, m.role);
        const details = { from: member.role, to: m.role };
        await audit(tx, caller, client, { event: 'group.member.update', userId: m.userId, username, group, details });
        return toGroupMember({ ...member, role: m.role });
      }, txOptions),

    remove: (caller: Caller, m: Membership, client: Client): Promise<undefined> =>
      db.$transaction(async (tx) => {
        const username = await memberships.lockUser(tx, m.userId);
        const group = await lockManagedGroup(tx, caller, m, true);
        const { role, source } = await memberOf(tx, m);
        // The next sign-in would add it again; a membership without a mapping may be removed.
        if (source !== 'manual' && (await store.isMapped(tx, m.groupId, source))) throw fromDirectory(source);
        await memberships.remove(tx, m.groupId, m.userId);
        await publishMemberships(tx, m.userId);
        const details = { role, source };
        await audit(tx, caller, client, { event: 'group.member.remove', userId: m.userId, username, group, details });
        return undefined;
      }, txOptions),
  };
}

/** The group, locked against deletion, for a caller who may change it or is the member concerned. */
async function lockManagedGroup(tx: Tx, caller: Caller, m: Membership, mayLeave: boolean): Promise<GroupRow> {
  if (!(await store.lockShared(tx, m.groupId))) throw noGroup();
  const group = await store.find(tx, m.groupId, caller.userId);
  const leaves = mayLeave && m.userId === caller.userId && group?.myRole !== null;
  if (!group || !(leaves || mayManage(caller, group))) throw noGroup();
  return group;
}

async function memberOf(tx: Tx, { groupId, userId }: Membership): Promise<MemberRow> {
  const member = await store.member(tx, groupId, userId);
  if (!member) throw noMember();
  return member;
}

function fromDirectory(source: string) {
  return conflict(
    'membership_from_directory',
    `This membership comes from a group mapping (${source}) and would be back after the next sign-in or sweep. ` +
      "Change the mapping, or the person's groups at their source.",
  );
}

function noMember() {
  return notFound('There is no such member');
}

export type Members = ReturnType<typeof createMembers>;
