import { dispatcherRoutes } from '@overtone/contracts';
import { handle, type Route } from '@overtone/service-kit';
import { operatorOf } from '../operator.ts';
import type { DeadLetters } from './dead-letters.service.ts';

export function deadLetterRoutes({ deadLetters }: { deadLetters: DeadLetters }): Route[] {
  return [
    handle(dispatcherRoutes.deadTasks, async ({ query, caller }) => {
      const { page, page_size, ...kind } = query;
      return deadLetters.list(kind, page, page_size, caller);
    }),
    handle(dispatcherRoutes.retryDead, async (request) => deadLetters.retryKind(request.body, operatorOf(request))),
    handle(dispatcherRoutes.discardDead, async (request) => deadLetters.discardKind(request.body, operatorOf(request))),
    handle(dispatcherRoutes.retryTask, async (request) => deadLetters.retry(request.params.uuid, operatorOf(request))),
    handle(dispatcherRoutes.discardTask, async (request) =>
      deadLetters.discard(request.params.uuid, operatorOf(request)),
    ),
  ];
}
