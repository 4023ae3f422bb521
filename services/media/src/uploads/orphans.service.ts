import type { ObjectStore } from '@overtone/object-store';
import type { Db } from '../database.ts';
import { objectPrefixes } from '../files/files.ts';

export type OrphansDeps = {
  db: Db;
  objects: Pick<ObjectStore, 'list' | 'deletePrefix'>;
  /** Younger objects may belong to an upload whose row is not committed yet. */
  olderThanMs: number;
};

const batchSize = 200;

/** Removes recordings without a row, which a process leaves that was killed between storing the object and the row. */
export function createOrphans({ db, objects, olderThanMs }: OrphansDeps) {
  const removeUnknown = async (ids: string[]): Promise<number> => {
    const known = new Set(
      (await db.mediaFile.findMany({ where: { id: { in: ids } }, select: { id: true } })).map(({ id }) => id),
    );
    const unknown = ids.filter((id) => !known.has(id));
    for (const id of unknown) for (const prefix of objectPrefixes(id)) await objects.deletePrefix(prefix);
    return unknown.length;
  };

  /** Recordings that were uploaded after the backup of a restored database have no row, and must not be lost for that. */
  const lastRestore = async (): Promise<Date> => {
    const rows = await db.$queryRaw<{ at: Date | null }[]>`select max(restored_at) as at from restore_record`;
    return rows[0]?.at ?? new Date(0);
  };

  return {
    removeAll: async (signal: AbortSignal): Promise<number> => {
      let removed = 0;
      let ids: string[] = [];
      const restoredAt = await lastRestore();
      const isOrphan = (modifiedAt: Date): boolean =>
        modifiedAt > restoredAt && Date.now() - modifiedAt.getTime() >= olderThanMs;
      for await (const { key, modifiedAt } of objects.list('files/')) {
        if (signal.aborted) return removed;
        const id = key.split('/')[1] ?? '';
        if (isOrphan(modifiedAt) && /^[0-9a-f-]{36}$/.test(id)) ids.push(id);
        if (ids.length < batchSize) continue;
        removed += await removeUnknown(ids);
        ids = [];
      }
      return removed + (await removeUnknown(ids));
    },
  };
}
