import { roleAtLeast, type adminUserObject, type Role } from '@overtone/contracts';
import { conflict, forbidden, type Caller, type RouteRequest } from '@overtone/service-kit';
import type { z } from 'zod';
import { toUserObject } from '../accounts/accounts.ts';
import { clientOf, type Client } from '../client.ts';
import type { User } from '../generated/client.ts';

/** Who acts, and from where. */
export type Who = { caller: Caller; client: Client };
export const whoOf = (r: Pick<RouteRequest<never>, 'caller' | 'clientIp' | 'requestId' | 'req'>): Who => ({
  caller: r.caller,
  client: clientOf(r),
});
export type AdminUserObject = z.infer<typeof adminUserObject>;
export type UserWithGroups = User & { memberships: { group: { id: string; name: string } }[] };
/** What decides who may do what to an account. */
export type LockedAccount = Pick<
  User,
  'id' | 'email' | 'role' | 'isActive' | 'approvalStatus' | 'accountExpiresAt' | 'authType' | 'allowLocalFallback'
>;

export const withGroups = { memberships: { select: { group: { select: { id: true, name: true } } } } } as const;

/** An account as an administrator sees it. */
export const toAdminUserObject = (u: UserWithGroups, now = new Date()): AdminUserObject => ({
  ...toUserObject(u),
  locked_until: u.lockedUntil && u.lockedUntil > now ? u.lockedUntil.toISOString() : null,
  pki_issuer_dn: u.pkiIssuerDn,
  disabled_by: u.isActive ? null : (u.disabledBy as AdminUserObject['disabled_by']),
  groups: u.memberships
    .map(({ group }) => ({ uuid: group.id, name: group.name }))
    .toSorted((a, b) => a.name.localeCompare(b.name)),
});

const asRole = (role: string): Role => role as Role;

/**
 * The actor's current role, not the one when the request was admitted: of two administrators who demote each other
 * at once only one gets through.
 * @throws AppError forbidden.
 */
export const checkActor = (actor: LockedAccount | undefined, needed: Role): void => {
  const stands = actor?.isActive && actor.approvalStatus === 'approved' && roleAtLeast(asRole(actor.role), needed);
  if (!stands) throw forbidden('role_required', `This needs the role ${needed}`);
};

/** @throws AppError forbidden: an account above the actor's own role cannot be changed. */
export const checkReach = (actor: Pick<LockedAccount, 'role'>, target: Pick<LockedAccount, 'role'>): void => {
  if (!roleAtLeast(asRole(actor.role), asRole(target.role)))
    throw forbidden('account_out_of_reach', 'This account has a higher role than yours');
};

/**
 * A new password gives the account to the person who sets it, so an admin sets it for accounts below the own role only.
 * @throws AppError forbidden.
 */
export const checkMayResetPassword = (
  actor: Pick<LockedAccount, 'role'>,
  target: Pick<LockedAccount, 'role'>,
): void => {
  checkReach(actor, target);
  if (actor.role !== 'super_admin' && target.role !== 'user')
    throw forbidden('account_out_of_reach', 'Only a super_admin sets the password of an administrator');
};

/** @throws AppError conflict. */
export const checkNotOwn = (
  actor: Pick<LockedAccount, 'id'>,
  target: Pick<LockedAccount, 'id'>,
  what: string,
): void => {
  if (actor.id === target.id) throw conflict('own_account', `Nobody can ${what}`);
};

/** Whether the platform has an administrator in this account, today and tomorrow. */
const standsAsSuperAdmin = (u: LockedAccount): boolean =>
  u.role === 'super_admin' && u.isActive && u.approvalStatus === 'approved' && u.accountExpiresAt === null;

/** @param all every super_admin, held until the change is done. @throws AppError conflict. */
export const checkNotLastSuperAdmin = (all: readonly LockedAccount[], target: LockedAccount): void => {
  if (!standsAsSuperAdmin(target) || all.some((u) => u.id !== target.id && standsAsSuperAdmin(u))) return;
  throw conflict('last_super_admin', 'This is the last super_admin; somebody has to administer the platform');
};
