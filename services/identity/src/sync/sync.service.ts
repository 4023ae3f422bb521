import {
  identityEvents,
  type ReplyOf,
  type RequestOf,
  type DirectoryChange,
  type directorySyncRpc,
} from '@overtone/contracts';
import type { Outbox } from '@overtone/database';
import type { AuditEvent } from '../audit/audit.ts';
import type { Db, Tx } from '../database.ts';
import type { Sessions } from '../sessions/sessions.ts';
import {
  membershipsIn,
  syncStore as store,
  type AuditRow,
  type AuditedChanges,
  type LockedAccount,
} from './sync.store.ts';

type Results = ReplyOf<typeof directorySyncRpc.apply>;
type AccountChange = { change: DirectoryChange; user: LockedAccount };
type EndedSessions = ReadonlyMap<string, number>;

type ChangeOutcome = Omit<ReplyOf<typeof directorySyncRpc.done>['done'][number], 'userId' | 'email' | 'login'>;

type Deps = { db: Db; outbox: Outbox; sessions: Pick<Sessions, 'endAllOf'> };

/**
 * Applies the changes of the directory sync. A batch is one transaction for accounts, sessions, memberships, audit records and
 * events; the number of statements does not depend on its size.
 */
export function createSyncChanges(deps: Deps) {
  const { db } = deps;
  return {
    accounts: ({ after, limit }: RequestOf<typeof directorySyncRpc.accounts>) => store.accounts(db, after, limit),

    apply: (request: RequestOf<typeof directorySyncRpc.apply>): Promise<Results> =>
      db.$transaction((tx) => applyChanges(deps, tx, request)),

    done: async (page: RequestOf<typeof directorySyncRpc.done>): Promise<ReplyOf<typeof directorySyncRpc.done>> => {
      const rows = await store.listProcessed(db, page);
      return { done: rows.map(({ audited, ...account }) => ({ ...account, ...outcomeOf(audited) })) };
    },

    undo: (request: RequestOf<typeof directorySyncRpc.undo>): Promise<ReplyOf<typeof directorySyncRpc.undo>> =>
      db.$transaction((tx) => undoChanges(deps, tx, request)),
  };
}

/** Applies the changes of accounts that are still as the directory sync has read them. */
async function applyChanges(
  deps: Deps,
  tx: Tx,
  { passId, changes }: RequestOf<typeof directorySyncRpc.apply>,
): Promise<Results> {
  const ids = changes.map((change) => change.userId);
  const locked = await lockById(tx, ids);
  const processed = await store.findProcessed(tx, passId, ids);
  const accountChanges = changes.flatMap((change): AccountChange[] => {
    const user = locked.get(change.userId);
    const { role, directoryId } = change.expected;
    const asExpected = user?.active && user.role === role && user.directoryId === directoryId;
    return asExpected && !processed.has(change.userId) ? [{ change, user }] : [];
  });
  const ended: EndedSessions =
    accountChanges.length > 0 ? await writeChanges(deps, tx, passId, accountChanges) : new Map();
  const applied = new Set([...processed, ...accountChanges.map(({ user }) => user.userId)]);
  return {
    results: ids.map((userId) => ({
      userId,
      outcome: applied.has(userId) ? 'applied' : 'changed_meanwhile',
      sessionsRevoked: ended.get(userId) ?? 0,
    })),
  };
}

async function writeChanges(
  deps: Deps,
  tx: Tx,
  passId: string,
  accountChanges: AccountChange[],
): Promise<EndedSessions> {
  const changes = accountChanges.map(({ change }) => change);
  const idsOf = (some: (change: DirectoryChange) => boolean) => changes.filter(some).map(({ userId }) => userId);
  const roles = changes.flatMap(({ userId, role }) => (role ? [{ userId, role }] : []));
  const adopted = changes.flatMap(({ userId, adopt }) => (adopt ? [{ userId, directoryId: adopt }] : []));
  const disabled = idsOf(({ disable }) => disable !== null);
  await store.disable(tx, disabled);
  await store.setRoles(tx, roles);
  await store.adopt(tx, adopted);
  const withNewMemberships = await store.changeMemberships(
    tx,
    membershipsIn(changes, 'add'),
    membershipsIn(changes, 'remove'),
  );
  // A privilege change ends the sessions, too (specification, "Authentication" 8).
  const losers = idsOf(({ disable, role }) => disable !== null || role !== null);
  const ended = await deps.sessions.endAllOf(tx, losers, 'directory_sync');
  const records = accountChanges.flatMap((accountChange) => auditOf(passId, accountChange, ended));
  await store.writeAudit(tx, records);
  await publishChanges(deps, tx, accountChanges, withNewMemberships);
  return ended;
}

async function publishChanges(
  { outbox }: Deps,
  tx: Tx,
  accountChanges: AccountChange[],
  withNewMemberships: string[],
): Promise<void> {
  const disabled = accountChanges.flatMap(({ change: { disable }, user: { userId } }) =>
    disable ? [{ userId, by: 'directory' as const, reason: disable.reason }] : [],
  );
  const roles = accountChanges.flatMap(({ change: { role }, user: { userId, role: from } }) =>
    role ? [{ userId, from, to: role, actor: 'directory_sync' }] : [],
  );
  const updates = accountChanges.flatMap(({ change: { role, disable }, user }) =>
    role || disable ? [{ userId: user.userId, role: role ?? user.role, active: disable === null }] : [],
  );
  await outbox.addAll(tx, identityEvents.userDisabled, disabled);
  await outbox.addAll(tx, identityEvents.roleChanged, roles);
  await outbox.addAll(tx, identityEvents.userUpdated, updates);
  if (withNewMemberships.length > 0)
    await outbox.addAll(tx, identityEvents.membershipChanged, await store.membershipsOf(tx, withNewMemberships));
}

/** Enables the accounts that a sync run has disabled and that have not changed since. */
async function undoChanges(
  { outbox }: Deps,
  tx: Tx,
  { passId, userIds, by }: RequestOf<typeof directorySyncRpc.undo>,
): Promise<ReplyOf<typeof directorySyncRpc.undo>> {
  const locked = await lockById(tx, userIds);
  const restored = new Set(await store.restore(tx, passId, userIds));
  const enabled = [...restored].flatMap((id) => locked.get(id) ?? []);
  const details = { undone_pass: passId, by };
  const records = enabled.map(({ userId, email: username }): AuditRow => {
    return { event: 'auth.account.enabled', userId, username, details };
  });
  await store.writeAudit(tx, records);
  const updates = enabled.map(({ userId, role }) => ({ userId, role, active: true }));
  await outbox.addAll(tx, identityEvents.userUpdated, updates);
  return {
    results: userIds.map((userId) => ({
      userId,
      restored: restored.has(userId),
      why: restored.has(userId) ? '' : 'The account was changed since, or this sync run did not disable it.',
    })),
  };
}

async function lockById(tx: Tx, userIds: string[]): Promise<Map<string, LockedAccount>> {
  return new Map((await store.lock(tx, userIds)).map((user) => [user.userId, user]));
}

function auditOf(passId: string, { change, user }: AccountChange, ended: EndedSessions): AuditRow[] {
  const of = (event: AuditEvent, details: Record<string, unknown>): AuditRow => ({
    event,
    userId: user.userId,
    username: user.email,
    details: { pass: passId, ...details },
  });
  const { disable, role, add, remove, adopt } = change;
  return [
    ...(disable ? [of('auth.account.disabled', { ...disable, sessions_revoked: ended.get(user.userId) ?? 0 })] : []),
    ...(role
      ? [
          of('ADMIN_ROLE_CHANGE', {
            event: 'ADMIN_ROLE_CHANGE',
            from: user.role,
            to: role,
            source: 'ldap',
            sessions_revoked: ended.get(user.userId) ?? 0,
          }),
        ]
      : []),
    ...(add.length + remove.length > 0 ? [of('group.member.reconcile', { added: add, removed: remove })] : []),
    ...(adopt ? [of('auth.account.linked', { directory_id: adopt })] : []),
  ];
}

/** Reads the result for one account from its audit records: the reverse of `auditOf`. */
function outcomeOf(audited: AuditedChanges): ChangeOutcome {
  const disabled = audited['auth.account.disabled'];
  const members = audited['group.member.reconcile'];
  const role = audited.ADMIN_ROLE_CHANGE;
  return {
    disabled: disabled
      ? { reason: disabled.reason, evidence: disabled.evidence, sessionsRevoked: disabled.sessions_revoked }
      : null,
    role: role ? { from: role.from, to: role.to } : null,
    added: members?.added ?? [],
    removed: members?.removed ?? [],
    adopted: audited['auth.account.linked']?.directory_id ?? null,
  };
}
