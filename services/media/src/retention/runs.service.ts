import { mediaEvents } from '@overtone/contracts';
import type { Outbox } from '@overtone/database';
import { isDue } from '@overtone/jobs';
import { isAppError, type Log } from '@overtone/service-kit';
import { auditAction } from '../audit/audit.ts';
import { discardFile } from '../bin/bin.store.ts';
import type { Db, Tx } from '../database.ts';
import { idsOf, type FileRow } from '../files/files.ts';
import { updateFile } from '../files/files.store.ts';

import { heldOf } from '../legal-hold/legal-hold.store.ts';
import { admitSets, allowanceOf, digestOf, reasonsOf, type Rule } from './retention.ts';
import { retentionStore, toRule } from './retention.store.ts';

type RunsDeps = { db: Db; outbox: Outbox; binDays: number; log: Log };
type Claim = { id: string; token: number };

type Verdict = 'remove' | 'legal_hold' | 'no_longer_applies' | 'rule_changed' | 'gone';

const batchSize = 25;
const planTxOptions = { timeout: 120_000 };

/** Plans and executes runs. Every replica may: a lease admits one, and its token is checked by every transaction. */
export function createRetentionRuns({ db, outbox, binDays, log }: RunsDeps) {
  const execute = async (claim: Claim & { planned: boolean }, signal: AbortSignal): Promise<void> => {
    if (!claim.planned) await db.$transaction((tx) => planRun(tx, claim), planTxOptions);
    for (;;) {
      // The run keeps its state; this or another process continues it when the lease has ended.
      if (signal.aborted) return;
      const count = await db.$transaction((tx) => removeBatch({ tx, outbox, binDays }, claim));
      if (count === 0) break;
    }
    await retentionStore.end(db, claim, 'success');
  };

  return {
    /** Enqueues a run when the schedule says so, and executes one that waits. */
    check: async (signal: AbortSignal): Promise<void> => {
      await enqueueDue(db, new Date());
      const claim = await retentionStore.claim(db);
      if (!claim) return;
      try {
        await execute(claim, signal);
      } catch (err) {
        log.error({ err: err as Error, run: claim.id }, 'retention run failed');
        await retentionStore.end(db, claim, 'failed', isAppError(err) ? err.code : 'internal_error');
      }
    },
  };
}

/** One run serves every time of the schedule that passed; none is added while another one waits or runs. */
async function enqueueDue(db: Db, now: Date): Promise<void> {
  if (!isDueNow(await retentionStore.settings(db), now)) return;
  await db.$transaction(async (tx) => {
    // Another replica may have served it.
    await retentionStore.lockSettings(tx);
    if (!isDueNow(await retentionStore.settings(tx), now)) return;
    await tx.retentionSettings.updateMany({ data: { servedUntil: now } });
    await enqueueRun(tx, 'schedule');
  });
}

type Schedule = Pick<Awaited<ReturnType<typeof retentionStore.settings>>, 'enabled' | 'schedule' | 'servedUntil'>;

function isDueNow({ enabled, schedule, servedUntil }: Schedule, now: Date): boolean {
  return enabled && isDue(schedule, servedUntil, now);
}

/** @returns the id, or undefined while another run waits or runs. */
export async function enqueueRun(tx: Tx, trigger: 'manual' | 'schedule'): Promise<string | undefined> {
  const rows = await tx.$queryRaw<{ id: string }[]>`
    insert into retention_run (trigger) values (${trigger})
    on conflict ((true)) where status in ('queued', 'running') do nothing returning uuid::text as id`;
  return rows[0]?.id;
}

/** Writes down which rule removes which files. The set does not change any more; sets of earlier runs are superseded. */
async function planRun(tx: Tx, claim: Claim): Promise<void> {
  if (!(await retentionStore.fence(tx, claim))) throw leaseLost();
  const now = new Date();
  const rows = await tx.retentionRule.findMany({ where: { enabled: true }, orderBy: { position: 'asc' } });
  const taken = new Set<string>();
  const sets = [];
  for (const row of rows) {
    const rule = toRule(row);
    const files = (await retentionStore.select(tx, rule, now)).filter(({ id }) => !taken.has(id));
    for (const { id } of files) taken.add(id);
    sets.push({ row, rule, files });
  }
  const libraryFiles = await retentionStore.libraryFiles(tx);
  const { max_percent: maxPercent } = await retentionStore.settings(tx);
  const removedToday = await retentionStore.removedToday(tx, now);
  const statuses = admitSets(
    sets.map(({ files }) => files.length),
    allowanceOf({ libraryFiles, maxPercent, removedToday }),
  );
  await tx.retentionRunRule.updateMany({ where: { status: 'held' }, data: { status: 'superseded' } });
  for (const [i, { row, rule, files }] of sets.entries()) {
    const ids = files.map(({ id }) => id);
    await tx.retentionRunRule.create({
      data: {
        runId: claim.id,
        ruleId: row.id,
        position: row.position,
        ruleVersion: row.version,
        name: row.name,
        removes: row.removes,
        status: statuses[i] ?? 'held',
        setDigest: digestOf(rule, ids),
        planned: files.length,
        plannedBytes: BigInt(files.reduce((sum, { bytes }) => sum + bytes, 0)),
      },
    });
    await tx.$executeRaw`
      insert into retention_item (run_id, rule_id, media_file_id, bytes)
      select ${claim.id}::uuid, ${row.id}::uuid, id, bytes
      from unnest(${ids}::uuid[], ${files.map(({ bytes }) => BigInt(bytes))}::bigint[]) as f (id, bytes)`;
  }
  await tx.retentionRun.update({ where: { id: claim.id }, data: { plannedAt: now, libraryFiles } });
}

type Removal = { tx: Tx; outbox: Outbox; binDays: number };

/** Removes the next planned files of admitted and approved sets; each is checked again, with its row locked. */
async function removeBatch(removal: Removal, claim: Claim): Promise<number> {
  const { tx } = removal;
  if (!(await retentionStore.fence(tx, claim))) throw leaseLost();
  const items = await tx.retentionItem.findMany({
    where: { runId: claim.id, outcome: 'planned', rule: { status: { in: ['admitted', 'approved'] } } },
    include: { rule: true },
    orderBy: [{ rule: { position: 'asc' } }, { fileId: 'asc' }],
    take: batchSize,
  });
  const ids = items.map(({ fileId }) => fileId);
  const files = new Map((await retentionStore.lockFiles(tx, ids)).map((file) => [file.id, file]));
  const held = await heldOf(tx, [...files.values()]);
  const rules = await tx.retentionRule.findMany({ where: { id: { in: items.map(({ ruleId }) => ruleId) } } });
  const now = new Date();
  for (const item of items) {
    const file = files.get(item.fileId);
    const row = rules.find(({ id }) => id === item.ruleId);
    const current = row?.enabled && row.version === item.rule.ruleVersion ? toRule(row) : undefined;
    const verdict = verdictOf({ file, rule: current, isHeld: held.has(item.fileId) }, now);
    if (verdict === 'remove' && file && current) await removeFile(removal, file, current);
    await tx.retentionItem.update({
      where: { runId_fileId: { runId: item.runId, fileId: item.fileId } },
      data:
        verdict === 'remove'
          ? { outcome: 'removed', decidedAt: now }
          : { outcome: 'skipped', skipReason: verdict, decidedAt: now },
    });
  }
  return items.length;
}

type Case = { file: Parameters<typeof reasonsOf>[1] | undefined; rule: Rule | undefined; isHeld: boolean };

/** Whether a planned file is still to be removed. */
export function verdictOf({ file, rule, isHeld }: Case, now: Date): Verdict {
  if (!file) return 'gone';
  if (isHeld) return 'legal_hold';
  if (!rule) return 'rule_changed';
  return reasonsOf(rule, file, now).length > 0 ? 'remove' : 'no_longer_applies';
}

async function removeFile({ tx, outbox, binDays }: Removal, file: FileRow, rule: Rule): Promise<void> {
  const details = { rule: rule.name };
  if (rule.removes === 'everything') return discardFile(tx, outbox, { file, actor: null, binDays, details });
  const row = await updateFile(tx, file.id, {
    recordingRemovedAt: new Date(),
    waveformKey: null,
    thumbnailKey: null,
  });
  await outbox.add(tx, mediaEvents.recordingRemoved, idsOf(file));
  await outbox.add(tx, mediaEvents.updated, { ...idsOf(file), status: row.status as 'completed' });
  await auditAction(tx, outbox, 'recording_removed', {
    file,
    actor: null,
    details: { ...details, bytes: Number(file.fileSize) },
  });
}

function leaseLost(): Error {
  return new Error('the lease of the retention run was lost');
}
