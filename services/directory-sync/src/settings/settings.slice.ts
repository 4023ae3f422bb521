import { directorySyncRoutes, type DirectorySyncSettings } from '@overtone/contracts';
import { handle, invalid, type Slice } from '@overtone/service-kit';
import type { Db } from '../database.ts';
import { leaseHeld } from '../lease/lease.ts';
import type { Passes } from '../passes/passes.ts';
import { isDue, nextRuns, scheduleFault } from '../schedule/schedule.ts';
import { settingsStore, type SweepSettings } from './settings.ts';

const shownRuns = 5;

/** The settings of the sync, and its current state. */
export function createSettingsSlice({ db, passes }: { db: Db; passes: Passes }): Slice {
  return {
    routes: [
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
        return {
          ...toResponse(settings),
          next_due: settings.enabled && isDue(settings.schedule, settings.dueAfter ?? now, now),
          next_runs: nextRuns(settings.schedule, now, shownRuns).map((time) => time.toISOString()),
          running: describePass(passes.running()) ?? (await findPassOfOtherReplica(db)),
        };
      }),
    ],
  };
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

function describePass(pass: ReturnType<Passes['running']>) {
  return (
    pass && {
      pass_uuid: pass.passId,
      // The API has its own name for the recheck.
      phase: pass.phase === 'recheck' ? ('witness' as const) : pass.phase,
      done: pass.done,
      total: pass.total,
      dry_run: pass.dryRun,
      started_at: pass.startedAt.toISOString(),
    }
  );
}

/** A pass that another replica runs; its progress is unknown here. */
async function findPassOfOtherReplica(db: Db) {
  if (!(await leaseHeld(db))) return null;
  const pass = await db.directoryPass.findFirst({ where: { finishedAt: null }, orderBy: { startedAt: 'desc' } });
  if (!pass) return null;
  const { id: passId, dryRun, startedAt } = pass;
  return describePass({ passId, phase: 'snapshot', done: 0, total: null, dryRun, startedAt });
}
