import type { PassReport } from '@overtone/contracts';
import type { Db, Json } from '../database.ts';
import type { DirectoryPass } from '../generated/client.ts';
import { settingsStore } from '../settings/settings.ts';
import type { ChangeResult, LeaverResult, Order } from './report.ts';
import type { Account } from '../plan/plan.ts';

type Row = {
  userId: string;
  email: string;
  ldapUid: string | null;
  decision: 'leaver' | 'change' | 'returned';
  reason: string | null;
  outcome: string;
  evidence: Json;
  change: Json;
};

const rowsOf = (leavers: LeaverResult[], changes: ChangeResult[], returned: readonly Account[]): Row[] => [
  ...leavers.map(({ leaver, outcome }) => ({
    ...person(leaver.account),
    decision: 'leaver' as const,
    reason: leaver.reason,
    outcome,
    evidence: { ...leaver.evidence },
    change: {},
  })),
  ...changes.map(({ change, applied, error }) => ({
    ...person(change.account),
    decision: 'change' as const,
    reason: null,
    outcome: applied ? 'applied' : (error ?? 'would_apply'),
    evidence: {},
    change: { role: change.role, add: [...change.add], remove: [...change.remove] },
  })),
  ...returned.map((account) => ({
    ...person(account),
    decision: 'returned' as const,
    reason: null,
    outcome: 'eligible_for_reactivation',
    evidence: {},
    change: {},
  })),
];
const person = (a: Pick<Account, 'userId' | 'email' | 'login'>) => ({
  userId: a.userId,
  email: a.email,
  ldapUid: a.login,
});

export const passesStore = {
  /** @returns the pass as it stands; a repeated order finds its own, `again`. */
  open: async (db: Db, order: Order, dryRun: boolean): Promise<{ row: DirectoryPass; again: boolean }> => {
    const made = await db.$executeRaw`
      insert into directory_pass (uuid, trigger, dry_run, approves)
      values (${order.passId}::uuid, ${order.trigger}, ${dryRun}, ${order.approvedPass}::uuid)
      on conflict do nothing`;
    return { row: await db.directoryPass.findUniqueOrThrow({ where: { id: order.passId } }), again: made === 0 };
  },
  /** Other passes that never ended: whoever holds the lease knows that nobody works at them. */
  unfinished: (db: Db, passId: string): Promise<DirectoryPass[]> =>
    db.directoryPass.findMany({ where: { finishedAt: null, id: { not: passId } }, orderBy: { startedAt: 'asc' } }),
  /** Report, decisions and `last_result` stand or fall together. */
  close: async (
    db: Db,
    report: PassReport,
    decisions: { leavers: LeaverResult[]; changes: ChangeResult[]; returned: readonly Account[] },
  ): Promise<void> => {
    const rows = rowsOf(decisions.leavers, decisions.changes, decisions.returned);
    await db.$transaction(
      async (tx) => {
        for (let i = 0; i < rows.length; i += 5_000)
          await tx.$executeRaw`
            insert into directory_decision (pass_id, user_id, email, ldap_uid, decision, reason, outcome, evidence, change)
            select ${report.pass_uuid}::uuid, r."userId", r.email, r."ldapUid", r.decision, r.reason, r.outcome,
                   r.evidence, r.change
            from jsonb_to_recordset(${JSON.stringify(rows.slice(i, i + 5_000))}::jsonb)
              as r("userId" uuid, email text, "ldapUid" text, decision text, reason text, outcome text,
                   evidence jsonb, change jsonb)
            on conflict (pass_id, user_id) do nothing`;
        await tx.directoryPass.update({
          where: { id: report.pass_uuid },
          data: {
            status: report.status,
            report,
            setDigest: report.set_digest,
            dryRun: report.dry_run,
            finishedAt: new Date(report.finished_at ?? Date.now()),
          },
        });
        await settingsStore.keepResult(tx, report);
      },
      { timeout: 60_000 },
    );
  },
  /** The accounts of a held pass that an administrator has approved. */
  approvedSet: async (db: Db, passId: string): Promise<Set<string>> => {
    const rows = await db.directoryDecision.findMany({
      where: { passId, decision: 'leaver', outcome: 'held', pass: { approvedAt: { not: null } } },
      select: { userId: true },
    });
    return new Set(rows.map((r) => r.userId));
  },
};
