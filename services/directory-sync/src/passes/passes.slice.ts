import { directorySyncRoutes, passReport, passSummary } from '@overtone/contracts';
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
import { createPasses, type Passes } from './passes.ts';
import { approvePass, explainDecisions, undoPass } from './review.ts';
import { sweepSignals } from './signals.read-model.ts';

type RouteDeps = { db: Db; bus: Bus; jobRequests: JobRequests };
type Deps = RouteDeps & { takeSnapshot: TakeSnapshot; metrics: Metrics; log: Log; workerId: string };

/** Passes of the directory sync: their execution, their reports, and what an administrator does with them. */
export function createPassesSlice(deps: Deps): Slice & { passes: Passes } {
  const { db, bus, jobRequests, takeSnapshot, metrics, log, workerId } = deps;
  const telemetry = createTelemetry(metrics, () => sweepSignals(db));
  return {
    passes: createPasses({ db, bus, takeSnapshot, telemetry, log, holder: workerId }),
    routes: passesRoutes({ db, bus, jobRequests }),
  };
}

function passesRoutes({ db, bus, jobRequests }: RouteDeps): Route[] {
  return [
    handle(directorySyncRoutes.runDirectorySync, async ({ body }) => {
      await requireNoRunningPass(db);
      return queued(await jobRequests.enqueueRun({ trigger: 'manual', dryRun: body?.dry_run ?? false }));
    }),

    handle(directorySyncRoutes.passes, async ({ query: { page, page_size: size } }) => {
      const where = { finishedAt: { not: null } };
      const [rows, total] = await Promise.all([
        db.directoryPass.findMany({ where, orderBy: { startedAt: 'desc' }, skip: (page - 1) * size, take: size }),
        db.directoryPass.count({ where }),
      ]);
      return { items: rows.map((row) => passSummary.parse(row.report)), total, page, page_size: size };
    }),

    handle(directorySyncRoutes.pass, async ({ params }) => {
      const row = await db.directoryPass.findUnique({ where: { id: params.uuid } });
      if (!row?.report) throw notFound('There is no report of such a pass');
      return passReport.parse(row.report);
    }),

    handle(directorySyncRoutes.approvePass, async ({ params, body, caller }) => {
      await requireNoRunningPass(db);
      const [approvedPass, approvedBy] = [params.uuid, caller.userId];
      await approvePass({ db }, { passId: approvedPass, setDigest: body.set_digest, by: approvedBy });
      return queued(await jobRequests.enqueueRun({ trigger: 'approval', dryRun: false, approvedPass, approvedBy }));
    }),

    handle(directorySyncRoutes.undoPass, ({ params, caller }) => undoPass({ db, bus }, params.uuid, caller.userId)),

    handle(directorySyncRoutes.explainUser, ({ params }) => explainDecisions({ db, bus }, params.uuid)),
  ];
}

async function requireNoRunningPass(db: Db): Promise<void> {
  if (await leaseHeld(db)) throw conflict('sweep_running', 'A pass is running. Wait until it has ended.');
}

function queued(taskId: string) {
  return { task_id: taskId, status: 'queued' as const, message: 'The pass is queued' };
}
