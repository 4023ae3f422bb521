import type { LabelRunObject } from '@overtone/contracts';
import type { Db, Tx } from '../database.ts';
import type { LabelRun } from '../generated/client.ts';

/** Files of one run that are worked on together: the queue stays free for new recordings. */
const inProgress = 8;

/** @returns null while another run of the person is active. */
export async function createRun(db: Db, userId: string, fileIds: readonly string[] | null): Promise<LabelRun | null> {
  return db.$transaction(async (tx) => {
    const [row] = await tx.$queryRaw<{ id: string }[]>`
      insert into label_run (user_id, lists_all) values (${userId}::uuid, ${fileIds === null})
      on conflict do nothing returning uuid::text as id`;
    if (!row) return null;
    await addItems(tx, row.id, fileIds ?? []);
    return tx.labelRun.findUniqueOrThrow({ where: { id: row.id } });
  });
}

export async function addItems(tx: Tx, runId: string, fileIds: readonly string[]): Promise<void> {
  const data = [...new Set(fileIds)].map((fileId) => ({ runId, fileId }));
  await tx.labelRunItem.createMany({ data, skipDuplicates: true });
}

export function latestRun(db: Db, userId: string): Promise<LabelRun | null> {
  return db.labelRun.findFirst({ where: { userId }, orderBy: { startedAt: 'desc' } });
}

export async function stopRun(db: Db, userId: string): Promise<void> {
  await db.$executeRaw`
    update label_run set status = 'stopped', finished_at = now() where user_id = ${userId}::uuid and status = 'running'`;
}

export async function toRunObject(db: Db, run: LabelRun): Promise<LabelRunObject> {
  const [counts] = await db.$queryRaw<Pick<LabelRunObject, 'total' | 'processed' | 'failed' | 'labels'>[]>`
    select count(*)::int as total, (count(*) filter (where outcome not in ('queued', 'working')))::int as processed,
      (count(*) filter (where outcome = 'failed'))::int as failed, coalesce(sum(labels), 0)::int as labels
    from label_run_item where run_id = ${run.id}::uuid`;
  return {
    uuid: run.id,
    status: run.status as LabelRunObject['status'],
    ...(counts ?? { total: 0, processed: 0, failed: 0, labels: 0 }),
    started_at: run.startedAt.toISOString(),
    finished_at: run.finishedAt?.toISOString() ?? null,
  };
}

/** The oldest active runs. */
export function activeRuns(db: Db): Promise<LabelRun[]> {
  return db.labelRun.findMany({ where: { status: 'running' }, orderBy: { startedAt: 'asc' }, take: 20 });
}

/** @returns false when the run has ended, or another replica works on it. */
export async function lockRun(tx: Tx, runId: string): Promise<boolean> {
  const rows = await tx.$queryRaw<unknown[]>`
    select 1 from label_run where uuid = ${runId}::uuid and status = 'running' for update skip locked`;
  return rows.length > 0;
}

/** Adds the next files of a run to those in progress. @returns the ones in progress that are not ordered yet. */
export async function takeItems(tx: Tx, runId: string): Promise<string[]> {
  await tx.$executeRaw`
    update label_run_item set outcome = 'working'
    where run_id = ${runId}::uuid and media_file_id in (
      select media_file_id from label_run_item where run_id = ${runId}::uuid and outcome = 'queued'
      order by media_file_id
      limit greatest(0, ${inProgress} - (
        select count(*)::int from label_run_item where run_id = ${runId}::uuid and outcome = 'working')))`;
  const rows = await tx.$queryRaw<{ fileId: string }[]>`
    select i.media_file_id::text as "fileId" from label_run_item i
    where i.run_id = ${runId}::uuid and i.outcome = 'working' and not exists (
      select 1 from suggestion_extraction e
      where e.media_file_id = i.media_file_id and e.part = 'labels' and e.event_id = ${runId})`;
  return rows.map(({ fileId }) => fileId);
}

export async function skipItem(db: Db, runId: string, fileId: string): Promise<void> {
  await db.labelRunItem.updateMany({ where: { runId, fileId }, data: { outcome: 'skipped' } });
}

/** Records the end of the files whose extraction, ordered by this run, has ended. */
export async function endFinishedItems(tx: Tx, runId: string): Promise<void> {
  await tx.$executeRaw`
    update label_run_item i
    set outcome = case e.state when 'completed' then 'labelled' when 'failed' then 'failed' else 'skipped' end,
      labels = (
        select count(*) from suggestion s join label_run r on r.uuid = i.run_id
        where s.media_file_id = i.media_file_id and s.status = 'applied' and s.decided_at >= r.started_at)
    from suggestion_extraction e
    where i.run_id = ${runId}::uuid and i.outcome = 'working' and e.media_file_id = i.media_file_id
      and e.part = 'labels' and e.event_id = ${runId} and e.state not in ('waiting', 'processing')`;
}

/** Closes a run that has nothing left. */
export async function closeFinished(tx: Tx, runId: string): Promise<void> {
  await tx.$executeRaw`
    update label_run r set status = 'completed', finished_at = now()
    where uuid = ${runId}::uuid and status = 'running' and not lists_all
      and not exists (select 1 from label_run_item i where i.run_id = r.uuid and i.outcome in ('queued', 'working'))`;
}
