import { dispatcherRpc } from '@overtone/contracts';
import { answer, type RpcHandler } from '@overtone/service-kit';
import type { WorkerState } from '../leases/leases.ts';
import { languagesOf } from './languages.ts';

/** Media uses this list to refuse languages that no engine supports. */
export const languagesRpc = ({ workers }: { workers: () => WorkerState[] | null }): RpcHandler[] => [
  answer(dispatcherRpc.languages, async () => ({ languages: languagesOf(workers()) })),
];
