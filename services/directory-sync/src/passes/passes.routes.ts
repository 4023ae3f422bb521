import { directorySyncRoutes, passReport, passSummary } from '@overtone/contracts';
import { conflict, handle, notFound, type Route } from '@overtone/service-kit';
import type { Db } from '../database.ts';
import { leaseHeld } from '../lease/lease.ts';
import type { JobRequests } from '../schedule/schedule.ts';
import type { Review } from './review.service.ts';

type Deps = { db: Db; jobRequests: JobRequests; review: Review };

export function passesRoutes({ db, jobRequests, review }: Deps): Route[] {
  return [
    handle(directorySyncRoutes.runDirectorySync, async (r) => {
      if (await leaseHeld(db)) throw running();
      return queued(await jobRequests.enqueueRun({ trigger: 'manual', dryRun: r.body?.dry_run ?? false }));
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

    handle(directorySyncRoutes.approvePass, async (r) => {
      if (await leaseHeld(db)) throw running();
      await review.approve(r.params.uuid, r.body.set_digest, r.caller.userId);
      return queued(
        await jobRequests.enqueueRun({
          trigger: 'approval',
          dryRun: false,
          approvedPass: r.params.uuid,
          approvedBy: r.caller.userId,
        }),
      );
    }),

    handle(directorySyncRoutes.undoPass, (r) => review.undo(r.params.uuid, r.caller.userId)),

    handle(directorySyncRoutes.explainUser, ({ params }) => review.explain(params.uuid)),
  ];
}

function running() {
  return conflict('sweep_running', 'A pass is running. Wait until it has ended.');
}

function queued(taskId: string) {
  return { task_id: taskId, status: 'queued' as const, message: 'The pass is queued' };
}
