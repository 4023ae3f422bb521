import { syncRunReport, type DirectorySyncSettings, type SyncRunReport } from '@overtone/contracts';
import { z } from 'zod';
import type { Db, Json, Tx } from '../database.ts';

/** Defaults of the specification, "Directory sync settings"; the percentage is ours (ADR 0011). */
const defaults: DirectorySyncSettings = {
  enabled: false,
  schedule: '0 4 * * *',
  dry_run: true,
  max_disables_per_run: 10,
  max_disable_percent: 20,
};

export type SyncSettings = DirectorySyncSettings & {
  last_run_at: Date | null;
  last_result: SyncRunReport | null;
  /** When the directory sync was last switched on or off; null: never. */
  switchedAt: Date | null;
  /** Earlier scheduled times are skipped: the later of the last run and the last change of `enabled`. */
  dueAfter: Date | null;
};
type Row = { key: string; value: unknown; updatedAt: Date };

const prefix = 'directory_sync.';
const asDate = z.iso.datetime().transform((text) => new Date(text));

export const settingsStore = {
  read: async (db: Db | Tx): Promise<SyncSettings> =>
    settingsOf(await db.systemSetting.findMany({ where: { key: { startsWith: prefix } } })),
  /** For frequent reads that do not need the report. */
  readWithoutResult: async (db: Db): Promise<SyncSettings> =>
    settingsOf(
      await db.systemSetting.findMany({ where: { key: { startsWith: prefix, not: `${prefix}last_result` } } }),
    ),
  write: async (tx: Tx, changes: Partial<DirectorySyncSettings>, by: string): Promise<void> => {
    for (const [name, value] of Object.entries(changes)) await put(tx, name, value as Json, by);
  },
  /** Claims a window of the schedule: no earlier time is due any more. */
  claim: (db: Db, at: Date): Promise<void> => put(db, 'last_run_at', at.toISOString(), 'scheduler'),
  keepResult: (db: Db | Tx, report: SyncRunReport): Promise<void> => put(db, 'last_result', report, 'directory_sync'),
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

/** The settings from stored rows; a row that cannot be parsed is ignored. */
function settingsOf(rows: readonly Row[]): SyncSettings {
  const rowOf = (name: string) => rows.find(({ key }) => key === prefix + name);
  const value = <T>(name: string, schema: z.ZodType<T>, defaultValue: T): T => {
    const parsed = schema.safeParse(rowOf(name)?.value);
    return parsed.success ? parsed.data : defaultValue;
  };
  const lastRunAt = value('last_run_at', asDate.nullable(), null);
  const switchedAt = rowOf('enabled')?.updatedAt ?? null;
  return {
    enabled: value('enabled', z.boolean(), defaults.enabled),
    schedule: value('schedule', z.string(), defaults.schedule),
    dry_run: value('dry_run', z.boolean(), defaults.dry_run),
    max_disables_per_run: value('max_disables_per_run', z.int().min(1), defaults.max_disables_per_run),
    max_disable_percent: value('max_disable_percent', z.number().nullable(), defaults.max_disable_percent),
    last_run_at: lastRunAt,
    last_result: value('last_result', syncRunReport.nullable(), null),
    switchedAt,
    dueAfter: later(lastRunAt, switchedAt),
  };
}

function later(x: Date | null, y: Date | null): Date | null {
  return x && y ? (x > y ? x : y) : (x ?? y);
}
