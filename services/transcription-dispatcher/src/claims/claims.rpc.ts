import { dispatcherRpc } from '@overtone/contracts';
import { answer, type RpcHandler } from '@overtone/service-kit';
import type { Claims } from './claims.service.ts';

/** Serves the claim RPCs of the workers and search-indexer. */
export function claimsRpc({ claims }: { claims: Claims }): RpcHandler[] {
  return [
    answer(dispatcherRpc.claim, claims.claim),
    answer(dispatcherRpc.complete, claims.complete),
    answer(dispatcherRpc.fail, claims.fail),
    answer(dispatcherRpc.release, claims.release),
  ];
}
