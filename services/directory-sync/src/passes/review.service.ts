import { identityRpc, sweepRpc, type PassReport } from '@overtone/contracts';
import { conflict, notFound, type Bus } from '@overtone/service-kit';
import type { Db } from '../database.ts';
import { batches } from './apply.ts';
import { passesStore } from './passes.store.ts';

const dayMs = 24 * 60 * 60_000;
const shownDecisions = 200;

/** Operations of an administrator on finished passes: approve a held pass, undo a pass, explain a decision. */
export const createReview = ({ db, bus }: { db: Db; bus: Pick<Bus, 'ask'> }) => ({
  /** @throws AppError conflict, code sweep_not_held: not held, older than a day, or not this set. */
  approve: async (passId: string, setDigest: string, by: string): Promise<void> => {
    const approvedAt = new Date();
    const oldest = new Date(approvedAt.getTime() - dayMs);
    await db.$transaction(async (tx) => {
      const { count } = await tx.directoryPass.updateMany({
        where: { id: passId, status: 'held', setDigest, approvedAt: null, startedAt: { gt: oldest } },
        data: { approvedAt, approvedBy: by },
      });
      if (count === 0)
        throw conflict('sweep_not_held', 'This pass is not held, is older than a day, or its set is another one');
      await passesStore.amend(tx, passId, (report) => ({ ...report, approved_at: approvedAt.toISOString() }));
    });
  },

  undo: async (passId: string, by: string) => {
    const decisions = await db.directoryDecision.findMany({
      where: { passId, decision: 'leaver', outcome: 'disabled' },
      select: { userId: true, email: true },
    });
    if (decisions.length === 0 && !(await db.directoryPass.findUnique({ where: { id: passId } })))
      throw notFound('There is no such pass');
    const emails = new Map(decisions.map((row) => [row.userId, row.email]));
    const left: { user_uuid: string; email: string; why: string }[] = [];
    let restored = 0;
    for (const userIds of batches([...emails.keys()], 200)) {
      const { results } = await bus.ask(sweepRpc.undo, { passId, userIds, by });
      const back = results.filter((r) => r.restored).map((r) => r.userId);
      restored += back.length;
      await db.$transaction(async (tx) => {
        await tx.directoryDecision.updateMany({
          where: { passId, userId: { in: back } },
          data: { outcome: 'undone' },
        });
        await passesStore.amend(tx, passId, (report) => withUndone(report, new Set(back)));
      });
      for (const r of results)
        if (!r.restored) left.push({ user_uuid: r.userId, email: emails.get(r.userId) ?? '', why: r.why });
    }
    return { restored, left };
  },

  explain: async (userId: string) => {
    const groupNames = async (changes: readonly unknown[]): Promise<Map<string, string>> => {
      const moved = (changes as Moved[]).some(({ add, remove }) => [...(add ?? []), ...(remove ?? [])].length > 0);
      const { groups } = moved ? await bus.ask(sweepRpc.rules, {}) : { groups: [] };
      return new Map(groups.map((g) => [g.groupId, g.name]));
    };
    // An existing account without decisions returns an empty list, an unknown account 404.
    const { users } = await bus.ask(identityRpc.names, { userIds: [userId] });
    if (users.length === 0) throw notFound('There is no such account');
    const rows = await db.directoryDecision.findMany({
      where: { userId },
      orderBy: { decidedAt: 'desc' },
      take: shownDecisions,
      include: { pass: { select: { dryRun: true } } },
    });
    const names = await groupNames(rows.map((row) => row.change));
    return rows.map((row) => ({
      pass_uuid: row.passId,
      at: row.decidedAt.toISOString(),
      dry_run: row.pass.dryRun,
      decision: row.outcome,
      reason: row.reason,
      evidence: textOf({ ...(row.evidence as object), ...changeWords(row.change as Moved, names) }),
    }));
  },
});
export type Review = ReturnType<typeof createReview>;

const withUndone = (report: PassReport, back: ReadonlySet<string>): PassReport => ({
  ...report,
  undone: report.undone + back.size,
  actions: report.actions.map((action) =>
    back.has(action.user_uuid) ? { ...action, outcome: 'undone', applied: false } : action,
  ),
});

type Moved = { role?: string | null; add?: string[]; remove?: string[] };
/** A change with group names, for display. */
const changeWords = ({ role, add = [], remove = [] }: Moved, names: ReadonlyMap<string, string>) => {
  const named = (ids: readonly string[]) => ids.map((id) => names.get(id) ?? id).join(', ') || null;
  return { role: role ?? null, into: named(add), out_of: named(remove) };
};

const textOf = (facts: object): Record<string, string> =>
  Object.fromEntries(
    Object.entries(facts)
      .filter(([, v]) => v !== null && !(Array.isArray(v) && v.length === 0))
      .map(([k, v]) => [k, typeof v === 'string' ? v : JSON.stringify(v)]),
  );
