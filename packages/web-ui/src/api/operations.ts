import type { AnswerOf, BodyOf, dispatcherRoutes, gpuRoutes } from '@overtone/contracts';
import { callRoute, type Input } from './client.ts';
import type { RouteLine } from './routes.ts';

type Routes = typeof dispatcherRoutes & typeof gpuRoutes;

/** Routes of queues, workers and tasks, in a file of their own: the first page load does not include them. */
export const operationsLines = {
  listTasks: ['GET', '/api/tasks'],
  task: ['GET', '/api/tasks/{uuid}'],
  recoverStuck: ['POST', '/api/tasks/recover-stuck-tasks'],
  deadTasks: ['GET', '/api/tasks/dead'],
  retryTask: ['POST', '/api/tasks/{uuid}/retry'],
  discardTask: ['DELETE', '/api/tasks/{uuid}'],
  retryDead: ['POST', '/api/tasks/dead/retry'],
  discardDead: ['POST', '/api/tasks/dead/discard'],
  queues: ['GET', '/api/admin/queues'],
  pauseQueue: ['POST', '/api/admin/queues/{queue}/pause'],
  resumeQueue: ['POST', '/api/admin/queues/{queue}/resume'],
  engines: ['GET', '/api/admin/engines'],
  gpuProfiles: ['GET', '/api/admin/gpu-profiles'],
} as const satisfies Partial<Record<keyof Routes, RouteLine>>;

type OperationsRoute = keyof typeof operationsLines;
export type OperationsResponse<N extends OperationsRoute> = AnswerOf<Routes[N]>;
type OperationsRequest<N extends OperationsRoute> = BodyOf<Routes[N]>;

/** Calls one route of the list above. */
export function callOperations<N extends OperationsRoute>(
  name: N,
  input: Input<OperationsRequest<N>> = {},
): Promise<OperationsResponse<N>> {
  return callRoute<OperationsResponse<N>>(operationsLines[name], input);
}
