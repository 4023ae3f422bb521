import {
  erasureEvents,
  mediaEvents,
  operationsEvents,
  type DataOf,
  type ErasureReport,
  type userErasureOrdered,
} from '@overtone/contracts';
import { deleteSentActionsOf, type Outbox } from '@overtone/database';
import type { ObjectStore } from '@overtone/object-store';
import { eraseClipsOf } from '../clips/clips.store.ts';
import { eraseCodesOf } from '../codes/codes.store.ts';
import { eraseCollectionsOf } from '../collections/collections.store.ts';
import { eraseCommentsOf } from '../comments/comments.store.ts';
import type { Db, Tx } from '../database.ts';
import { idsOf, objectPrefixes, type FileRow } from '../files/files.ts';
import type { MediaErasure } from '../generated/client.ts';
import { notHeld } from '../legal-hold/legal-hold.store.ts';
import { deleteLinksOf } from '../public-links/public-links.store.ts';
import { publishAccess, removeMembership, removeSharesWith } from '../sharing/sharing.store.ts';
import { eraseTemplatesOf } from '../export-templates/export-templates.store.ts';
import { eraseVocabularyOf } from '../vocabulary/vocabulary.store.ts';
import { eraseVoicesOf } from '../voices/voices.store.ts';

export type ErasureDeps = {
  db: Db;
  outbox: Outbox;
  objects: Pick<ObjectStore, 'deletePrefix'>;
  removeUploadsOf: (userId: string) => Promise<number>;
};
type Order = Pick<MediaErasure, 'erasureId' | 'round' | 'userId'>;
type Counts = Record<string, number>;

const batchSize = 20;
/** Objects are deleted while the rows are locked. */
const batchTxOptions = { timeout: 120_000 };
/** An upload that was on its way when its account was erased has ended by then. */
const keepOrderMs = 24 * 3_600_000;

/** Erases the files, uploads, shares and tags of a person in batches. It continues where a killed process stopped. */
export function createErasure({ db, outbox, objects, removeUploadsOf }: ErasureDeps) {
  const report = (tx: Tx, { erasureId, round }: Order, change: Partial<ErasureReport>): Promise<void> =>
    outbox.add(tx, erasureEvents.media, {
      erasureId,
      round,
      counts: {},
      objectHashes: [],
      fileIds: [],
      held: 0,
      complete: false,
      ...change,
    });

  const eraseBatch = async (tx: Tx, order: Order): Promise<number> => {
    const files = await lockErasable(tx, order.userId);
    let deleted = 0;
    for (const file of files) {
      // Before the row: a crash in between leaves a row that the next attempt finds.
      for (const prefix of objectPrefixes(file.id)) deleted += await objects.deletePrefix(prefix);
      await tx.mediaFile.delete({ where: { id: file.id } });
      // The other services forget the file, and objects of a worker that was still writing are deleted.
      await outbox.add(tx, mediaEvents.deleted, idsOf(file));
    }
    await deleteSentTitles(tx, files);
    if (files.length > 0)
      await report(tx, order, {
        counts: { files: files.length, objects: deleted },
        objectHashes: files.flatMap(({ fileHash }) => fileHash ?? []),
        fileIds: files.map(({ id }) => id),
      });
    return files.length;
  };

  const finish = async (tx: Tx, order: Order, uploads: number): Promise<void> => {
    const counts = { uploads, ...(await eraseTraces(tx, outbox, order.userId)) };
    // Sent events of these files would stay for two days. That they were deleted may have to be sent again.
    await tx.$executeRaw`
      delete from media_outbox where sent_at is not null and data ->> 'ownerId' = ${order.userId}
        and subject <> ${mediaEvents.deleted.subject}`;
    await deleteSentActionsOf(tx, 'media', order.userId);
    const held = await tx.mediaFile.count({ where: { userId: order.userId } });
    // Files under a legal hold stay masked as their owner wanted.
    if (held === 0) await tx.redactionPreference.deleteMany({ where: { userId: order.userId } });
    await report(tx, order, { counts, held, complete: true });
    await tx.mediaErasure.update({ where: { erasureId: order.erasureId }, data: { finishedAt: new Date() } });
  };

  /** Works on one order that no other replica works on. @returns whether something was left to do. */
  const work = (): Promise<boolean> =>
    db.$transaction(async (tx) => {
      const [order] = await tx.$queryRaw<Order[]>`
        select erasure_id::text as "erasureId", round, user_id::text as "userId" from media_erasure m
        where finished_at is null
          or exists (select 1 from media_file f where f.user_id = m.user_id and f.upload_time > m.finished_at)
        order by erasure_id limit 1 for update of m skip locked`;
      if (!order) return false;
      if ((await eraseBatch(tx, order)) === 0) await finish(tx, order, await removeUploadsOf(order.userId));
      return true;
    }, batchTxOptions);

  return {
    accept: async ({ erasureId, round, userId }: DataOf<typeof userErasureOrdered>): Promise<void> => {
      const open = { round, userId, finishedAt: null };
      await db.mediaErasure.upsert({ where: { erasureId }, create: { erasureId, ...open }, update: open });
    },

    eraseOrdered: async (signal: AbortSignal): Promise<void> => {
      while (!signal.aborted && (await work()));
    },

    forgetOld: async (): Promise<void> => {
      await db.mediaErasure.deleteMany({ where: { finishedAt: { lt: new Date(Date.now() - keepOrderMs) } } });
    },

    describe: async (userId: string) => {
      const [files, heldFiles, holds, uploads, tags, shares] = await Promise.all([
        db.mediaFile.aggregate({ where: { userId }, _count: true, _sum: { fileSize: true } }),
        db.$queryRaw<{ count: number }[]>`
          select count(*)::int as count from media_file f where f.user_id = ${userId}::uuid and not (${notHeld})`,
        db.legalHold.count({ where: { userId } }),
        db.openUpload.count({ where: { userId } }),
        db.tag.count({ where: { userId } }),
        db.fileShare.count({ where: { OR: [{ userId }, { file: { userId } }] } }),
      ]);
      const { _count: count, _sum: sum } = files;
      return {
        files: count,
        bytes: Number(sum.fileSize ?? 0),
        uploads,
        tags,
        shares,
        heldFiles: heldFiles[0]?.count ?? 0,
        isHeld: holds > 0,
      };
    },
  };
}

/** Actions of others may name a file in a list of titles, as those on collections do. Sent rows are only kept for two days. */
async function deleteSentTitles(tx: Tx, files: readonly FileRow[]): Promise<void> {
  await tx.$executeRaw`
    delete from media_outbox o using unnest(${files.map(({ title }) => title)}::text[]) as f (title)
    where o.sent_at is not null and o.subject = ${operationsEvents.performed.subject}
      and f.title <> '' and strpos(o.data -> 'details' ->> 'title', f.title) > 0`;
}

async function lockErasable(tx: Tx, userId: string): Promise<FileRow[]> {
  const rows = await tx.$queryRaw<{ id: string }[]>`
    select f.uuid::text as id from media_file f where f.user_id = ${userId}::uuid and ${notHeld}
    order by f.uuid limit ${batchSize} for update of f`;
  return tx.mediaFile.findMany({ where: { id: { in: rows.map(({ id }) => id) } } });
}

/** What is left of a person besides their files: in the files of others, and tags that no held file has. */
async function eraseTraces(tx: Tx, outbox: Outbox, userId: string): Promise<Counts> {
  const shared = await removeSharesWith(tx, { userId });
  for (const fileId of new Set(shared)) await publishAccess(tx, outbox, fileId);
  const collections = await eraseCollectionsOf(tx, userId);
  const comments = await eraseCommentsOf(tx, outbox, userId);
  const export_templates = await eraseTemplatesOf(tx, userId);
  const code_lists = await eraseCodesOf(tx, outbox, userId);
  const profiles = await eraseVoicesOf(tx, outbox, userId);
  const public_links = await deleteLinksOf(tx, userId);
  const vocabulary = await eraseVocabularyOf(tx, userId);
  await eraseClipsOf(tx, userId);
  await removeMembership(tx, userId);
  await tx.$executeRaw`
    update file_share s set shared_by = f.user_id from media_file f
    where f.uuid = s.media_file_id and s.shared_by = ${userId}::uuid`;
  const { count: changes } = await tx.change.deleteMany({ where: { userId, file: { userId: { not: userId } } } });
  await tx.transcriptOperation.updateMany({ where: { userId }, data: { userId: null } });
  await tx.namedVersion.updateMany({ where: { userId }, data: { userId: null } });
  const { count: edits } = await tx.segment.updateMany({ where: { editedBy: userId }, data: { editedBy: null } });
  await tx.mediaFile.updateMany({ where: { lastEditedBy: userId }, data: { lastEditedBy: null, lastEditedAt: null } });
  await tx.mediaFile.updateMany({ where: { deletedBy: userId }, data: { deletedBy: null } });
  await tx.legalHold.updateMany({ where: { placedBy: userId }, data: { placedBy: null } });
  await tx.retentionRunRule.updateMany({ where: { approvedBy: userId }, data: { approvedBy: null } });
  await tx.watchImport.deleteMany({ where: { ownerId: userId } });
  const { count: watched } = await tx.watchDecision.deleteMany({ where: { ownerId: userId } });
  // Without its owner a source cannot import; an administrator chooses another one.
  await tx.$executeRaw`
    update watch_source set enabled = false, owner_id = null, version = version + 1,
      config = config || '{"enabled": false, "owner": ""}' where owner_id = ${userId}::uuid`;
  const { count: tags } = await tx.tag.deleteMany({ where: { userId, files: { none: {} } } });
  return {
    shares: shared.length,
    public_links,
    vocabulary,
    collections,
    comments,
    code_lists,
    export_templates,
    speaker_profiles: profiles,
    changes,
    edits,
    watched,
    tags,
  };
}
