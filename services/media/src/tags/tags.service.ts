import { invalid, type Caller } from '@overtone/service-kit';
import type { Outbox } from '@overtone/database';
import { lockedFile, permissionsOf } from '../access/access.ts';
import { txOptions, type Db } from '../database.ts';
import { markEdited } from '../transcripts/transcripts.ts';
import { normalizedTag, toTagObject } from './tags.ts';
import { tagsStore as store } from './tags.store.ts';

export type TagsDeps = { db: Db; outbox: Outbox };

/** Tags belong to one user and are invisible to all others. */
export function createTags({ db, outbox }: TagsDeps) {
  return {
    list: async (caller: Caller) =>
      (await store.ofUser(db, caller.userId)).map(({ _count: { files }, ...tag }) => ({
        ...toTagObject(tag),
        usage_count: files,
      })),
    unused: async (caller: Caller) => (await store.unused(db, caller.userId)).map((tag) => toTagObject(tag)),
    create: async (caller: Caller, name: string) =>
      toTagObject(await store.getOrCreate(db, caller.userId, checkedTagName(name))),

    /** Tags for file lists, whose objects contain none. */
    ofFiles: async (caller: Caller, fileIds: string[]) => {
      const files = await db.mediaFile.findMany({
        where: { id: { in: fileIds } },
        select: { id: true, userId: true, deletedAt: true },
      });
      const readable = await permissionsOf(db, caller, files);
      const rows = await store.ofFiles(db, [...readable.keys()]);
      return {
        items: fileIds
          .filter((id, at) => readable.has(id) && fileIds.indexOf(id) === at)
          .map((id) => ({
            file_uuid: id,
            tags: rows.filter(({ fileId }) => fileId === id).map(({ tag, source }) => toTagObject(tag, source)),
          })),
      };
    },

    /** The tag belongs to the file's owner, also when an administrator attaches it. */
    attach: (caller: Caller, fileId: string, name: string) =>
      db.$transaction(async (tx) => {
        const file = await lockedFile(tx, caller, fileId, 'edit');
        const tag = await store.getOrCreate(tx, file.userId, checkedTagName(name));
        if (await store.attach(tx, fileId, tag.id)) await markEdited(tx, outbox, file);
        return toTagObject(tag, 'manual');
      }, txOptions),

    /** @returns whether the file had the tag. */
    clearTag: (caller: Caller, fileId: string, name: string): Promise<boolean> =>
      db.$transaction(async (tx) => {
        const file = await lockedFile(tx, caller, fileId, 'edit');
        const removed = await store.detach(tx, fileId, name);
        if (removed) await markEdited(tx, outbox, file);
        return removed;
      }, txOptions),
  };
}

export type Tags = ReturnType<typeof createTags>;

function checkedTagName(name: string): string {
  const errors = [{ path: 'name', message: 'must contain more than separators' }];
  if (normalizedTag(name) === '') throw invalid('invalid_body', 'A tag needs a name.', { errors });
  return name;
}
