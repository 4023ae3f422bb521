import {
  mediaEvents,
  roleAtLeast,
  type AnswerOf,
  type FileObject,
  type QueryOf,
  type mediaRoutes,
} from '@overtone/contracts';
import type { Outbox } from '@overtone/database';
import type { Caller } from '@overtone/service-kit';
import { binnedFile, lockedFile } from '../access/access.store.ts';
import { auditAction, type Actor } from '../audit/audit.ts';
import type { Db, Tx } from '../database.ts';
import { idsOf, isSettled, toFileObject, withRelations } from '../files/files.ts';
import { readFile, requeue } from '../files/files.store.ts';
import { notHeld } from '../legal-hold/legal-hold.store.ts';
import type { People } from '../ports/people.adapter.ts';
import { publishAccess } from '../sharing/sharing.store.ts';
import { discardFile, purgeFile } from './bin.store.ts';

type BinQuery = QueryOf<(typeof mediaRoutes)['listBin']>;
type BinPage = AnswerOf<(typeof mediaRoutes)['listBin']>;
export type BinDeps = { db: Db; outbox: Outbox; people: Pick<People, 'names'>; binDays: number };

const day = 24 * 3_600_000;
const batchSize = 100;

export function createBin({ db, outbox, people, binDays }: BinDeps) {
  return {
    discard: (actor: Actor, id: string): Promise<undefined> =>
      db.$transaction(async (tx) => {
        const file = await lockedFile(tx, actor, id, 'own');
        await discardFile(tx, outbox, { file, actor, binDays });
        return undefined;
      }),

    list: async (caller: Caller, query: BinQuery): Promise<BinPage> => {
      const { items, total } = await selectBinned(db, caller, query);
      const names = await people.names(items.flatMap(({ userId, deletedBy }) => [userId, deletedBy ?? userId]));
      const nameOf = (userId: string | null): string | null => names.get(userId ?? '') ?? null;
      const shown = items.map((file) => {
        const { userId, deletedBy, deletedAt } = file;
        const deleted = deletedAt ?? new Date();
        return {
          ...toFileObject(file, 'owner', { owner: userId === caller.userId ? null : nameOf(userId) }),
          deleted_at: deleted.toISOString(),
          purge_at: new Date(deleted.getTime() + binDays * day).toISOString(),
          deleted_by: deletedBy,
          deleted_by_name: deletedBy === userId ? null : nameOf(deletedBy),
        };
      });
      return { items: shown, total, page: query.page, page_size: query.page_size };
    },

    restore: (actor: Actor, id: string): Promise<FileObject> =>
      db.$transaction((tx) => restoreFile(tx, outbox, actor, id)),

    purge: (actor: Actor, id: string): Promise<undefined> =>
      db.$transaction(async (tx) => {
        await purgeFile(tx, outbox, await binnedFile(tx, actor, id), actor);
        return undefined;
      }),

    /** Permanently deletes files whose time in the bin has expired. */
    purgeExpired: async (signal: AbortSignal): Promise<number> => {
      const cutoff = new Date(Date.now() - binDays * day);
      for (let purged = 0; ;) {
        if (signal.aborted) return purged;
        const count = await db.$transaction((tx) => purgeBatch(tx, outbox, cutoff));
        if (count === 0) return purged;
        purged += count;
      }
    },
  };
}

export type Bin = ReturnType<typeof createBin>;

async function selectBinned(db: Db, { userId, role }: Caller, { ownership, page, page_size }: BinQuery) {
  const all = ownership === 'all' && roleAtLeast(role, 'admin');
  const where = { deletedAt: { not: null }, ...(all ? {} : { userId }) };
  const [items, total] = await Promise.all([
    db.mediaFile.findMany({
      where,
      include: withRelations,
      orderBy: [{ deletedAt: 'desc' }, { id: 'asc' }],
      skip: (page - 1) * page_size,
      take: page_size,
    }),
    db.mediaFile.count({ where }),
  ]);
  return { items, total };
}

async function restoreFile(tx: Tx, outbox: Outbox, actor: Actor, id: string): Promise<FileObject> {
  const file = await binnedFile(tx, actor, id);
  await tx.mediaFile.update({ where: { id }, data: { deletedAt: null, deletedBy: null, updatedAt: new Date() } });
  await outbox.add(tx, mediaEvents.restored, { ...idsOf(file), transcriptVersion: file.transcriptVersion });
  // Subscribers dropped the file's access list; they accept it again under a newer version.
  if (file.accessVersion > 0) await publishAccess(tx, outbox, id);
  if (!isSettled(file.status)) await requeue(tx, outbox, file);
  await auditAction(tx, outbox, 'file_restored', { file, actor });
  return toFileObject(await readFile(tx, id), 'owner');
}

/** Purges files deleted before `cutoff` that no hold protects; other replicas skip them. @returns their number. */
async function purgeBatch(tx: Tx, outbox: Outbox, cutoff: Date): Promise<number> {
  const rows = await tx.$queryRaw<{ id: string }[]>`
    select f.uuid::text as id from media_file f where f.deleted_at <= ${cutoff} and ${notHeld}
    order by f.deleted_at limit ${batchSize} for update of f skip locked`;
  const expired = await tx.mediaFile.findMany({ where: { id: { in: rows.map(({ id }) => id) } } });
  for (const file of expired) await purgeFile(tx, outbox, file, null);
  return expired.length;
}
