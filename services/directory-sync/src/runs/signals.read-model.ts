import { syncRunStatuses, type SyncRunReport } from '@overtone/contracts';
import { nextRuns } from '@overtone/jobs';
import type { Sample } from '@overtone/service-kit';
import type { Db } from '../database.ts';
import { settingsStore, type SyncSettings } from '../settings/settings.ts';

type LastRun = Pick<SyncRunReport, 'status' | 'seen' | 'candidates' | 'disabled' | 'ldap_requests' | 'duration_s'>;

/** Upper limit of the reported number of missed runs. */
const maxMissed = 10;

/** Metrics of the directory sync from its stored history: equal in every replica, and after a restart. */
export async function syncSignals(db: Db, now = new Date()): Promise<Sample[]> {
  const settings = await settingsStore.readWithoutResult(db);
  const [last, good] = await Promise.all([readLastRun(db), readLastGoodAt(db, settings)]);
  // Before the first successful sync run the age counts from when the directory sync was enabled.
  const since = good && settings.switchedAt ? later(good, settings.switchedAt) : (good ?? settings.switchedAt);
  return [
    ...toSamples('enabled', settings.enabled ? 1 : 0),
    ...toSamples('last_good_timestamp_seconds', good && good.getTime() / 1000),
    ...toSamples('age_seconds', settings.enabled && since ? (now.getTime() - since.getTime()) / 1000 : 0),
    ...toSamples('runs_missed', countMissedRuns(settings, since, now)),
    ...syncRunStatuses
      .filter((status) => status !== 'running')
      .map((status) => ({ name: 'directory_sync_last_outcome', of: status, value: last?.status === status ? 1 : 0 })),
    ...toSamples('last_duration_seconds', last?.duration_s),
    ...toSamples('last_seen', last?.seen),
    ...toSamples('last_candidates', last?.candidates),
    ...toSamples('last_disabled', last?.disabled),
    ...toSamples('last_ldap_requests', last?.ldap_requests),
  ];
}

async function readLastRun(db: Db): Promise<LastRun | undefined> {
  return (
    await db.$queryRaw<LastRun[]>`
      select status, (report ->> 'seen')::int as seen, (report ->> 'candidates')::int as candidates,
             (report ->> 'disabled')::int as disabled, (report ->> 'ldap_requests')::int as ldap_requests,
             (report ->> 'duration_s')::float as duration_s
      from directory_pass where finished_at is not null order by started_at desc limit 1`
  )[0];
}

/** A dry run counts as a successful sync run only when the directory sync is set to dry runs. */
async function readLastGoodAt(db: Db, { dry_run: dryRun }: SyncSettings): Promise<Date | null> {
  return (
    (
      await db.directoryPass.findFirst({
        where: { status: 'ok', ...(dryRun ? {} : { dryRun: false }) },
        orderBy: { startedAt: 'desc' },
        select: { finishedAt: true },
      })
    )?.finishedAt ?? null
  );
}

function toSamples(name: string, value: number | null | undefined): Sample[] {
  return value === null || value === undefined ? [] : [{ name: `directory_sync_${name}`, value }];
}

function countMissedRuns({ enabled, schedule }: SyncSettings, since: Date | null, now: Date): number {
  return enabled && since ? nextRuns(schedule, since, maxMissed).filter((due) => due <= now).length : 0;
}

function later(x: Date, y: Date): Date {
  return x > y ? x : y;
}
