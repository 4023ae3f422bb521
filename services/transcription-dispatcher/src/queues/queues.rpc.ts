import { dispatcherRpc } from '@overtone/contracts';
import { answer, type RpcHandler } from '@overtone/service-kit';
import type { Queues } from './queues.service.ts';

/** For workers whose jobs the dispatcher does not hand out. */
export const queuesRpc = ({ queues }: { queues: Queues }): RpcHandler[] => [
  answer(dispatcherRpc.paused, async ({ queue }) => ({ paused: await queues.isPaused(queue) })),
];
