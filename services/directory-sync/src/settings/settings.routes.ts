import { directorySyncRoutes, type DirectorySyncSettings } from '@overtone/contracts';
import { handle, invalid, type Route } from '@overtone/service-kit';
import type { Db } from '../database.ts';
import { leaseHeld } from '../lease/lease.ts';
import type { Passes } from '../passes/passes.ts';
import { isDue, nextRuns, scheduleFault } from '../schedule/schedule.ts';
import { settingsStore } from './settings.store.ts';
import type { SweepSettings } from './sweep-settings.ts';

const shown = 5;

const toAnswer = ({ dueAfter: _, switchedAt: __, last_run_at: lastRunAt, ...settings }: SweepSettings) => ({
  ...settings,
  last_run_at: lastRunAt?.toISOString() ?? null,
});

const refused = (path: string, message: string) =>
  invalid('schedule_invalid', message, { errors: [{ path, message }] });

const checked = (changes: Partial<DirectorySyncSettings>): void => {
  if (Object.keys(changes).length === 0) throw invalid('invalid_request', 'There is nothing to change');
  const fault = changes.schedule === undefined ? null : scheduleFault(changes.schedule);
  if (fault) throw refused('schedule', fault);
};

/** The fields that are set in the body. */
const given = (body: Record<string, unknown>): Partial<DirectorySyncSettings> =>
  Object.fromEntries(Object.entries(body).filter(([, v]) => v !== undefined));

export const settingsRoutes = ({ db, passes }: { db: Db; passes: Passes }): Route[] => [
  handle(directorySyncRoutes.directorySync, async () => toAnswer(await settingsStore.read(db))),

  handle(directorySyncRoutes.updateDirectorySync, async (r) => {
    const changes = given(r.body);
    checked(changes);
    return db.$transaction(async (tx) => {
      await settingsStore.write(tx, changes, r.caller.userId);
      return toAnswer(await settingsStore.read(tx));
    });
  }),

  handle(directorySyncRoutes.directorySyncStatus, async () => {
    const settings = await settingsStore.read(db);
    const now = new Date();
    const mine = passes.running();
    return {
      ...toAnswer(settings),
      next_due: settings.enabled && isDue(settings.schedule, settings.dueAfter ?? now, now),
      next_runs: nextRuns(settings.schedule, now, shown).map((t) => t.toISOString()),
      running: mine
        ? {
            pass_uuid: mine.passId,
            phase: mine.phase,
            done: mine.done,
            total: mine.total,
            dry_run: mine.dryRun,
            started_at: mine.startedAt.toISOString(),
          }
        : await runningElsewhere(db),
    };
  }),
];

/** The pass of another replica; its progress is unknown here. */
const runningElsewhere = async (db: Db) => {
  if (!(await leaseHeld(db))) return null;
  const pass = await db.directoryPass.findFirst({ where: { finishedAt: null }, orderBy: { startedAt: 'desc' } });
  return pass
    ? {
        pass_uuid: pass.id,
        phase: 'snapshot' as const,
        done: 0,
        total: null,
        dry_run: pass.dryRun,
        started_at: pass.startedAt.toISOString(),
      }
    : null;
};
