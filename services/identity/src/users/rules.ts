import { roleAtLeast, type adminUserObject, type Role } from '@overtone/contracts';
import { clientOf, conflict, forbidden, type Caller, type Client, type RouteRequest } from '@overtone/service-kit';
import type { z } from 'zod';
import { toUserObject } from '../accounts/accounts.ts';
import type { User } from '../generated/client.ts';

/** The caller of a request and its origin. */
export type RequestContext = { caller: Caller; client: Client };

export function requestContextOf(
  row: Pick<RouteRequest<never>, 'caller' | 'clientIp' | 'requestId' | 'req'>,
): RequestContext {
  return {
    caller: row.caller,
    client: clientOf(row),
  };
}

export type AdminUserObject = z.infer<typeof adminUserObject>;
export type UserWithGroups = User & {
  memberships: { group: { id: string; name: string } }[];
  invitation: { expiresAt: Date } | null;
};
/** The columns that decide which changes of an account are allowed. */
export type LockedAccount = Pick<
  User,
  'id' | 'email' | 'role' | 'isActive' | 'approvalStatus' | 'accountExpiresAt' | 'authType' | 'allowLocalFallback'
>;

export const withGroups = {
  memberships: { select: { group: { select: { id: true, name: true } } } },
  invitation: { select: { expiresAt: true } },
} as const;

/** An account as an administrator sees it. */
export function toAdminUserObject(groups: UserWithGroups, now = new Date()): AdminUserObject {
  return {
    ...toUserObject(groups),
    locked_until: groups.lockedUntil && groups.lockedUntil > now ? groups.lockedUntil.toISOString() : null,
    pki_issuer_dn: groups.pkiIssuerDn,
    invited_until:
      groups.invitation && groups.invitation.expiresAt > now ? groups.invitation.expiresAt.toISOString() : null,
    disabled_by: groups.isActive ? null : (groups.disabledBy as AdminUserObject['disabled_by']),
    groups: groups.memberships
      .map(({ group }) => ({ uuid: group.id, name: group.name }))
      .toSorted((left, right) => left.name.localeCompare(right.name)),
  };
}

function asRole(role: string): Role {
  return role as Role;
}

/**
 * Checks the current role of the actor, not the one at the start of the request: of two administrators who demote each
 * other concurrently only one succeeds.
 * @throws AppError forbidden.
 */
export function checkActor(actor: LockedAccount | undefined, needed: Role): void {
  const isAllowed = actor?.isActive && actor.approvalStatus === 'approved' && roleAtLeast(asRole(actor.role), needed);
  if (!isAllowed) throw forbidden('role_required', `This needs the role ${needed}`);
}

/** @throws AppError forbidden: an account above the actor's own role cannot be changed. */
export function checkReach(actor: Pick<LockedAccount, 'role'>, target: Pick<LockedAccount, 'role'>): void {
  if (!roleAtLeast(asRole(actor.role), asRole(target.role)))
    throw forbidden('account_out_of_reach', 'This account has a higher role than yours');
}

/**
 * A new password gives access to the account, so an admin may set it only for accounts with a lower role.
 * @throws AppError forbidden.
 */
export function checkMayResetPassword(actor: Pick<LockedAccount, 'role'>, target: Pick<LockedAccount, 'role'>): void {
  checkReach(actor, target);
  if (actor.role !== 'super_admin' && target.role !== 'user')
    throw forbidden('account_out_of_reach', 'Only a super_admin sets the password of an administrator');
}

/** @throws AppError conflict. */
export function checkNotOwn(actor: Pick<LockedAccount, 'id'>, target: Pick<LockedAccount, 'id'>, what: string): void {
  if (actor.id === target.id) throw conflict('own_account', `You cannot ${what}`);
}

/** Whether the account is an active super_admin without an end date. */
function isPermanentSuperAdmin(account: LockedAccount): boolean {
  return (
    account.role === 'super_admin' &&
    account.isActive &&
    account.approvalStatus === 'approved' &&
    account.accountExpiresAt === null
  );
}

/** @param all every super_admin, locked until the change is committed. @throws AppError conflict. */
export function checkNotLastSuperAdmin(all: readonly LockedAccount[], target: LockedAccount): void {
  if (!isPermanentSuperAdmin(target) || all.some((user) => user.id !== target.id && isPermanentSuperAdmin(user)))
    return;
  throw conflict('last_super_admin', 'This is the last super_admin; the platform needs one');
}
