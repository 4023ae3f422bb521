import { summaryEvents, type FileMasks, type SummaryContent } from '@overtone/contracts';
import type { Outbox } from '@overtone/database';
import type { Db, Tx } from '../database.ts';
import type { InsightSummary } from '../generated/client.ts';
import { isMoreMasked } from '../masks.ts';
import { findShown, openStates } from './summaries.ts';

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

/**
 * All versions, the latest first. They are withheld as soon as more is masked, before the event of it arrives.
 * @param masks of the file now
 */
export async function readVersions(db: Db | Tx, fileId: string, masks: FileMasks): Promise<InsightSummary[]> {
  const rows = await db.insightSummary.findMany({ where: { fileId }, orderBy: { version: 'desc' } });
  return rows.map((row) => ({ ...row, withheld: row.withheld || isMoreMasked(masks, row.masks) }));
}

/** The content of the shown version; null while it is withheld, or the transcript was edited since. */
export async function findCurrentSummary(db: Db, fileId: string, masks: FileMasks): Promise<SummaryContent | null> {
  const shown = findShown(await readVersions(db, fileId, masks));
  return shown && !shown.withheld && !shown.outOfDate ? (shown.content as SummaryContent | null) : null;
}

/** Excludes concurrent orders of the file until the transaction ends. */
export async function lockFile(tx: Tx, fileId: string): Promise<void> {
  await tx.$executeRaw`select pg_advisory_xact_lock(hashtext('insight_summary'), hashtext(${fileId}))`;
}

/** Adds a version and removes the oldest. Requires the lock of the file. */
export async function insertVersion(tx: Tx, order: SummaryOrder): Promise<InsightSummary> {
  const latest = await tx.insightSummary.findFirst({ where: { fileId: order.fileId }, orderBy: { version: 'desc' } });
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

/**
 * Takes files whose summaries are to be compared; others may take them a minute later. Then those of the previous release, which
 * stored no masks.
 */
export function takeReviews(db: Db): Promise<DueReview[]> {
  return db.$queryRaw<DueReview[]>`
    update insight_summary set review_at = clock_timestamp() + interval '1 minute'
    where media_file_id in (
      select media_file_id from insight_summary
      where state not in ('waiting', 'processing') and (review_at <= clock_timestamp()
        or (review_at is null and masks is null and content is not null))
      order by review_at nulls last limit 10)
    returning media_file_id::text as "fileId", review_at::text as "reviewAt"`;
}

/** @param compared the fingerprint of the transcript, and what is masked in it now. @returns whether a version was compared. */
export async function endReview(
  tx: Tx,
  reviews: readonly DueReview[],
  { fingerprint, masks }: { fingerprint: string; masks: FileMasks },
): Promise<boolean> {
  const present = masks && JSON.stringify(masks);
  let changed = 0;
  for (const { fileId, reviewAt } of reviews) {
    // What was made of text that is masked by now is removed; it cannot be distinguished from an edit.
    changed += await tx.$executeRaw`
      update insight_summary s
      set out_of_date = not c.is_same_text,
        withheld = c.is_hidden and not c.is_same,
        content = case when c.is_hidden and not c.is_same then null else content end,
        masks = coalesce(${present}::jsonb, masks),
        -- Without masks, of a media of the previous release, it is compared again a minute later.
        review_at = case when ${present}::jsonb is null and masks is null then review_at end
      from (
        select uuid, coalesce(split_part(fingerprint, ':', 1) = split_part(${fingerprint}, ':', 1), false) as is_same,
          -- Without the second part, of the previous release, a new name of a speaker is a change of the text.
          coalesce(split_part(fingerprint, ':', 1) = split_part(${fingerprint}, ':', 1)
            or split_part(fingerprint, ':', 2) = split_part(${fingerprint}, ':', 2), false) as is_same_text,
          withheld or coalesce(not masks @> ${present}::jsonb, false) as is_hidden
        from insight_summary where media_file_id = ${fileId}::uuid) c
      where s.uuid = c.uuid and review_at = ${reviewAt}::timestamptz and state not in ('waiting', 'processing')`;
  }
  return changed > 0;
}

/** Another language model may succeed at once. @param owner whose model was changed; null: everyone's. */
export async function retryWaiting(tx: Tx, owner: string | null): Promise<void> {
  await tx.$executeRaw`
    update insight_summary set due_at = clock_timestamp(), failures = 0, error_code = null
    where state = 'waiting' and due_at > clock_timestamp()
      and (${owner}::uuid is null or coalesce(ordered_by, owner_id) = ${owner}::uuid)`;
}
