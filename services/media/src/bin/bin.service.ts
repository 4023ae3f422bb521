import { mediaEvents, type AnswerOf, type FileObject, type QueryOf, type mediaRoutes } from '@overtone/contracts';
import type { Outbox } from '@overtone/database';
import type { Caller } from '@overtone/service-kit';
import { binnedFile, lockedFile } from '../access/access.ts';
import { auditAction, type Actor } from '../audit/audit.ts';
import { txOptions, type Db, type Tx } from '../database.ts';
import { isSettled, requeue, toFileObject, withSpeakerCount, type FileRow } from '../files/files.ts';
import type { People } from '../ports/people.ts';
import { accessOf } from '../sharing/sharing.ts';
import { binStore as store } from './bin.store.ts';

type BinPage = AnswerOf<(typeof mediaRoutes)['listBin']>;
export type BinDeps = { db: Db; outbox: Outbox; people: Pick<People, 'names'>; binDays: number };

const day = 24 * 3_600_000;

/**
 * Deleted files stay in a bin until they expire: invisible elsewhere, and restorable. While a file is in the bin, events of
 * its run do not change its row.
 */
export function createBin({ db, outbox, people, binDays }: BinDeps) {
  /** Deletes the rows now and the objects through the event, so that a crash leaves neither behind. */
  const purge = async (tx: Tx, file: FileRow, actor: Actor | null): Promise<void> => {
    await tx.mediaFile.delete({ where: { id: file.id } });
    await outbox.add(tx, mediaEvents.deleted, idsOf(file));
    await auditAction(tx, outbox, 'file_purged', { file, actor });
  };

  return {
    discard: (actor: Actor, id: string): Promise<undefined> =>
      db.$transaction(async (tx) => {
        const file = await lockedFile(tx, actor, id, 'own');
        await tx.mediaFile.update({ where: { id }, data: { deletedAt: new Date(), deletedBy: actor.userId } });
        if (!isSettled(file.status)) await outbox.add(tx, mediaEvents.cancelOrdered, idsOf(file));
        await outbox.add(tx, mediaEvents.binned, idsOf(file));
        await auditAction(tx, outbox, 'file_deleted', { file, actor });
        if (binDays === 0) await purge(tx, file, actor);
        return undefined;
      }, txOptions),

    list: async (caller: Caller, query: QueryOf<(typeof mediaRoutes)['listBin']>): Promise<BinPage> => {
      const { items, total } = await store.list(db, caller, query);
      const names = await people.names(items.flatMap(({ userId, deletedBy }) => [userId, deletedBy ?? userId]));
      const shown = items.map((file) => {
        const deletedAt = file.deletedAt ?? new Date();
        return {
          ...toFileObject(file, 'owner', file.userId === caller.userId ? null : (names.get(file.userId) ?? null)),
          deleted_at: deletedAt.toISOString(),
          purge_at: new Date(deletedAt.getTime() + binDays * day).toISOString(),
          deleted_by: file.deletedBy,
          deleted_by_name: file.deletedBy === file.userId ? null : (names.get(file.deletedBy ?? '') ?? null),
        };
      });
      return { items: shown, total, page: query.page, page_size: query.page_size };
    },

    restore: (actor: Actor, id: string): Promise<FileObject> =>
      db.$transaction(async (tx) => {
        const file = await binnedFile(tx, actor, id);
        await tx.mediaFile.update({
          where: { id },
          data: {
            deletedAt: null,
            deletedBy: null,
            updatedAt: new Date(),
            // Subscribers dropped the file's access list; they accept it again under a newer version.
            ...(file.accessVersion > 0 ? { accessVersion: { increment: 1 } } : {}),
          },
        });
        await outbox.add(tx, mediaEvents.restored, { ...idsOf(file), transcriptVersion: file.transcriptVersion });
        if (file.accessVersion > 0) {
          const shared = await tx.mediaFile.findUniqueOrThrow({ where: { id }, include: { shares: true } });
          await outbox.add(tx, mediaEvents.accessChanged, accessOf(shared));
        }
        if (!isSettled(file.status)) await requeue(tx, outbox, file);
        await auditAction(tx, outbox, 'file_restored', { file, actor });
        return toFileObject(
          await tx.mediaFile.findUniqueOrThrow({ where: { id }, include: withSpeakerCount }),
          'owner',
        );
      }, txOptions),

    purge: (actor: Actor, id: string): Promise<undefined> =>
      db.$transaction(async (tx) => {
        await purge(tx, await binnedFile(tx, actor, id), actor);
        return undefined;
      }, txOptions),

    /** Permanently deletes files whose time in the bin has expired. */
    purgeExpired: async (signal: AbortSignal): Promise<number> => {
      const cutoff = new Date(Date.now() - binDays * day);
      for (let purged = 0; ;) {
        if (signal.aborted) return purged;
        const files = await db.$transaction(async (tx) => {
          const expired = await store.takeExpired(tx, cutoff);
          for (const file of expired) await purge(tx, file, null);
          return expired;
        }, txOptions);
        if (files.length === 0) return purged;
        purged += files.length;
      }
    },
  };
}

function idsOf({ id, userId }: Pick<FileRow, 'id' | 'userId'>) {
  return { fileId: id, ownerId: userId };
}

export type Bin = ReturnType<typeof createBin>;
