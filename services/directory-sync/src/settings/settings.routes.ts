import { directorySyncRoutes, type DirectorySyncSettings } from '@overtone/contracts';
import { handle, invalid, type Route } from '@overtone/service-kit';
import type { Db } from '../database.ts';
import { leaseHeld } from '../lease/lease.ts';
import type { Passes } from '../passes/passes.ts';
import { isDue, nextRuns, scheduleFault } from '../schedule/schedule.ts';
import { settingsStore } from './settings.store.ts';
import type { SweepSettings } from './sweep-settings.ts';

const shownRuns = 5;

export function settingsRoutes({ db, passes }: { db: Db; passes: Passes }): Route[] {
  return [
    handle(directorySyncRoutes.directorySync, async () => toResponse(await settingsStore.read(db))),

    handle(directorySyncRoutes.updateDirectorySync, async (request) => {
      const changes = definedFields(request.body);
      validate(changes);
      return db.$transaction(async (tx) => {
        await settingsStore.write(tx, changes, request.caller.userId);
        return toResponse(await settingsStore.read(tx));
      });
    }),

    handle(directorySyncRoutes.directorySyncStatus, async () => {
      const settings = await settingsStore.read(db);
      const now = new Date();
      const localPass = passes.running();
      return {
        ...toResponse(settings),
        next_due: settings.enabled && isDue(settings.schedule, settings.dueAfter ?? now, now),
        next_runs: nextRuns(settings.schedule, now, shownRuns).map((time) => time.toISOString()),
        running: localPass
          ? {
              pass_uuid: localPass.passId,
              phase: localPass.phase,
              done: localPass.done,
              total: localPass.total,
              dry_run: localPass.dryRun,
              started_at: localPass.startedAt.toISOString(),
            }
          : await findPassOfOtherReplica(db),
      };
    }),
  ];
}

function toResponse({ dueAfter: _, switchedAt: __, last_run_at: lastRunAt, ...settings }: SweepSettings) {
  return {
    ...settings,
    last_run_at: lastRunAt?.toISOString() ?? null,
  };
}

/** The fields that are set in the body. */
function definedFields(body: Record<string, unknown>): Partial<DirectorySyncSettings> {
  return Object.fromEntries(Object.entries(body).filter(([, value]) => value !== undefined));
}

function validate(changes: Partial<DirectorySyncSettings>): void {
  if (Object.keys(changes).length === 0) throw invalid('invalid_request', 'There is nothing to change');
  const fault = changes.schedule === undefined ? null : scheduleFault(changes.schedule);
  if (fault) throw invalidSetting('schedule', fault);
}

function invalidSetting(path: string, message: string) {
  return invalid('schedule_invalid', message, { errors: [{ path, message }] });
}

/** A pass that another replica runs; its progress is unknown here. */
async function findPassOfOtherReplica(db: Db) {
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
}
