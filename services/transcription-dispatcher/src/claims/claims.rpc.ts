import { dispatcherRpc } from '@overtone/contracts';
import { rpc, type RpcHandler } from '@overtone/service-kit';
import type { Claims } from './claims.service.ts';

/** Serves the claim RPCs of the workers and search-indexer. */
export function claimsRpc({ claims }: { claims: Claims }): RpcHandler[] {
  return [
    rpc(dispatcherRpc.claim, claims.claim),
    rpc(dispatcherRpc.complete, claims.complete),
    rpc(dispatcherRpc.fail, claims.fail),
    rpc(dispatcherRpc.release, claims.release),
  ];
}
