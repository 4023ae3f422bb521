import { dispatcherRpc } from '@overtone/contracts';
import { rpc, type RpcHandler } from '@overtone/service-kit';
import type { WorkerState } from '../leases/leases.ts';
import { languagesOf } from './languages.ts';

/** Media uses this list to refuse languages that no engine supports. */
export function languagesRpc({ workers }: { workers: () => WorkerState[] | null }): RpcHandler[] {
  return [rpc(dispatcherRpc.languages, async () => ({ languages: languagesOf(workers()) }))];
}
