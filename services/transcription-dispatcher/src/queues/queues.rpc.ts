import { dispatcherRpc } from '@overtone/contracts';
import { rpc, type RpcHandler } from '@overtone/service-kit';
import type { Queues } from './queues.service.ts';

/** For workers whose jobs the dispatcher does not hand out. */
export function queuesRpc({ queues }: { queues: Queues }): RpcHandler[] {
  return [rpc(dispatcherRpc.paused, async ({ queue }) => ({ paused: await queues.isPaused(queue) }))];
}
