import type { Outbox } from '@overtone/database';
import type { Caller } from '@overtone/service-kit';
import { lockedFile, permissionsOf } from '../access/access.store.ts';
import type { Db } from '../database.ts';
import { markEdited } from '../transcripts/transcripts.store.ts';
import { toTagObject } from './tags.ts';
import { attachTag, detachTag, getOrCreateTag } from './tags.store.ts';

export type TagsDeps = { db: Db; outbox: Outbox };

export function createTags({ db, outbox }: TagsDeps) {
  return {
    /** Most used first, then by name. */
    list: async ({ userId }: Caller) => {
      const tags = await db.tag.findMany({
        where: { userId },
        include: { _count: { select: { files: { where: { file: { deletedAt: null } } } } } },
        orderBy: [{ files: { _count: 'desc' } }, { normalizedName: 'asc' }],
      });
      return tags.map(({ _count: { files }, ...tag }) => ({ ...toTagObject(tag), usage_count: files }));
    },

    unused: async ({ userId }: Caller) => {
      const where = { userId, files: { none: { file: { deletedAt: null } } } };
      const tags = await db.tag.findMany({ where, orderBy: { normalizedName: 'asc' } });
      return tags.map((tag) => toTagObject(tag));
    },

    create: async ({ userId }: Caller, name: string) => toTagObject(await getOrCreateTag(db, userId, name)),

    ofFiles: (caller: Caller, fileIds: string[]) => readTagsOfFiles(db, caller, fileIds),

    /** The tag belongs to the file's owner, also when an administrator attaches it. */
    attach: (caller: Caller, fileId: string, name: string) =>
      db.$transaction(async (tx) => {
        const file = await lockedFile(tx, caller, fileId, 'edit');
        const tag = await getOrCreateTag(tx, file.userId, name);
        if (await attachTag(tx, fileId, tag, 'manual')) await markEdited(tx, outbox, file, caller.userId);
        return toTagObject(tag, 'manual');
      }),

    removePathSteps: async (): Promise<void> => {
      await db.tag.deleteMany({ where: { name: { in: ['.', '..'] } } });
    },

    /** @returns whether the file had the tag. */
    detach: (caller: Caller, fileId: string, name: string): Promise<boolean> =>
      db.$transaction(async (tx) => {
        const file = await lockedFile(tx, caller, fileId, 'edit');
        const removed = await detachTag(tx, fileId, name);
        if (removed) await markEdited(tx, outbox, file, caller.userId);
        return removed;
      }),
  };
}

export type Tags = ReturnType<typeof createTags>;

/** Tags for file lists, whose objects contain none. */
async function readTagsOfFiles(db: Db, caller: Caller, fileIds: string[]) {
  const files = await db.mediaFile.findMany({
    where: { id: { in: fileIds } },
    select: { id: true, userId: true, status: true, deletedAt: true },
  });
  const readable = await permissionsOf(db, caller, files);
  const rows = await db.fileTag.findMany({
    where: { fileId: { in: [...readable.keys()] } },
    include: { tag: true },
    orderBy: { tag: { normalizedName: 'asc' } },
  });
  const readableIds = [...new Set(fileIds)].filter((id) => readable.has(id));
  const items = readableIds.map((id) => ({
    file_uuid: id,
    tags: rows.filter(({ fileId }) => fileId === id).map(({ tag, source }) => toTagObject(tag, source)),
  }));
  return { items };
}
