import { identityEvents, type ReplyOf, type RequestOf, type SweepChange, type sweepRpc } from '@overtone/contracts';
import type { Outbox } from '@overtone/database';
import type { AuditEvent } from '../audit/audit.ts';
import type { Db, Tx } from '../database.ts';
import type { Sessions } from '../sessions/sessions.ts';
import { pairs, sweepStore as store, type AuditRow, type Said } from './sweep.store.ts';

type Results = ReplyOf<typeof sweepRpc.apply>;
type Standing = { userId: string; email: string; role: 'user' | 'admin' | 'super_admin'; active: boolean };
type Wanted = { change: SweepChange; user: Standing };

/** Long enough for a full batch on a busy machine; the locks of a batch are held no longer. */
const txOptions = { maxWait: 10_000, timeout: 25_000 };

const auditOf = (passId: string, { change, user }: Wanted, ended: ReadonlyMap<string, number>): AuditRow[] => {
  const of = (event: AuditEvent, details: Record<string, unknown>): AuditRow => ({
    event,
    userId: user.userId,
    username: user.email,
    details: { pass: passId, ...details },
  });
  const { disable, role, add, remove, adopt } = change;
  return [
    ...(disable ? [of('auth.account.disabled', { ...disable, sessions_revoked: ended.get(user.userId) ?? 0 })] : []),
    ...(role ? [of('ADMIN_ROLE_CHANGE', { from: user.role, to: role })] : []),
    ...(add.length + remove.length > 0 ? [of('group.member.reconcile', { added: add, removed: remove })] : []),
    ...(adopt ? [of('auth.account.linked', { directory_id: adopt })] : []),
  ];
};

type ChangeOutcome = Omit<ReplyOf<typeof sweepRpc.done>['done'][number], 'userId' | 'email' | 'login'>;

/** What the audit of one account says that a pass did: the reverse of `auditOf`. */
const outcomeOf = (said: Said): ChangeOutcome => {
  const disabled = said['auth.account.disabled'];
  const members = said['group.member.reconcile'];
  return {
    disabled: disabled
      ? { reason: disabled.reason, evidence: disabled.evidence, sessionsRevoked: disabled.sessions_revoked }
      : null,
    role: said.ADMIN_ROLE_CHANGE ?? null,
    added: members?.added ?? [],
    removed: members?.removed ?? [],
    adopted: said['auth.account.linked']?.directory_id ?? null,
  };
};

type Deps = { db: Db; outbox: Outbox; sessions: Pick<Sessions, 'endAllOf'> };

/**
 * What the sweep does to accounts. A batch is one transaction: account, sessions, memberships, audit and events stand
 * or fall together, and the statements are few however many accounts it has.
 */
export const createSweep = ({ db, outbox, sessions }: Deps) => {
  const tell = async (tx: Tx, wanted: Wanted[], moved: string[]): Promise<void> => {
    const roles = wanted.filter((w) => w.change.role !== null);
    const disabled = wanted.filter((w) => w.change.disable !== null);
    await outbox.addAll(
      tx,
      identityEvents.userDisabled,
      disabled.map((w) => ({
        userId: w.user.userId,
        by: 'directory' as const,
        reason: w.change.disable?.reason ?? '',
      })),
    );
    await outbox.addAll(
      tx,
      identityEvents.roleChanged,
      roles.map((w) => ({
        userId: w.user.userId,
        from: w.user.role,
        to: w.change.role ?? w.user.role,
        actor: 'directory_sync',
      })),
    );
    await outbox.addAll(
      tx,
      identityEvents.userUpdated,
      [...new Set([...roles, ...disabled])].map((w) => ({
        userId: w.user.userId,
        role: w.change.role ?? w.user.role,
        active: w.change.disable === null,
      })),
    );
    if (moved.length > 0)
      await outbox.addAll(tx, identityEvents.membershipChanged, await store.membershipsOf(tx, moved));
  };

  const write = async (tx: Tx, passId: string, wanted: Wanted[]): Promise<ReadonlyMap<string, number>> => {
    const changes = wanted.map((w) => w.change);
    const idsOf = (some: (c: SweepChange) => boolean) => changes.filter(some).map((c) => c.userId);
    await store.disable(
      tx,
      idsOf((c) => c.disable !== null),
    );
    await store.setRoles(
      tx,
      changes.flatMap((c) => (c.role ? [{ userId: c.userId, role: c.role }] : [])),
    );
    await store.adopt(
      tx,
      changes.flatMap((c) => (c.adopt ? [{ userId: c.userId, directoryId: c.adopt }] : [])),
    );
    const moved = await store.changeMemberships(tx, pairs(changes, 'add'), pairs(changes, 'remove'));
    // A privilege change ends the sessions, too (specification, "Authentication" 8).
    const ended = await sessions.endAllOf(
      tx,
      idsOf((c) => c.disable !== null || c.role !== null),
      'directory_sync',
    );
    await store.writeAudit(
      tx,
      wanted.flatMap((w) => auditOf(passId, w, ended)),
    );
    await tell(tx, wanted, moved);
    return ended;
  };

  return {
    accounts: ({ after, limit }: RequestOf<typeof sweepRpc.accounts>) => store.accounts(db, after, limit),

    apply: ({ passId, changes }: RequestOf<typeof sweepRpc.apply>): Promise<Results> =>
      db.$transaction(async (tx) => {
        const ids = changes.map((c) => c.userId);
        const held = new Map((await store.hold(tx, ids)).map((u) => [u.userId, u]));
        const before = await store.doneBefore(tx, passId, ids);
        const wanted: Wanted[] = [];
        for (const change of changes) {
          const user = held.get(change.userId);
          const { role, directoryId } = change.expected;
          const asExpected = user?.active && user.role === role && user.directoryId === directoryId;
          if (asExpected && !before.has(change.userId)) wanted.push({ change, user });
        }
        const ended = wanted.length > 0 ? await write(tx, passId, wanted) : new Map<string, number>();
        const applied = new Set([...before, ...wanted.map((w) => w.user.userId)]);
        return {
          results: ids.map((userId) => ({
            userId,
            outcome: applied.has(userId) ? ('applied' as const) : ('changed_meanwhile' as const),
            sessionsRevoked: ended.get(userId) ?? 0,
          })),
        };
      }, txOptions),

    done: async ({ passId, since, after, limit }: RequestOf<typeof sweepRpc.done>) => ({
      done: (await store.doneBy(db, { passId, since, after, limit })).map(({ userId, email, login, said }) => ({
        userId,
        email,
        login,
        ...outcomeOf(said),
      })),
    }),

    undo: ({ passId, userIds, by }: RequestOf<typeof sweepRpc.undo>): Promise<ReplyOf<typeof sweepRpc.undo>> =>
      db.$transaction(async (tx) => {
        const held = new Map((await store.hold(tx, userIds)).map((u) => [u.userId, u]));
        const restored = new Set(await store.restore(tx, passId, userIds));
        const back = [...restored].flatMap((id) => held.get(id) ?? []);
        await store.writeAudit(
          tx,
          back.map((u) => ({
            event: 'auth.account.enabled',
            userId: u.userId,
            username: u.email,
            details: { undone_pass: passId, by },
          })),
        );
        await outbox.addAll(
          tx,
          identityEvents.userUpdated,
          back.map((u) => ({ userId: u.userId, role: u.role, active: true })),
        );
        return {
          results: userIds.map((userId) => ({
            userId,
            restored: restored.has(userId),
            why: restored.has(userId) ? '' : 'The account was changed since, or this pass did not disable it.',
          })),
        };
      }, txOptions),
  };
};
export type Sweep = ReturnType<typeof createSweep>;
