import { identityEvents, type Role } from '@overtone/contracts';
import type { Outbox } from '@overtone/database';
import { notFound } from '@overtone/service-kit';
import { writeAudit, type AuditRecord } from '../audit/audit.ts';
import type { Db, Tx } from '../database.ts';
import type { User } from '../generated/client.ts';
import { checkActor, checkReach, type LockedAccount, type RequestContext } from './rules.ts';
import { usersStore } from './users.store.ts';

/** Actor and target in their current state, locked against concurrent changes. */
export type LockedAccounts = { actor: LockedAccount; target: LockedAccount; superAdmins: LockedAccount[] };
type AuditEvent = Pick<AuditRecord, 'event' | 'details'>;
/** Audits what the actor did to the target. */
type RecordEvent = (event: AuditEvent['event'], details?: AuditEvent['details']) => Promise<void>;
type ChangeRequest = {
  context: RequestContext;
  targetId: string;
  needed: Role;
  /** The change may remove a super_admin: lock them all, so that concurrent changes of this kind are serialized. */
  superAdmins?: boolean;
};

/**
 * Changes an account in a transaction that locks actor and target: the checks stay valid until
 * the change is written.
 * @throws AppError not_found, forbidden.
 */
export function withLockedAccount<T>(
  db: Db,
  request: ChangeRequest,
  work: (tx: Tx, accounts: LockedAccounts & { recordEvent: RecordEvent }) => Promise<T>,
): Promise<T> {
  return db.$transaction(async (tx) => {
    const { userId } = request.context.caller;
    const locked = await usersStore.lock(tx, [userId, request.targetId], request.superAdmins ?? false);
    const actor = locked.find((user) => user.id === userId);
    const target = locked.find((user) => user.id === request.targetId);
    checkActor(actor, request.needed);
    if (!actor || !target) throw notFound('There is no such account');
    checkReach(actor, target);
    const superAdmins = locked.filter((user) => user.role === 'super_admin');
    const recordEvent: RecordEvent = (event, details) =>
      recordAuditEvent(tx, request.context, target, { event, ...(details && { details }) });
    return work(tx, { actor, target, superAdmins, recordEvent });
  });
}

/** Publishes that an account has changed; caches of it become invalid. */
export function publishUserUpdated(
  outbox: Outbox,
  tx: Tx,
  user: Pick<User, 'id' | 'role' | 'isActive'>,
): Promise<void> {
  return outbox.add(tx, identityEvents.userUpdated, {
    userId: user.id,
    role: user.role as Role,
    active: user.isActive,
  });
}

/** Audits an administrator's action on an account. */
export function recordAuditEvent(
  tx: Tx,
  by: RequestContext,
  target: Pick<LockedAccount, 'id' | 'email'>,
  auditEvent: AuditEvent,
): Promise<void> {
  return writeAudit(tx, {
    ...auditEvent,
    outcome: 'success',
    actor: by.caller.userId,
    userId: target.id,
    username: target.email,
    client: by.client,
  });
}
