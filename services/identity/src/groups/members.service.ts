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
    add: (caller: Caller, member: Membership & { role: GroupRole }, client: Client): Promise<GroupMember> =>
      db.$transaction(async (tx) => {
        const username = await memberships.lockUser(tx, member.userId);
        const group = await lockManagedGroup(tx, caller, member, false);
        if (username === undefined) throw notFound('There is no such account');
        if (!(await memberships.addByHand(tx, { ...member, addedBy: caller.userId })))
          throw conflict('already_member', 'This person is a member already');
        await publishMemberships(tx, member.userId);
        const { role, userId } = member;
        await audit(tx, caller, client, { event: 'group.member.add', userId, username, group, details: { role } });
        return toGroupMember(await memberOf(tx, member));
      }, txOptions),

    change: (caller: Caller, membership: Membership & { role: GroupRole }, client: Client): Promise<GroupMember> =>
      db.$transaction(async (tx) => {
        const username = await memberships.lockUser(tx, membership.userId);
        const group = await lockManagedGroup(tx, caller, membership, false);
        const member = await memberOf(tx, membership);
        await store.setRole(tx, membership.groupId, membership.userId, membership.role);
        const details = { from: member.role, to: membership.role };
        await audit(tx, caller, client, {
          event: 'group.member.update',
          userId: membership.userId,
          username,
          group,
          details,
        });
        return toGroupMember({ ...member, role: membership.role });
      }, txOptions),

    remove: (caller: Caller, membership: Membership, client: Client): Promise<undefined> =>
      db.$transaction(async (tx) => {
        const username = await memberships.lockUser(tx, membership.userId);
        const group = await lockManagedGroup(tx, caller, membership, true);
        const { role, source } = await memberOf(tx, membership);
        // The next sign-in would add it again; a membership without a mapping may be removed.
        if (source !== 'manual' && (await store.isMapped(tx, membership.groupId, source))) throw fromDirectory(source);
        await memberships.remove(tx, membership.groupId, membership.userId);
        await publishMemberships(tx, membership.userId);
        const details = { role, source };
        await audit(tx, caller, client, {
          event: 'group.member.remove',
          userId: membership.userId,
          username,
          group,
          details,
        });
        return undefined;
      }, txOptions),
  };
}

/** The group, locked against deletion, for a caller who may change it or is the member concerned. */
async function lockManagedGroup(tx: Tx, caller: Caller, membership: Membership, mayLeave: boolean): Promise<GroupRow> {
  if (!(await store.lockShared(tx, membership.groupId))) throw noGroup();
  const group = await store.find(tx, membership.groupId, caller.userId);
  const leaves = mayLeave && membership.userId === caller.userId && group?.myRole !== null;
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
