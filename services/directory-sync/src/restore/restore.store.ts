import type { Db, Tx } from '../database.ts';
import { settingsStore } from '../settings/settings.ts';

/** Restores of the database after which directory accounts wait for a sync run; the restore tool adds a record. */
export const restoreStore = {
  /** The id of the last such restore. */
  open: async (db: Db): Promise<string | undefined> => {
    const rows = await db.$queryRaw<{ uuid: string }[]>`
      select uuid from restore_record where directory_checked_at is null order by restored_at desc limit 1`;
    return rows[0]?.uuid;
  },
  /** Lets directory accounts sign in again. A dry run does so only where sync runs never disable accounts. */
  close: async (db: Db | Tx, { dryRun }: { dryRun: boolean }): Promise<void> => {
    if (dryRun && !(await settingsStore.read(db)).dry_run) return;
    await db.$executeRaw`update restore_record set directory_checked_at = now() where directory_checked_at is null`;
  },
};
