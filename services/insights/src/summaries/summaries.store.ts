import { summaryEvents, type SummaryContent } from '@overtone/contracts';
import type { Outbox } from '@overtone/database';
import type { Db, Tx } from '../database.ts';
import type { InsightSummary } from '../generated/client.ts';
import { isShown, openStates } from './summaries.ts';

export type SummaryOrder = {
  fileId: string;
  ownerId: string;
  /** The event that orders it; null: a person. */
  eventId: string | null;
  orderedBy: string | null;
  promptId: string | null;
  language: string | null;
};
type FileOwner = { fileId: string; ownerId: string };

const keptVersions = 20;
const isOpen = { state: { in: [...openStates] } };

export function announce(tx: Tx, outbox: Outbox, { fileId, ownerId }: FileOwner): Promise<void> {
  return outbox.add(tx, summaryEvents.changed, { fileId, ownerId });
}

/** All versions, the latest first. */
export function readVersions(db: Db | Tx, fileId: string): Promise<InsightSummary[]> {
  return db.insightSummary.findMany({ where: { fileId }, orderBy: { version: 'desc' } });
}

/** The content of the shown version; null while it is withheld, or the transcript was edited since. */
export async function findCurrentSummary(db: Db, fileId: string): Promise<SummaryContent | null> {
  const shown = (await readVersions(db, fileId)).find(isShown);
  return shown && !shown.withheld && !shown.outOfDate ? (shown.content as SummaryContent | null) : null;
}

/** Excludes concurrent orders of the file until the transaction ends. */
export async function lockFile(tx: Tx, fileId: string): Promise<void> {
  await tx.$executeRaw`select pg_advisory_xact_lock(hashtext('insight_summary'), hashtext(${fileId}))`;
}

/** Adds a version and removes the oldest. Requires the lock of the file. */
export async function insertVersion(tx: Tx, order: SummaryOrder): Promise<InsightSummary> {
  const [latest] = await readVersions(tx, order.fileId);
  const row = await tx.insightSummary.create({ data: { ...order, version: (latest?.version ?? 0) + 1 } });
  await tx.insightSummary.deleteMany({
    where: { fileId: order.fileId, version: { lte: row.version - keptVersions }, NOT: isOpen },
  });
  return row;
}

/**
 * Continues an incomplete version as a new one, which takes over its finished sections: the incomplete one stays shown.
 * Requires the lock of the file.
 */
export async function continueVersion(tx: Tx, incomplete: InsightSummary): Promise<InsightSummary> {
  const { id, fileId, ownerId, orderedBy, promptId, language } = incomplete;
  const row = await insertVersion(tx, { fileId, ownerId, eventId: null, orderedBy, promptId, language });
  await tx.insightSection.updateMany({ where: { summaryId: id }, data: { summaryId: row.id } });
  return row;
}

/** Begins an unfinished version again; finished sections stay. */
export function restartVersion(tx: Tx, id: string): Promise<InsightSummary> {
  return tx.insightSummary.update({
    where: { id },
    data: {
      state: 'waiting',
      token: { increment: 1 },
      failures: 0,
      errorCode: null,
      dueAt: new Date(),
      enqueuedAt: null,
      finishedAt: null,
    },
  });
}

/** The transcript or its masks may have changed: all versions of the file are compared with it. */
export async function requestReview(tx: Db | Tx, fileId: string): Promise<void> {
  await tx.$executeRaw`
    update insight_summary set review_at = clock_timestamp() where media_file_id = ${fileId}::uuid`;
}

/** Hides finished versions until they were compared, and begins those in progress again. */
export async function withholdVersions(
  tx: Tx,
  { ownerId, fileId }: { ownerId: string | null; fileId: string | null },
): Promise<FileOwner[]> {
  const where = { ...(ownerId ? { ownerId } : {}), ...(fileId ? { fileId } : {}) };
  const files = await tx.insightSummary.findMany({
    where,
    select: { fileId: true, ownerId: true },
    distinct: ['fileId'],
  });
  const open = await tx.insightSummary.findMany({ where: { ...where, ...isOpen }, select: { id: true } });
  for (const { id } of open) await restartVersion(tx, id);
  await tx.insightSection.deleteMany({ where: { summaryId: { in: await idsOf(tx, where) } } });
  await tx.insightSummary.updateMany({
    where: { ...where, NOT: isOpen },
    data: { withheld: true, reviewAt: new Date() },
  });
  return files;
}

async function idsOf(tx: Tx, where: object): Promise<string[]> {
  return (await tx.insightSummary.findMany({ where, select: { id: true } })).map(({ id }) => id);
}

/** Stops what is in progress. @returns false when nothing was. */
export async function removeOpen(tx: Tx, fileId: string): Promise<boolean> {
  const { count } = await tx.insightSummary.deleteMany({ where: { fileId, ...isOpen } });
  return count > 0;
}

/** @returns the number of removed versions. */
export async function removeVersions(tx: Tx, fileId: string, version?: number): Promise<number> {
  const where = { fileId, ...(version === undefined ? {} : { version }) };
  return (await tx.insightSummary.deleteMany({ where })).count;
}

/** A person is erased: the summaries of their files are deleted, and their name as the one who ordered others. */
export async function erasePerson(tx: Tx, userId: string): Promise<{ summaries: number }> {
  const { count } = await tx.insightSummary.deleteMany({ where: { ownerId: userId } });
  await tx.insightSummary.updateMany({ where: { orderedBy: userId }, data: { orderedBy: null } });
  return { summaries: count };
}

export type DueReview = { fileId: string; reviewAt: string };

/** Takes files whose summaries are to be compared; others may take them a minute later. */
export function takeReviews(db: Db): Promise<DueReview[]> {
  return db.$queryRaw<DueReview[]>`
    update insight_summary set review_at = clock_timestamp() + interval '1 minute'
    where media_file_id in (
      select media_file_id from insight_summary
      where review_at <= clock_timestamp() and state not in ('waiting', 'processing') order by review_at limit 10)
    returning media_file_id::text as "fileId", review_at::text as "reviewAt"`;
}

/** @param fingerprint of the transcript with its present masks. @returns whether a version was compared. */
export async function endReview(tx: Tx, reviews: readonly DueReview[], fingerprint: string): Promise<boolean> {
  let changed = 0;
  for (const { fileId, reviewAt } of reviews) {
    // What was made of text that is masked by now is removed; it cannot be distinguished from an edit.
    changed += await tx.$executeRaw`
      update insight_summary
      set out_of_date = fingerprint is distinct from ${fingerprint},
        withheld = withheld and fingerprint is distinct from ${fingerprint},
        content = case when withheld and fingerprint is distinct from ${fingerprint} then null else content end,
        review_at = null
      where media_file_id = ${fileId}::uuid and review_at = ${reviewAt}::timestamptz
        and state not in ('waiting', 'processing')`;
  }
  return changed > 0;
}
