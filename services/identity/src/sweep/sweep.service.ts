import { identityEvents, type ReplyOf, type RequestOf, type SweepChange, type sweepRpc } from '@overtone/contracts';
import type { Outbox } from '@overtone/database';
import type { AuditEvent } from '../audit/audit.ts';
import type { Db, Tx } from '../database.ts';
import type { Sessions } from '../sessions/sessions.ts';
import { membershipsIn, sweepStore as store, type AuditRow, type AuditedChanges } from './sweep.store.ts';

type Results = ReplyOf<typeof sweepRpc.apply>;
type LockedAccount = { userId: string; email: string; role: 'user' | 'admin' | 'super_admin'; active: boolean };
type AccountChange = { change: SweepChange; user: LockedAccount };

/** Long enough for a full batch on a busy machine. */
const txOptions = { maxWait: 10_000, timeout: 25_000 };

type ChangeOutcome = Omit<ReplyOf<typeof sweepRpc.done>['done'][number], 'userId' | 'email' | 'login'>;

type Deps = { db: Db; outbox: Outbox; sessions: Pick<Sessions, 'endAllOf'> };

/**
 * Applies the changes of the sweep. A batch is one transaction for accounts, sessions, memberships, audit records and
 * events; the number of statements does not depend on its size.
 */
export function createSweep({ db, outbox, sessions }: Deps) {
  const publishChanges = async (
    tx: Tx,
    accountChanges: AccountChange[],
    withNewMemberships: string[],
  ): Promise<void> => {
    const roles = accountChanges.filter((w) => w.change.role !== null);
    const disabled = accountChanges.filter((w) => w.change.disable !== null);
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
    if (withNewMemberships.length > 0)
      await outbox.addAll(tx, identityEvents.membershipChanged, await store.membershipsOf(tx, withNewMemberships));
  };

  const write = async (
    tx: Tx,
    passId: string,
    accountChanges: AccountChange[],
  ): Promise<ReadonlyMap<string, number>> => {
    const changes = accountChanges.map((w) => w.change);
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
    const withNewMemberships = await store.changeMemberships(
      tx,
      membershipsIn(changes, 'add'),
      membershipsIn(changes, 'remove'),
    );
    // A privilege change ends the sessions, too (specification, "Authentication" 8).
    const ended = await sessions.endAllOf(
      tx,
      idsOf((c) => c.disable !== null || c.role !== null),
      'directory_sync',
    );
    await store.writeAudit(
      tx,
      accountChanges.flatMap((w) => auditOf(passId, w, ended)),
    );
    await publishChanges(tx, accountChanges, withNewMemberships);
    return ended;
  };

  return {
    accounts: ({ after, limit }: RequestOf<typeof sweepRpc.accounts>) => store.accounts(db, after, limit),

    apply: ({ passId, changes }: RequestOf<typeof sweepRpc.apply>): Promise<Results> =>
      db.$transaction(async (tx) => {
        const ids = changes.map((c) => c.userId);
        const locked = new Map((await store.lock(tx, ids)).map((u) => [u.userId, u]));
        const processed = await store.findProcessed(tx, passId, ids);
        const accountChanges: AccountChange[] = [];
        for (const change of changes) {
          const user = locked.get(change.userId);
          const { role, directoryId } = change.expected;
          const asExpected = user?.active && user.role === role && user.directoryId === directoryId;
          if (asExpected && !processed.has(change.userId)) accountChanges.push({ change, user });
        }
        const ended = accountChanges.length > 0 ? await write(tx, passId, accountChanges) : new Map<string, number>();
        const applied = new Set([...processed, ...accountChanges.map((w) => w.user.userId)]);
        return {
          results: ids.map((userId) => ({
            userId,
            outcome: applied.has(userId) ? ('applied' as const) : ('changed_meanwhile' as const),
            sessionsRevoked: ended.get(userId) ?? 0,
          })),
        };
      }, txOptions),

    done: async ({ passId, since, after, limit }: RequestOf<typeof sweepRpc.done>) => ({
      done: (await store.listProcessed(db, { passId, since, after, limit })).map(
        ({ userId, email, login, audited }) => ({
          userId,
          email,
          login,
          ...outcomeOf(audited),
        }),
      ),
    }),

    undo: ({ passId, userIds, by }: RequestOf<typeof sweepRpc.undo>): Promise<ReplyOf<typeof sweepRpc.undo>> =>
      db.$transaction(async (tx) => {
        const locked = new Map((await store.lock(tx, userIds)).map((u) => [u.userId, u]));
        const restored = new Set(await store.restore(tx, passId, userIds));
        const enabled = [...restored].flatMap((id) => locked.get(id) ?? []);
        await store.writeAudit(
          tx,
          enabled.map((u) => ({
            event: 'auth.account.enabled',
            userId: u.userId,
            username: u.email,
            details: { undone_pass: passId, by },
          })),
        );
        await outbox.addAll(
          tx,
          identityEvents.userUpdated,
          enabled.map((u) => ({ userId: u.userId, role: u.role, active: true })),
        );
        return {
          results: userIds.map((userId) => ({
            userId,
            restored: restored.has(userId),
            why: restored.has(userId) ? '' : 'The account was changed since, or this sync run did not disable it.',
          })),
        };
      }, txOptions),
  };
}

function auditOf(passId: string, { change, user }: AccountChange, ended: ReadonlyMap<string, number>): AuditRow[] {
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
}

/** Reads the result for one account from its audit records: the reverse of `auditOf`. */
function outcomeOf(audited: AuditedChanges): ChangeOutcome {
  const disabled = audited['auth.account.disabled'];
  const members = audited['group.member.reconcile'];
  return {
    disabled: disabled
      ? { reason: disabled.reason, evidence: disabled.evidence, sessionsRevoked: disabled.sessions_revoked }
      : null,
    role: audited.ADMIN_ROLE_CHANGE ?? null,
    added: members?.added ?? [],
    removed: members?.removed ?? [],
    adopted: audited['auth.account.linked']?.directory_id ?? null,
  };
}

export type Sweep = ReturnType<typeof createSweep>;
