import { passReport, type DirectorySyncSettings, type PassReport } from '@overtone/contracts';
import { z } from 'zod';

/** Defaults of the specification, "Directory sync settings"; the percentage is ours (ADR 0011). */
const defaults: DirectorySyncSettings = {
  enabled: false,
  schedule: '0 4 * * *',
  dry_run: true,
  max_disables_per_run: 10,
  max_disable_percent: 20,
};

export type SweepSettings = DirectorySyncSettings & {
  last_run_at: Date | null;
  last_result: PassReport | null;
  /** When the sweep was last switched on or off; null: never. */
  switchedAt: Date | null;
  /** Earlier scheduled times are skipped: the later of the last run and the last change of `enabled`. */
  dueAfter: Date | null;
};
export type Row = { key: string; value: unknown; updatedAt: Date };

export const prefix = 'directory_sync.';
const asDate = z.iso.datetime().transform((text) => new Date(text));

/** The settings from stored rows; a row that cannot be parsed is ignored. */
export function settingsOf(rows: readonly Row[]): SweepSettings {
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
    last_result: value('last_result', passReport.nullable(), null),
    switchedAt,
    dueAfter: later(lastRunAt, switchedAt),
  };
}

function later(x: Date | null, y: Date | null): Date | null {
  return x && y ? (x > y ? x : y) : (x ?? y);
}
