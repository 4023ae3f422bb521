import { dispatcherRoutes } from '@overtone/contracts';
import { handle, notFound, type Route } from '@overtone/service-kit';
import { liveEntries, type WorkerState } from '../leases/leases.ts';
import { operatorOf } from '../operator.ts';
import type { Recovery } from '../recovery/recovery.ts';
import type { TasksReadModel } from './tasks.read-model.ts';

export type TasksRoutesDeps = {
  tasks: TasksReadModel;
  recovery: Recovery;
  fleet: () => ReadonlyMap<string, WorkerState>;
};

export function tasksRoutes({ tasks, recovery, fleet }: TasksRoutesDeps): Route[] {
  return [
    handle(dispatcherRoutes.listTasks, async ({ query, caller }) => {
      const { page, page_size, ...filter } = query;
      return tasks.list(filter, page, page_size, caller);
    }),
    handle(dispatcherRoutes.fileTimeline, async ({ params, caller }) => {
      const timeline = await tasks.timeline(params.uuid, caller);
      if (!timeline) throw notFound();
      return timeline;
    }),
    handle(dispatcherRoutes.task, async ({ params, caller }) => {
      const task = await tasks.task(params.uuid, caller);
      if (!task) throw notFound('There is no such task.');
      return task;
    }),
    handle(dispatcherRoutes.recoverStuck, async (r) => {
      const { found, reset } = await recovery.recoverStuck(operatorOf(r));
      return {
        success: true,
        count: reset,
        total: found,
        message:
          reset === 0 ? 'Nothing was stuck' : `${reset} stuck ${reset === 1 ? 'task was' : 'tasks were'} put back`,
      };
    }),
    handle(dispatcherRoutes.engines, async () => {
      const live = new Set(liveEntries(fleet().values(), Date.now()));
      const workers = [...fleet()]
        .filter(([, w]) => live.has(w))
        .map(([key, w]) => ({
          id: key.replace(/^worker\./, ''),
          service: w.service,
          pulls: w.pulls,
          engine: w.engine,
          note: w.engineNote,
          gpu: w.gpu ?? null,
        }));
      return { workers };
    }),
  ];
}
