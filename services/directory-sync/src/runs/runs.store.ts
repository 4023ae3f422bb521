import { directorySyncEvents, syncRunReport, type SyncRunReport } from '@overtone/contracts';
import type { Outbox } from '@overtone/database';
import type { Db, Json, Tx } from '../database.ts';
import type { DirectoryPass } from '../generated/client.ts';
import { restoreStore } from '../restore/restore.store.ts';
import { settingsStore } from '../settings/settings.ts';
import { groupsAsText, type Account } from '../plan/plan.ts';
import type { CandidateResult, ChangeResult, RunRequest } from './report.ts';

type Decisions = { candidates: CandidateResult[]; changes: ChangeResult[]; returned: readonly Account[] };
type DecisionRow = {
  userId: string;
  email: string;
  ldapUid: string | null;
  decision: 'leaver' | 'change' | 'returned';
  reason: string | null;
  outcome: string;
  evidence: Json;
  change: Json;
};

/** A generator, so that many rows are not in memory at the same time. */
function* rowsOf({ candidates, changes, returned }: Decisions): Generator<DecisionRow> {
  for (const { candidate, outcome } of candidates)
    yield {
      ...accountColumns(candidate.account),
      decision: 'leaver',
      reason: candidate.reason,
      outcome,
      evidence: { ...candidate.evidence },
      change: {},
    };
  for (const { change, applied, error } of changes)
    yield {
      ...accountColumns(change.account),
      decision: 'change',
      reason: null,
      outcome: applied ? 'applied' : (error ?? 'would_apply'),
      evidence: change.groups === undefined ? {} : { groups: groupsAsText(change.groups) },
      change: { role: change.role, add: [...change.add], remove: [...change.remove] },
    };
  for (const account of returned)
    yield {
      ...accountColumns(account),
      decision: 'returned',
      reason: null,
      outcome: 'eligible_for_reactivation',
      evidence: {},
      change: {},
    };
}

const rowsPerInsert = 5_000;
function* inBatches(rows: Iterable<DecisionRow>): Generator<DecisionRow[]> {
  let batch: DecisionRow[] = [];
  for (const row of rows) {
    batch.push(row);
    if (batch.length < rowsPerInsert) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}

function accountColumns({ userId, email, login }: Pick<Account, 'userId' | 'email' | 'login'>) {
  return {
    userId,
    email,
    ldapUid: login,
  };
}

export const runsStore = {
  /** @returns the stored sync run; `redelivered` is true when the job was delivered before. */
  open: async (db: Db, request: RunRequest, dryRun: boolean): Promise<{ row: DirectoryPass; redelivered: boolean }> => {
    const inserted = await db.$executeRaw`
      insert into directory_pass (uuid, trigger, dry_run, approves)
      values (${request.passId}::uuid, ${request.trigger}, ${dryRun}, ${request.approvedPass}::uuid)
      on conflict do nothing`;
    return {
      row: await db.directoryPass.findUniqueOrThrow({ where: { id: request.passId } }),
      redelivered: inserted === 0,
    };
  },
  /** Other sync runs without an end. The caller holds the lease, so none of them is running. */
  unfinished: (db: Db, passId: string): Promise<DirectoryPass[]> =>
    db.directoryPass.findMany({ where: { finishedAt: null, id: { not: passId } }, orderBy: { startedAt: 'asc' } }),
  /** Writes report, decisions and `last_result` in one transaction, with the event of a held run. */
  close: async (
    { db, outbox }: { db: Db; outbox: Outbox },
    report: SyncRunReport,
    decisions: Decisions,
  ): Promise<void> => {
    await db.$transaction(
      async (tx) => {
        for (const rows of inBatches(rowsOf(decisions)))
          await tx.$executeRaw`
            insert into directory_decision (pass_id, user_id, email, ldap_uid, decision, reason, outcome, evidence, change)
            select ${report.pass_uuid}::uuid, r."userId", r.email, r."ldapUid", r.decision, r.reason, r.outcome,
                   r.evidence, r.change
            from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
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
        if (report.status === 'held' && !report.dry_run)
          await outbox.add(tx, directorySyncEvents.runHeld, { runId: report.pass_uuid });
        if (report.status === 'ok') await restoreStore.close(tx, { dryRun: report.dry_run });
      },
      { timeout: 600_000 },
    );
  },
  /** Changes a stored report, and `last_result` when it is of the same sync run. */
  amend: async (tx: Tx, passId: string, change: (report: SyncRunReport) => SyncRunReport): Promise<void> => {
    const [row] = await tx.$queryRaw<{ report: Json }[]>`
      select report from directory_pass where uuid = ${passId}::uuid and report is not null for update`;
    if (!row) return;
    const report = change(syncRunReport.parse(row.report));
    await tx.directoryPass.update({ where: { id: passId }, data: { report } });
    const { last_result: last } = await settingsStore.read(tx);
    if (last?.pass_uuid === passId) await settingsStore.keepResult(tx, report);
  },
  /** The accounts of a held sync run that an administrator has approved. */
  approvedSet: async (db: Db, passId: string): Promise<Set<string>> => {
    const rows = await db.directoryDecision.findMany({
      where: { passId, decision: 'leaver', outcome: 'held', pass: { approvedAt: { not: null } } },
      select: { userId: true },
    });
    return new Set(rows.map(({ userId }) => userId));
  },
};
