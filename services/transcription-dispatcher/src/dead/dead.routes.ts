import { dispatcherRoutes } from '@overtone/contracts';
import { handle, type Route } from '@overtone/service-kit';
import { operatorOf } from '../operator.ts';
import type { Dead } from './dead.service.ts';

export const deadRoutes = ({ dead }: { dead: Dead }): Route[] => [
  handle(dispatcherRoutes.deadTasks, async ({ query, caller }) => {
    const { page, page_size, ...kind } = query;
    return dead.list(kind, page, page_size, caller);
  }),
  handle(dispatcherRoutes.retryDead, async (r) => dead.retryKind(r.body, operatorOf(r))),
  handle(dispatcherRoutes.discardDead, async (r) => dead.discardKind(r.body, operatorOf(r))),
  handle(dispatcherRoutes.retryTask, async (r) => dead.retry(r.params.uuid, operatorOf(r))),
  handle(dispatcherRoutes.discardTask, async (r) => dead.discard(r.params.uuid, operatorOf(r))),
];
