import type { DirectorySyncSettings, PassReport } from '@overtone/contracts';
import type { Db, Json, Tx } from '../database.ts';
import { prefix, settingsOf, type SweepSettings } from './sweep-settings.ts';

export const settingsStore = {
  read: async (db: Db | Tx): Promise<SweepSettings> =>
    settingsOf(await db.systemSetting.findMany({ where: { key: { startsWith: prefix } } })),
  /** For frequent reads that do not need the report. */
  readWithoutResult: async (db: Db): Promise<SweepSettings> =>
    settingsOf(
      await db.systemSetting.findMany({ where: { key: { startsWith: prefix, not: `${prefix}last_result` } } }),
    ),
  write: async (tx: Tx, changes: Partial<DirectorySyncSettings>, by: string): Promise<void> => {
    for (const [name, value] of Object.entries(changes)) await put(tx, name, value as Json, by);
  },
  /** Claims a window of the schedule: no earlier time is due any more. */
  claim: (db: Db, at: Date): Promise<void> => put(db, 'last_run_at', at.toISOString(), 'scheduler'),
  keepResult: (db: Db | Tx, report: PassReport): Promise<void> => put(db, 'last_result', report, 'directory_sync'),
};

async function put(db: Db | Tx, name: string, value: Json, updatedBy: string): Promise<void> {
  const key = prefix + name;
  // JSON null is a value here, not the absence of one.
  await db.$executeRaw`
    insert into system_settings (key, value, updated_by, updated_at)
    values (${key}, ${JSON.stringify(value)}::jsonb, ${updatedBy}, now())
    on conflict (key) do update set value = excluded.value, updated_by = excluded.updated_by,
      updated_at = case when system_settings.value = excluded.value then system_settings.updated_at else now() end`;
}
