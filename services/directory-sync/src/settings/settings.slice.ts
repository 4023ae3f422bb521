import { directorySyncRoutes, type DirectorySyncSettings } from '@overtone/contracts';
import { recordOperation, type Outbox } from '@overtone/database';
import { isDue, nextRuns, scheduleFault } from '@overtone/jobs';
import { handle, invalid, type Slice } from '@overtone/service-kit';
import type { Db } from '../database.ts';
import { leaseHeld } from '../lease/lease.ts';
import type { SyncRuns } from '../runs/runs.ts';
import { settingsStore, type SyncSettings } from './settings.ts';

const shownRuns = 5;

/** The settings of the sync, and its current state. */
export function createSettingsSlice({ db, outbox, runs }: { db: Db; outbox: Outbox; runs: SyncRuns }): Slice {
  return {
    routes: [
      handle(directorySyncRoutes.directorySync, async () => toResponse(await settingsStore.read(db))),

      handle(directorySyncRoutes.updateDirectorySync, async (request) => {
        const changes = definedFields(request.body);
        validate(changes);
        return db.$transaction(async (tx) => {
          await settingsStore.write(tx, changes, request.caller.userId);
          await recordOperation({ tx, outbox, request }, 'directory_sync_settings_changed', detailsOf(changes));
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
          running: describeRun(runs.running()) ?? (await findRunOfOtherReplica(db)),
        };
      }),
    ],
  };
}

function toResponse({ dueAfter: _, switchedAt: __, last_run_at: lastRunAt, ...settings }: SyncSettings) {
  return {
    ...settings,
    last_run_at: lastRunAt?.toISOString() ?? null,
  };
}

/** The fields that are set in the body. */
function definedFields(body: Record<string, unknown>): Partial<DirectorySyncSettings> {
  return Object.fromEntries(Object.entries(body).filter(([, value]) => value !== undefined));
}

function detailsOf(changes: Partial<DirectorySyncSettings>): Record<string, string> {
  const values = Object.entries(changes).map(([name, value]) => [name, value === null ? 'no limit' : String(value)]);
  return { changed: Object.keys(changes).toSorted().join(', '), ...Object.fromEntries(values) };
}

function validate(changes: Partial<DirectorySyncSettings>): void {
  if (Object.keys(changes).length === 0) throw invalid('invalid_request', 'There is nothing to change');
  const fault = changes.schedule === undefined ? null : scheduleFault(changes.schedule);
  if (fault) throw invalidSetting('schedule', fault);
}

function invalidSetting(path: string, message: string) {
  return invalid('schedule_invalid', message, { errors: [{ path, message }] });
}

function describeRun(run: ReturnType<SyncRuns['running']>) {
  return (
    run && {
      pass_uuid: run.passId,
      // The API has its own name for the recheck.
      phase: run.phase === 'recheck' ? ('witness' as const) : run.phase,
      done: run.done,
      total: run.total,
      dry_run: run.dryRun,
      started_at: run.startedAt.toISOString(),
    }
  );
}

/** A sync run of another replica; its progress is unknown here. */
async function findRunOfOtherReplica(db: Db) {
  if (!(await leaseHeld(db))) return null;
  const run = await db.directoryPass.findFirst({ where: { finishedAt: null }, orderBy: { startedAt: 'desc' } });
  if (!run) return null;
  const { id: passId, dryRun, startedAt } = run;
  return describeRun({ passId, phase: 'snapshot', done: 0, total: null, dryRun, startedAt });
}
