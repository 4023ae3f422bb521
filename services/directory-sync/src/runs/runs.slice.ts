import { directorySyncRoutes, syncRunReport, syncRunSummary } from '@overtone/contracts';
import { recordOperation, type Outbox } from '@overtone/database';
import {
  conflict,
  handle,
  notFound,
  type Bus,
  type Log,
  type Metrics,
  type Route,
  type Slice,
} from '@overtone/service-kit';
import type { Db } from '../database.ts';
import { leaseHeld } from '../lease/lease.ts';
import type { JobRequests } from '../schedule/schedule.ts';
import type { TakeSnapshot } from '../snapshot/snapshot.ts';
import { createTelemetry } from '../telemetry.ts';
import { createSyncRuns, type SyncRuns } from './runs.ts';
import { approveRun, explainDecisions, undoRun } from './review.ts';
import { syncSignals } from './signals.read-model.ts';

type RouteDeps = { db: Db; bus: Bus; outbox: Outbox; jobRequests: JobRequests };
type Deps = RouteDeps & { takeSnapshot: TakeSnapshot; metrics: Metrics; log: Log; workerId: string };

/** Sync runs of the directory sync: their execution, their reports, and what an administrator does with them. */
export function createRunsSlice(deps: Deps): Slice & { runs: SyncRuns } {
  const { db, bus, outbox, jobRequests, takeSnapshot, metrics, log, workerId } = deps;
  const telemetry = createTelemetry(metrics, () => syncSignals(db));
  return {
    runs: createSyncRuns({ db, outbox, bus, takeSnapshot, telemetry, log, holder: workerId }),
    routes: runsRoutes({ db, bus, outbox, jobRequests }),
  };
}

function runsRoutes({ db, bus, outbox, jobRequests }: RouteDeps): Route[] {
  return [
    handle(directorySyncRoutes.runDirectorySync, async (request) => {
      await requireNoRunInProgress(db);
      const dryRun = request.body?.dry_run ?? false;
      const run = await jobRequests.enqueueRun({ trigger: 'manual', dryRun });
      await db.$transaction((tx) =>
        recordOperation({ tx, outbox, request }, 'directory_sync_started', { run, mode: dryRun ? 'dry_run' : 'run' }),
      );
      return queued(run);
    }),

    handle(directorySyncRoutes.runs, async ({ query: { page, page_size: size } }) => {
      const where = { finishedAt: { not: null } };
      const [rows, total] = await Promise.all([
        db.directoryPass.findMany({ where, orderBy: { startedAt: 'desc' }, skip: (page - 1) * size, take: size }),
        db.directoryPass.count({ where }),
      ]);
      return { items: rows.map((row) => syncRunSummary.parse(row.report)), total, page, page_size: size };
    }),

    handle(directorySyncRoutes.run, async ({ params }) => {
      const row = await db.directoryPass.findUnique({ where: { id: params.uuid } });
      if (!row?.report) throw notFound('There is no report of such a sync run');
      return syncRunReport.parse(row.report);
    }),

    handle(directorySyncRoutes.approveRun, async (request) => {
      await requireNoRunInProgress(db);
      const { params, body, caller } = request;
      const [approvedPass, approvedBy] = [params.uuid, caller.userId];
      await approveRun({ db, outbox }, { passId: approvedPass, setDigest: body.set_digest, request });
      return queued(await jobRequests.enqueueRun({ trigger: 'approval', dryRun: false, approvedPass, approvedBy }));
    }),

    handle(directorySyncRoutes.undoRun, (request) => undoRun({ db, bus, outbox }, request.params.uuid, request)),

    handle(directorySyncRoutes.explainUser, ({ params }) => explainDecisions({ db, bus }, params.uuid)),
  ];
}

async function requireNoRunInProgress(db: Db): Promise<void> {
  if (await leaseHeld(db)) throw conflict('sweep_running', 'A sync run is in progress. Wait until it has ended.');
}

function queued(taskId: string) {
  return { task_id: taskId, status: 'queued' as const, message: 'The sync run is queued' };
}
