import { invalid, type Caller } from '@overtone/service-kit';
import type { Outbox } from '@overtone/database';
import { lockedFile, permissionsOf } from '../access/access.ts';
import { txOptions, type Db } from '../database.ts';
import { markEdited } from '../transcripts/transcripts.ts';
import { normalizedTag, toTagObject } from './tags.ts';
import { tagsStore as store } from './tags.store.ts';

export type TagsDeps = { db: Db; outbox: Outbox };

/** Tags belong to their user: nobody sees or removes another's. */
export const createTags = ({ db, outbox }: TagsDeps) => ({
  list: async (caller: Caller) =>
    (await store.ofUser(db, caller.userId)).map(({ _count: { files }, ...tag }) => ({
      ...toTagObject(tag),
      usage_count: files,
    })),
  unused: async (caller: Caller) => (await store.unused(db, caller.userId)).map((tag) => toTagObject(tag)),
  create: async (caller: Caller, name: string) => toTagObject(await store.getOrCreate(db, caller.userId, named(name))),

  /** For lists of files, whose objects carry no tags. */
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

  /** The tag is one of the file's owner, also when an administrator puts it on. */
  attach: (caller: Caller, fileId: string, name: string) =>
    db.$transaction(async (tx) => {
      const file = await lockedFile(tx, caller, fileId, 'edit');
      const tag = await store.getOrCreate(tx, file.userId, named(name));
      if (await store.attach(tx, fileId, tag.id)) await markEdited(tx, outbox, file);
      return toTagObject(tag, 'manual');
    }, txOptions),

  /** @returns whether the file carried the tag. */
  clearTag: (caller: Caller, fileId: string, name: string): Promise<boolean> =>
    db.$transaction(async (tx) => {
      const file = await lockedFile(tx, caller, fileId, 'edit');
      const carried = await store.detach(tx, fileId, name);
      if (carried) await markEdited(tx, outbox, file);
      return carried;
    }, txOptions),
});
export type Tags = ReturnType<typeof createTags>;

const named = (name: string): string => {
  const errors = [{ path: 'name', message: 'must contain more than separators' }];
  if (normalizedTag(name) === '') throw invalid('invalid_body', 'A tag needs a name.', { errors });
  return name;
};
