import { dispatcherRpc } from '@overtone/contracts';
import { answer, type RpcHandler } from '@overtone/service-kit';
import type { Queues } from './queues.service.ts';

/** What workers of jobs that we do not hand out ask of us. */
export const queuesRpc = ({ queues }: { queues: Queues }): RpcHandler[] => [
  answer(dispatcherRpc.paused, async ({ queue }) => ({ paused: await queues.isPaused(queue) })),
];
