import { invalid } from '@overtone/service-kit';
import type { Db, Tx } from '../database.ts';
import type { Tag } from '../generated/client.ts';
import { normalizedTag } from './tags.ts';

export type AttachSource = 'manual' | 'auto_ai';

/** Concurrent calls for the same tag return the same row. @throws AppError invalid_body for a name of separators only. */
export async function getOrCreateTag(
  db: Db | Tx,
  userId: string,
  name: string,
  source: AttachSource = 'manual',
): Promise<Tag> {
  const key = { userId, normalizedName: normalizedTag(name) };
  if (key.normalizedName === '') {
    const errors = [{ path: 'name', message: 'must contain more than separators' }];
    throw invalid('invalid_body', 'A tag needs a name.', { errors });
  }
  await db.tag.createMany({ data: { ...key, name, source }, skipDuplicates: true });
  return db.tag.findUniqueOrThrow({ where: { userId_normalizedName: key } });
}

/**
 * A tag that a person attaches again may later be attached automatically, too; one that was attached automatically is the
 * person's from then on. @returns whether the file has changed.
 */
export async function attachTag(
  tx: Tx,
  fileId: string,
  { id: tagId, normalizedName }: Pick<Tag, 'id' | 'normalizedName'>,
  source: AttachSource,
): Promise<boolean> {
  await tx.removedFileTag.deleteMany({ where: { fileId, normalizedName } });
  const { count: attached } = await tx.fileTag.createMany({ data: { fileId, tagId, source }, skipDuplicates: true });
  if (attached > 0 || source !== 'manual') return attached > 0;
  const { count: adopted } = await tx.fileTag.updateMany({
    where: { fileId, tagId, OR: [{ source: null }, { source: { not: source } }] },
    data: { source },
  });
  return adopted > 0;
}

/**
 * Removes a tag from a file for a person: it is not attached again automatically. With `source` only a tag that was
 * attached so. @returns whether the file had it.
 */
export async function detachTag(tx: Tx, fileId: string, name: string, source?: AttachSource): Promise<boolean> {
  const normalizedName = normalizedTag(name);
  const attached = { fileId, tag: { normalizedName }, ...(source ? { source } : {}) };
  const { count } = await tx.fileTag.deleteMany({ where: attached });
  if (count > 0) await tx.removedFileTag.createMany({ data: { fileId, normalizedName }, skipDuplicates: true });
  return count > 0;
}

export async function wasRemoved(tx: Tx, fileId: string, name: string): Promise<boolean> {
  return (await tx.removedFileTag.count({ where: { fileId, normalizedName: normalizedTag(name) } })) > 0;
}
