import { identityEvents } from '@overtone/contracts';
import type { Outbox } from '@overtone/database';
import { conflict, notFound, type Caller, type Client } from '@overtone/service-kit';
import { writeAudit, type AuditRecord } from '../audit/audit.ts';
import type { Db, Tx } from '../database.ts';
import { mayManage, noGroup, toGroupMember } from './groups.ts';
import type { GroupMember, GroupRole, GroupRow, MemberRow } from './groups.ts';
import { groupsStore as store } from './groups.store.ts';
import { membershipsStore as memberships } from './memberships.store.ts';

type Deps = { db: Db; outbox: Outbox };
type Membership = { groupId: string; userId: string };
type MembershipWithRole = Membership & { role: GroupRole };
type MemberEvent = Extract<AuditRecord['event'], `group.member.${string}`>;

/** Memberships that people add, change and remove manually. */
export function createMembers({ db, outbox }: Deps) {
  /** Locks account and group for the change, and audits it. Members may remove themselves. */
  const withLockedGroup = <T>(
    event: MemberEvent,
    by: { caller: Caller; client: Client },
    membership: Membership,
    change: (tx: Tx, email: string | undefined) => Promise<{ result: T; details: Record<string, string> }>,
  ): Promise<T> =>
    db.$transaction(async (tx) => {
      const { userId } = membership;
      const username = await memberships.lockUser(tx, userId);
      const { id, name } = await lockManagedGroup(tx, by.caller, membership, event === 'group.member.remove');
      const { result, details } = await change(tx, username);
      await writeAudit(tx, {
        event,
        outcome: 'success',
        actor: by.caller.userId,
        userId,
        username,
        client: by.client,
        details: { group: id, name, ...details },
      });
      return result;
    });
  const publishMemberships = async (tx: Tx, userId: string): Promise<void> =>
    outbox.addAll(tx, identityEvents.membershipChanged, await memberships.allGroupsOf(tx, [userId]));

  return {
    add: (caller: Caller, member: MembershipWithRole, client: Client): Promise<GroupMember> =>
      withLockedGroup('group.member.add', { caller, client }, member, async (tx, email) => {
        if (email === undefined) throw notFound('There is no such account');
        if (!(await memberships.addByHand(tx, { ...member, addedBy: caller.userId })))
          throw conflict('already_member', 'This person is a member already');
        await publishMemberships(tx, member.userId);
        return { result: toGroupMember(await memberOf(tx, member)), details: { role: member.role } };
      }),

    change: (caller: Caller, membership: MembershipWithRole, client: Client): Promise<GroupMember> =>
      withLockedGroup('group.member.update', { caller, client }, membership, async (tx) => {
        const { groupId, userId, role } = membership;
        const member = await memberOf(tx, membership);
        await store.setRole(tx, groupId, userId, role);
        return { result: toGroupMember({ ...member, role }), details: { from: member.role, to: role } };
      }),

    remove: (caller: Caller, membership: Membership, client: Client): Promise<undefined> =>
      withLockedGroup('group.member.remove', { caller, client }, membership, async (tx) => {
        const { groupId, userId } = membership;
        const { role, source } = await memberOf(tx, membership);
        // The next sign-in would add it again; a membership without a mapping may be removed.
        if (source !== 'manual' && (await store.isMapped(tx, groupId, source))) throw fromDirectory(source);
        await memberships.remove(tx, groupId, userId);
        await publishMemberships(tx, userId);
        return { result: undefined, details: { role, source } };
      }),
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
  if (!member) throw notFound('There is no such member');
  return member;
}

function fromDirectory(source: string) {
  return conflict(
    'membership_from_directory',
    `This membership comes from a group mapping (${source}) and would be back after the next sign-in or sync run. ` +
      "Change the mapping, or the person's groups at their source.",
  );
}

export type Members = ReturnType<typeof createMembers>;
