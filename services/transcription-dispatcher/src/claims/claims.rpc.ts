import { dispatcherRpc } from '@overtone/contracts';
import { answer, type RpcHandler } from '@overtone/service-kit';
import type { Claims } from './claims.service.ts';

/** What workers and search-indexer ask of us. */
export const claimsRpc = ({ claims }: { claims: Claims }): RpcHandler[] => [
  answer(dispatcherRpc.claim, claims.claim),
  answer(dispatcherRpc.complete, claims.complete),
  answer(dispatcherRpc.fail, claims.fail),
  answer(dispatcherRpc.release, claims.release),
];
