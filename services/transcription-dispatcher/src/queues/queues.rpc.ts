import { dispatcherRpc } from '@overtone/contracts';
import { answer, type RpcHandler } from '@overtone/service-kit';
import type { Queues } from './queues.service.ts';

/** For workers whose jobs the dispatcher does not hand out. */
export function queuesRpc({ queues }: { queues: Queues }): RpcHandler[] {
  return [answer(dispatcherRpc.paused, async ({ queue }) => ({ paused: await queues.isPaused(queue) }))];
}
