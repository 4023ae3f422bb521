import { dispatcherRpc } from '@overtone/contracts';
import { answer, type RpcHandler } from '@overtone/service-kit';
import type { WorkerState } from '../leases/leases.ts';
import { languagesOf } from './languages.ts';

/** Media uses this list to refuse languages that no engine supports. */
export function languagesRpc({ workers }: { workers: () => WorkerState[] | null }): RpcHandler[] {
  return [answer(dispatcherRpc.languages, async () => ({ languages: languagesOf(workers()) }))];
}
