import { identityEvents, type Role } from '@overtone/contracts';
import type { Outbox } from '@overtone/database';
import { notFound } from '@overtone/service-kit';
import { writeAudit, type AuditRecord } from '../audit/audit.ts';
import { txOptions, type Db, type Tx } from '../database.ts';
import type { User } from '../generated/client.ts';
import { checkActor, checkReach, type Held, type Who } from './rules.ts';
import { usersStore } from './users.store.ts';

/** Actor and target as they are now, held against everybody else. */
export type Scene = { actor: Held; target: Held; superAdmins: Held[] };
type Wanted = {
  who: Who;
  targetId: string;
  needed: Role;
  /** The change may take a super_admin away: hold them all, so that of two such changes at once one sees the other. */
  superAdmins?: boolean;
};

/**
 * Runs a change of somebody's account in a transaction that holds actor and target: what was checked still holds when
 * the change is written.
 * @throws AppError not_found, forbidden.
 */
export const onAccount = <T>(db: Db, w: Wanted, work: (tx: Tx, scene: Scene) => Promise<T>): Promise<T> =>
  db.$transaction(async (tx) => {
    const { userId } = w.who.caller;
    const held = await usersStore.hold(tx, [userId, w.targetId], w.superAdmins ?? false);
    const actor = held.find((u) => u.id === userId);
    const target = held.find((u) => u.id === w.targetId);
    checkActor(actor, w.needed);
    if (!actor || !target) throw notFound('There is no such account');
    checkReach(actor, target);
    return work(tx, { actor, target, superAdmins: held.filter((u) => u.role === 'super_admin') });
  }, txOptions);

/** Says that an account is not what it was; whoever remembers it asks anew. */
export const tellUpdated = (outbox: Outbox, tx: Tx, u: Pick<User, 'id' | 'role' | 'isActive'>): Promise<void> =>
  outbox.add(tx, identityEvents.userUpdated, { userId: u.id, role: u.role as Role, active: u.isActive });

type Deed = Pick<AuditRecord, 'event' | 'details'>;
/** Writes into the audit trail what somebody did to an account. */
export const recordDeed = (tx: Tx, by: Who, target: Pick<Held, 'id' | 'email'>, deed: Deed): Promise<void> =>
  writeAudit(tx, {
    ...deed,
    outcome: 'success',
    actor: by.caller.userId,
    userId: target.id,
    username: target.email,
    client: by.client,
  });
