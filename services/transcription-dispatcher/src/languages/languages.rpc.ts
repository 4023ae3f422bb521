import { dispatcherRpc } from '@overtone/contracts';
import { answer, type RpcHandler } from '@overtone/service-kit';
import type { WorkerState } from '../leases/leases.ts';
import { languagesOf } from './languages.ts';

/** For media, which refuses a language that no engine can transcribe. */
export const languagesRpc = ({ workers }: { workers: () => WorkerState[] | null }): RpcHandler[] => [
  answer(dispatcherRpc.languages, async () => ({ languages: languagesOf(workers()) })),
];
