import type { Db } from '../database.ts';

/** Whether directory accounts have to wait. */
export type RestoredDatabase = { awaitsDirectory: () => Promise<boolean> };

/**
 * After a restore, accounts stand as they stood when the backup was made: who was disabled since must not sign in before
 * directory-sync has read the directory again and closed the record. A database is restored while the services are
 * stopped, so a closed record is not checked again.
 */
export function createRestoredDatabase({ db }: { db: Db }): RestoredDatabase {
  let closed = false;
  return {
    awaitsDirectory: async () => {
      if (closed) return false;
      const open = await db.$queryRaw<unknown[]>`
        select 1 from restore_record where directory_checked_at is null limit 1`;
      closed = open.length === 0;
      return !closed;
    },
  };
}
