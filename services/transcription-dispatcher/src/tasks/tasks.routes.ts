import { dispatcherRoutes } from '@overtone/contracts';
import { handle, notFound, type Route } from '@overtone/service-kit';
import { operatorOf } from '../operator.ts';
import type { DeadLetters } from './dead-letters.service.ts';
import type { Recovery } from './recovery.service.ts';
import type { TasksReadModel } from './tasks.read-model.ts';

export type TasksRoutesDeps = {
  deadLetters: DeadLetters;
  tasks: TasksReadModel;
  recovery: Pick<Recovery, 'recoverStuck'>;
};

export function tasksRoutes({ deadLetters, tasks, recovery }: TasksRoutesDeps): Route[] {
  return [
    // The first matching path wins: /api/tasks/dead must precede /api/tasks/:uuid.
    ...deadLettersRoutes(deadLetters),
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
    handle(dispatcherRoutes.recoverStuck, async (request) => {
      const { found, reset } = await recovery.recoverStuck(operatorOf(request));
      return {
        success: true,
        count: reset,
        total: found,
        message:
          reset === 0 ? 'Nothing was stuck' : `${reset} stuck ${reset === 1 ? 'task was' : 'tasks were'} put back`,
      };
    }),
  ];
}

function deadLettersRoutes({ list, retry, retryKind, discard, discardKind }: DeadLetters): Route[] {
  return [
    handle(dispatcherRoutes.deadTasks, async ({ query, caller }) => {
      const { page, page_size, ...jobs } = query;
      return list(jobs, page, page_size, caller);
    }),
    handle(dispatcherRoutes.retryDead, async (request) => retryKind(request.body, operatorOf(request))),
    handle(dispatcherRoutes.discardDead, async (request) => discardKind(request.body, operatorOf(request))),
    handle(dispatcherRoutes.retryTask, async (request) => retry(request.params.uuid, operatorOf(request))),
    handle(dispatcherRoutes.discardTask, async (request) => discard(request.params.uuid, operatorOf(request))),
  ];
}
