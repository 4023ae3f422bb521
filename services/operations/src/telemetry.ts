import type { Metrics, Sample } from '@overtone/service-kit';
import { Counter } from 'prom-client';
import type { Db } from './database.ts';

/** Read from the database at most once in this time (specification, "Health and metrics"). */
const readEveryMs = 60_000;
const results = ['success', 'failed'] as const;

type Row = {
  kind: 'backup' | 'media_mirror';
  enabled: boolean;
  /** Unix times in seconds. */
  enabledSince: number | null;
  lastSuccess: number | null;
  lastStatus: (typeof results)[number] | null;
  success: number;
  failed: number;
};

/** Gauges of backups and the mirror, from the stored runs: equal in every replica, and after a restart. */
export function createTelemetry({ metrics, db }: { metrics: Metrics; db: Db }): void {
  const read = keepFor(readEveryMs, () => readRows(db));
  const kinds = { backup: 'backup', media_mirror: 'run of the media mirror' } as const;
  for (const [kind, what] of Object.entries(kinds)) {
    metrics.watch(
      [
        { name: `${kind}_enabled`, help: `1 while the schedule is switched on` },
        { name: `${kind}_last_success_timestamp_seconds`, help: `Unix time of the last successful ${what}` },
        { name: `${kind}_last_status`, help: `1 when the last ${what} was successful, 0 when it failed` },
        {
          name: `${kind}_age_seconds`,
          help: `Time since the last successful ${what} or since the schedule was switched on, whichever is later; 0 while it is off`,
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
  const { enabled, enabledSince, lastSuccess, lastStatus } = row;
  const since = Math.max(lastSuccess ?? 0, enabledSince ?? 0);
  return [
    { name: `${kind}_enabled`, value: enabled ? 1 : 0 },
    ...(lastSuccess === null ? [] : [{ name: `${kind}_last_success_timestamp_seconds`, value: lastSuccess }]),
    ...(lastStatus === null ? [] : [{ name: `${kind}_last_status`, value: lastStatus === 'success' ? 1 : 0 }]),
    { name: `${kind}_age_seconds`, value: enabled && since > 0 ? Math.max(0, Date.now() / 1_000 - since) : 0 },
  ];
}

async function readRows(db: Db): Promise<{ rows: Row[]; objects: number }> {
  const [rows, counted] = await Promise.all([
    db.$queryRaw<Row[]>`
      select r.kind,
        coalesce((select s.value = 'true'::jsonb from operations_settings s where s.key = r.setting), false) as enabled,
        (select extract(epoch from s.updated_at)::float8 from operations_settings s where s.key = r.setting)
          as "enabledSince",
        extract(epoch from max(finished_at) filter (where status = 'success'))::float8 as "lastSuccess",
        (array_agg(status order by finished_at desc) filter (where status in ('success', 'failed')))[1] as "lastStatus",
        (count(*) filter (where status = 'success'))::int as success,
        (count(*) filter (where status = 'failed'))::int as failed
      from (values ('backup', 'backup.enabled'), ('media_mirror', 'mirror.enabled')) as r (kind, setting)
      left join (
        select 'backup' as kind, status, finished_at from backup_run
        union all select 'media_mirror', status, finished_at from mirror_run
      ) runs using (kind)
      group by r.kind, r.setting`,
    db.$queryRaw<{ count: number }[]>`select count(*)::int as count from mirror_object where sha256 <> ''`,
  ]);
  return { rows, objects: counted[0]!.count };
}

/** The result of a read is used again for a while; a failed read is not. */
function keepFor<T>(milliseconds: number, read: () => Promise<T>): () => Promise<T> {
  let kept: { at: number; value: Promise<T> } | undefined;
  return () => {
    if (kept && Date.now() - kept.at < milliseconds) return kept.value;
    const entry = { at: Date.now(), value: read() };
    kept = entry;
    entry.value.catch(() => {
      if (kept === entry) kept = undefined;
    });
    return entry.value;
  };
}
