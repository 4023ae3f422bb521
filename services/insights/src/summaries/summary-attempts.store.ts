import type { FileMasks, SummaryContent } from '@overtone/contracts';
import type { Db, Tx } from '../database.ts';
import { Prisma, type InsightSummary } from '../generated/client.ts';
import { hasTurn } from '../providers/providers.store.ts';
import type { Usage } from '../ports/language-model.ts';
import type { SummaryResult } from './summaries.ts';

/** A summary that a process works on. A newer token ends it. */
export type Attempt = { id: string; token: number };

/** An attempt without a sign for this time has ended with its process. */
const silentSeconds = 15;
/** What the broker lost is enqueued again; what a process left when it ended, sooner. */
const enqueueAgainSeconds = 600;
const batch = 50;
/** Half of the places that the queue `nlp` has by default. */
const placesOfOwnModel = 2;
/** Not in the queue, nor in progress, as far as is known. */
const isDue = Prisma.sql`(
  (s.state = 'waiting' and (s.enqueued_at is null or s.enqueued_at < s.due_at
    or s.enqueued_at < clock_timestamp() - make_interval(secs => ${enqueueAgainSeconds})))
  or (s.state = 'processing' and s.touched_at < clock_timestamp() - make_interval(secs => ${silentSeconds * 2})
    and s.enqueued_at < clock_timestamp() - make_interval(secs => ${silentSeconds * 2})))`;

/** @returns summaries to enqueue. */
export async function takeDue(db: Db): Promise<{ id: string; enqueuedAt: string }[]> {
  return db.$queryRaw`
    update insight_summary set enqueued_at = clock_timestamp()
    where uuid in (
      select s.uuid from insight_summary s
      join (
        select uuid, person, row_number() over (partition by person order by is_due, due_at) as rank
        from (
          select uuid, coalesce(ordered_by, owner_id) as person, due_at, ${isDue} as is_due
          from insight_summary s where state in ('waiting', 'processing') and due_at <= clock_timestamp()) as open
      ) as ranked using (uuid)
      where s.state in ('waiting', 'processing') and s.due_at <= clock_timestamp() and ${isDue}
        and ${hasTurn({ person: Prisma.sql`person`, rank: Prisma.sql`rank`, places: placesOfOwnModel })}
      order by s.due_at limit ${batch} for update of s skip locked)
    returning uuid::text as id, enqueued_at::text as "enqueuedAt"`;
}

/** When the next summary is due. */
export async function nextDue(db: Db): Promise<Date | null> {
  const next = await db.insightSummary.findFirst({
    where: { state: 'waiting' },
    orderBy: { dueAt: 'asc' },
    select: { dueAt: true },
  });
  return next?.dueAt ?? null;
}

export async function forgetEnqueued(db: Db, id: string): Promise<void> {
  await db.insightSummary.updateMany({ where: { id }, data: { enqueuedAt: null } });
}

/** @returns null when there is nothing to do, or another process works on it. */
export async function beginAttempt(db: Db, id: string): Promise<InsightSummary | null> {
  const count = await db.$executeRaw`
    update insight_summary set state = 'processing', token = token + 1, touched_at = clock_timestamp()
    where uuid = ${id}::uuid and due_at <= clock_timestamp() and (state = 'waiting'
      or (state = 'processing' and touched_at < clock_timestamp() - make_interval(secs => ${silentSeconds})))`;
  return count > 0 ? db.insightSummary.findUnique({ where: { id } }) : null;
}

/** A sign of work. @returns false when the attempt has been replaced or its summary was deleted. */
export async function touchAttempt(db: Db | Tx, { id, token }: Attempt): Promise<boolean> {
  const count = await db.$executeRaw`
    update insight_summary set touched_at = clock_timestamp()
    where uuid = ${id}::uuid and token = ${token} and state = 'processing'`;
  return count > 0;
}

/** What the summary is made of and with. */
export type Beginning = { promptId: string | null; promptName: string | null; fingerprint: string };

export function recordBeginning(tx: Db | Tx, { id, token }: Attempt, beginning: Beginning) {
  return tx.insightSummary.updateMany({ where: { id, token }, data: beginning });
}

export function recordProgress(db: Db, { id, token }: Attempt, sectionsDone: number, sectionsTotal: number) {
  // A late write must not replace what the completed summary says.
  return db.insightSummary.updateMany({
    where: { id, token, state: 'processing' },
    data: { sectionsDone, sectionsTotal },
  });
}

export async function readSection(db: Db, summaryId: string, sectionKey: string): Promise<SummaryContent | null> {
  const row = await db.insightSection.findUnique({ where: { summaryId_sectionKey: { summaryId, sectionKey } } });
  return (row?.result as SummaryContent | undefined) ?? null;
}

/** @returns false when the attempt has been replaced: nothing was stored. */
export async function writeSection(
  tx: Tx,
  attempt: Attempt,
  { sectionKey, result, usage }: { sectionKey: string; result: SummaryContent; usage: Usage },
): Promise<boolean> {
  if (!(await touchAttempt(tx, attempt))) return false;
  const { id: summaryId } = attempt;
  await tx.insightSection.upsert({
    where: { summaryId_sectionKey: { summaryId, sectionKey } },
    create: { summaryId, sectionKey, result },
    update: { result },
  });
  await tx.insightSummary.update({
    where: { id: summaryId },
    data: { inputTokens: { increment: usage.inputTokens }, outputTokens: { increment: usage.outputTokens } },
  });
  return true;
}

/** @returns false when the attempt has been replaced: nothing was stored. */
export async function completeAttempt(
  tx: Tx,
  { id, token }: Attempt,
  { content, gaps, segments, sections, errorCode, provider, model }: SummaryResult,
  { masks, durationMs }: { masks: FileMasks; durationMs: number },
): Promise<boolean> {
  const isWhole = gaps.length === 0 && errorCode === null;
  const { count } = await tx.insightSummary.updateMany({
    where: { id, token, state: 'processing' },
    data: {
      state: isWhole ? 'completed' : 'partial',
      content,
      masks: masks ?? Prisma.DbNull,
      gaps,
      segments,
      sectionsDone: sections,
      sectionsTotal: sections,
      errorCode,
      provider,
      model,
      withoutModel: model === null,
      durationMs: { increment: durationMs },
      finishedAt: new Date(),
    },
  });
  if (count > 0 && isWhole) await tx.insightSection.deleteMany({ where: { summaryId: id } });
  return count > 0;
}

export type Failure = { code: string; /** null: it stays failed. */ retryAfterSeconds: number | null; counts: boolean };

/** Stores why an attempt failed; it is repeated later, or the version is failed. @returns false when it was replaced. */
export async function failAttempt(
  tx: Tx,
  { id, token }: Attempt,
  { code, retryAfterSeconds, counts }: Failure,
): Promise<boolean> {
  const now = Date.now();
  const { count } = await tx.insightSummary.updateMany({
    where: { id, token, state: 'processing' },
    data: {
      errorCode: code,
      ...(counts ? { failures: { increment: 1 } } : {}),
      ...(retryAfterSeconds === null
        ? { state: 'failed', finishedAt: new Date(now) }
        : { state: 'waiting', dueAt: new Date(now + retryAfterSeconds * 1_000) }),
    },
  });
  return count > 0;
}

/** A process that stops leaves the work to another one. */
export async function releaseAttempt(db: Db, { id, token }: Attempt): Promise<void> {
  await db.insightSummary.updateMany({ where: { id, token, state: 'processing' }, data: { state: 'waiting' } });
}
