import { backupGroup, mirrorGroup } from '@overtone/contracts';
import { cachedFor, type Metrics, type Sample } from '@overtone/service-kit';
import { nextRuns } from '@overtone/jobs';
import { Counter } from 'prom-client';
import type { Db } from './database.ts';

/** Read from the database at most once in this time (specification, "Health and metrics"). */
const readEveryMs = 60_000;
const results = ['success', 'failed'] as const;

type Row = {
  kind: 'backup' | 'media_mirror';
  enabled: boolean;
  schedule: string;
  /** Unix times in seconds; the first: when the schedule was switched on or changed. */
  scheduledSince: number | null;
  lastSuccess: number | null;
  lastStatus: (typeof results)[number] | null;
  success: number;
  failed: number;
};

/** Gauges of backups and the mirror, from the stored runs: equal in every replica, and after a restart. */
export function createTelemetry({ metrics, db }: { metrics: Metrics; db: Db }): void {
  const { get: read } = cachedFor(readEveryMs, () => readRows(db));
  const kinds = { backup: 'backup', media_mirror: 'run of the media mirror' } as const;
  for (const [kind, what] of Object.entries(kinds)) {
    metrics.watch(
      [
        { name: `${kind}_enabled`, help: `1 while the schedule is switched on` },
        { name: `${kind}_last_success_timestamp_seconds`, help: `Unix time of the last successful ${what}` },
        { name: `${kind}_last_status`, help: `1 when the last ${what} was successful, 0 when it failed` },
        {
          name: `${kind}_age_seconds`,
          help: `Time since the last successful ${what} or since the schedule was switched on or changed, whichever is later; 0 while it is off`,
        },
        {
          name: `${kind}_overdue_seconds`,
          help: `Time since a scheduled ${what} that no successful one has followed; 0 while there is none`,
        },
      ],
      async () => samplesOf(kind, (await read()).rows),
    );
    metrics.registry.registerMetric(
      new Counter({
        name: `${kind}_runs_total`,
        help: `Each ${what} by result`,
        labelNames: ['result'],
        registers: [],
        async collect() {
          const row = (await read().catch(() => undefined))?.rows.find((entry) => entry.kind === kind);
          this.reset();
          if (row) for (const result of results) this.inc({ result }, row[result]);
        },
      }),
    );
  }
  metrics.watch([{ name: 'media_mirror_objects', help: 'Objects that the media mirror contains' }], async () => [
    { name: 'media_mirror_objects', value: (await read()).objects },
  ]);
}

function samplesOf(kind: string, rows: readonly Row[]): Sample[] {
  const row = rows.find((entry) => entry.kind === kind);
  if (!row) return [];
  const { enabled, schedule, scheduledSince, lastSuccess, lastStatus } = row;
  const since = enabled ? Math.max(lastSuccess ?? 0, scheduledSince ?? 0) : 0;
  const due = since > 0 ? nextRuns(schedule, new Date(since * 1_000), 1)[0] : undefined;
  return [
    { name: `${kind}_enabled`, value: enabled ? 1 : 0 },
    ...(lastSuccess === null ? [] : [{ name: `${kind}_last_success_timestamp_seconds`, value: lastSuccess }]),
    ...(lastStatus === null ? [] : [{ name: `${kind}_last_status`, value: lastStatus === 'success' ? 1 : 0 }]),
    { name: `${kind}_age_seconds`, value: since > 0 ? secondsSince(since * 1_000) : 0 },
    { name: `${kind}_overdue_seconds`, value: due ? secondsSince(due.getTime()) : 0 },
  ];
}

function secondsSince(time: number): number {
  return Math.max(0, (Date.now() - time) / 1_000);
}

async function readRows(db: Db): Promise<{ rows: Row[]; objects: number }> {
  const [rows, counted] = await Promise.all([
    db.$queryRaw<Row[]>`
      select r.kind,
        coalesce((select s.value = 'true'::jsonb from operations_settings s where s.key = r.enabled), false) as enabled,
        coalesce((select s.value #>> '{}' from operations_settings s where s.key = r.schedule), r.standard) as schedule,
        (select extract(epoch from max(s.updated_at))::float8 from operations_settings s
          where s.key in (r.enabled, r.schedule)) as "scheduledSince",
        extract(epoch from max(finished_at) filter (where status = 'success'))::float8 as "lastSuccess",
        (array_agg(status order by finished_at desc) filter (where status in ('success', 'failed')))[1] as "lastStatus",
        (count(*) filter (where status = 'success'))::int as success,
        (count(*) filter (where status = 'failed'))::int as failed
      from (values
        ('backup', 'backup.enabled', 'backup.schedule', ${backupGroup.fields.schedule.default}),
        ('media_mirror', 'mirror.enabled', 'mirror.schedule', ${mirrorGroup.fields.schedule.default})
      ) as r (kind, enabled, schedule, standard)
      left join (
        select 'backup' as kind, status, finished_at from backup_run
        union all select 'media_mirror', status, finished_at from mirror_run
      ) runs using (kind)
      group by r.kind, r.enabled, r.schedule, r.standard`,
    db.$queryRaw<{ count: number }[]>`select count(*)::int as count from mirror_object where sha256 <> ''`,
  ]);
  return { rows, objects: counted[0]!.count };
}
