import { passStatuses, type PassReport } from '@overtone/contracts';
import type { Sample } from '@overtone/service-kit';
import type { Db } from '../database.ts';
import { nextRuns } from '../schedule/schedule.ts';
import { settingsStore, type SweepSettings } from '../settings/settings.ts';

type Last = Pick<PassReport, 'status' | 'seen' | 'candidates' | 'disabled' | 'ldap_requests' | 'duration_s'>;

/** Upper limit of the reported number of missed runs. */
const maxMissed = 10;

const lastPass = async (db: Db): Promise<Last | undefined> =>
  (
    await db.$queryRaw<Last[]>`
      select status, (report ->> 'seen')::int as seen, (report ->> 'candidates')::int as candidates,
             (report ->> 'disabled')::int as disabled, (report ->> 'ldap_requests')::int as ldap_requests,
             (report ->> 'duration_s')::float as duration_s
      from directory_pass where finished_at is not null order by started_at desc limit 1`
  )[0];

/** A dry run counts as a successful pass only when the sweep is set to dry runs. */
const lastGood = async (db: Db, { dry_run: dryRun }: SweepSettings): Promise<Date | null> =>
  (
    await db.directoryPass.findFirst({
      where: { status: 'ok', ...(dryRun ? {} : { dryRun: false }) },
      orderBy: { startedAt: 'desc' },
      select: { finishedAt: true },
    })
  )?.finishedAt ?? null;

const runsMissed = ({ enabled, schedule }: SweepSettings, since: Date | null, now: Date): number =>
  enabled && since ? nextRuns(schedule, since, maxMissed).filter((due) => due <= now).length : 0;

const named = (name: string, value: number | null | undefined): Sample[] =>
  value === null || value === undefined ? [] : [{ name: `directory_sync_${name}`, value }];

/** Metrics of the sweep from its stored history: equal in every replica, and after a restart. */
export const sweepSignals = async (db: Db, now = new Date()): Promise<Sample[]> => {
  const settings = await settingsStore.readWithoutResult(db);
  const [last, good] = await Promise.all([lastPass(db), lastGood(db, settings)]);
  // Before the first successful pass the age counts from when the sweep was enabled.
  const since = good && settings.switchedAt ? later(good, settings.switchedAt) : (good ?? settings.switchedAt);
  return [
    ...named('enabled', settings.enabled ? 1 : 0),
    ...named('last_good_timestamp_seconds', good && good.getTime() / 1000),
    ...named('age_seconds', settings.enabled && since ? (now.getTime() - since.getTime()) / 1000 : 0),
    ...named('runs_missed', runsMissed(settings, since, now)),
    ...passStatuses
      .filter((status) => status !== 'running')
      .map((of) => ({ name: 'directory_sync_last_outcome', of, value: last?.status === of ? 1 : 0 })),
    ...named('last_duration_seconds', last?.duration_s),
    ...named('last_seen', last?.seen),
    ...named('last_candidates', last?.candidates),
    ...named('last_disabled', last?.disabled),
    ...named('last_ldap_requests', last?.ldap_requests),
  ];
};

const later = (a: Date, b: Date): Date => (a > b ? a : b);
