import { identityRpc, directorySyncRpc, type SyncRunReport } from '@overtone/contracts';
import { recordOperation, type AdminRequest, type Outbox } from '@overtone/database';
import { conflict, notFound, type Bus } from '@overtone/service-kit';
import type { Db } from '../database.ts';
import { batches } from './apply.ts';
import { runsStore } from './runs.store.ts';

// Operations of an administrator on finished sync runs.

type Deps = { db: Db; bus: Pick<Bus, 'request'> };
type ActionDeps = Deps & { outbox: Outbox };

const dayMs = 24 * 60 * 60_000;
const maxDecisions = 200;
const undosPerRequest = 200;

/** @throws AppError conflict, code sweep_not_held: not held, older than a day, or not this set. */
export async function approveRun(
  { db, outbox }: Pick<ActionDeps, 'db' | 'outbox'>,
  { passId, setDigest, request }: { passId: string; setDigest: string; request: AdminRequest },
): Promise<void> {
  const approvedAt = new Date();
  const oldest = new Date(approvedAt.getTime() - dayMs);
  await db.$transaction(async (tx) => {
    const { count } = await tx.directoryPass.updateMany({
      where: { id: passId, status: 'held', setDigest, approvedAt: null, startedAt: { gt: oldest } },
      data: { approvedAt, approvedBy: request.caller.userId },
    });
    if (count === 0)
      throw conflict('sweep_not_held', 'This sync run is not held, is older than a day, or its accounts have changed');
    await runsStore.amend(tx, passId, (report) => ({ ...report, approved_at: approvedAt.toISOString() }));
    await recordOperation({ tx, outbox, request }, 'directory_sync_approved', { run: passId, set: setDigest });
  });
}

/**
 * Enables the accounts again that a sync run disabled, and reports those that have changed since. Each batch of accounts has
 * its own audit record, because a later batch may fail.
 */
export async function undoRun({ db, bus, outbox }: ActionDeps, passId: string, request: AdminRequest) {
  const decisions = await db.directoryDecision.findMany({
    where: { passId, decision: 'leaver', outcome: 'disabled' },
    select: { userId: true, email: true },
  });
  if (decisions.length === 0 && !(await db.directoryPass.findUnique({ where: { id: passId } })))
    throw notFound('There is no such sync run');
  const emails = new Map(decisions.map((row) => [row.userId, row.email]));
  const left: { user_uuid: string; email: string; why: string }[] = [];
  let restored = 0;
  for (const userIds of batches([...emails.keys()], undosPerRequest)) {
    const { results } = await bus.request(directorySyncRpc.undo, { passId, userIds, by: request.caller.userId });
    const restoredIds = results.filter((result) => result.restored).map((result) => result.userId);
    restored += restoredIds.length;
    await db.$transaction(async (tx) => {
      await tx.directoryDecision.updateMany({
        where: { passId, userId: { in: restoredIds } },
        data: { outcome: 'undone' },
      });
      await runsStore.amend(tx, passId, (report) => withUndone(report, new Set(restoredIds)));
      const details = { run: passId, restored: restoredIds.length, left: results.length - restoredIds.length };
      await recordOperation({ tx, outbox, request }, 'directory_sync_undone', details);
    });
    for (const { userId, restored: isRestored, why } of results)
      if (!isRestored) left.push({ user_uuid: userId, email: emails.get(userId) ?? '', why });
  }
  return { restored, left };
}

/** The latest decisions about an account. An account without decisions returns an empty list, an unknown account 404. */
export async function explainDecisions({ db, bus }: Deps, userId: string) {
  const { users } = await bus.request(identityRpc.names, { userIds: [userId] });
  if (users.length === 0) throw notFound('There is no such account');
  const rows = await db.directoryDecision.findMany({
    where: { userId },
    orderBy: { decidedAt: 'desc' },
    take: maxDecisions,
    include: { pass: { select: { dryRun: true } } },
  });
  const names = await groupNamesFor(
    rows.map((row) => row.change as StoredChange),
    bus,
  );
  return rows.map((row) => ({
    pass_uuid: row.passId,
    at: row.decidedAt.toISOString(),
    dry_run: row.pass.dryRun,
    decision: row.outcome,
    reason: row.reason,
    evidence: toTexts({ ...(row.evidence as object), ...describeChange(row.change as StoredChange, names) }),
  }));
}

async function groupNamesFor(changes: readonly StoredChange[], bus: Deps['bus']): Promise<Map<string, string>> {
  const hasGroupChanges = changes.some(({ add = [], remove = [] }) => add.length + remove.length > 0);
  const { groups } = hasGroupChanges ? await bus.request(directorySyncRpc.rules, {}) : { groups: [] };
  return new Map(groups.map(({ groupId, name }) => [groupId, name]));
}

function withUndone(report: SyncRunReport, restoredIds: ReadonlySet<string>): SyncRunReport {
  return {
    ...report,
    undone: report.undone + restoredIds.size,
    actions: report.actions.map((action) =>
      restoredIds.has(action.user_uuid) ? { ...action, outcome: 'undone', applied: false } : action,
    ),
  };
}

type StoredChange = { role?: string | null; add?: string[]; remove?: string[] };
/** A change with group names, for display. */
function describeChange({ role, add = [], remove = [] }: StoredChange, names: ReadonlyMap<string, string>) {
  const namesOf = (ids: readonly string[]) => ids.map((id) => names.get(id) ?? id).join(', ') || null;
  return { role: role ?? null, into: namesOf(add), out_of: namesOf(remove) };
}

function toTexts(facts: object): Record<string, string> {
  return Object.fromEntries(
    Object.entries(facts)
      .filter(([, value]) => value !== null && !(Array.isArray(value) && value.length === 0))
      .map(([name, value]) => [name, typeof value === 'string' ? value : JSON.stringify(value)]),
  );
}
