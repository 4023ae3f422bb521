import { dispatcherRoutes } from '@overtone/contracts';
import { handle, type Route } from '@overtone/service-kit';
import { operatorOf } from '../operator.ts';
import type { Queues } from './queues.service.ts';

export function queuesRoutes({ queues }: { queues: Queues }): Route[] {
  return [
    handle(dispatcherRoutes.queues, async ({ caller }) => queues.overview(caller)),
    handle(dispatcherRoutes.pauseQueue, async (r) => queues.pause(r.params.queue, r.body.reason, operatorOf(r))),
    handle(dispatcherRoutes.resumeQueue, async (r) => queues.resume(r.params.queue, operatorOf(r))),
  ];
}
