import { dispatcherRpc } from '@overtone/contracts';
import { answer, type RpcHandler } from '@overtone/service-kit';
import { txOptions, type Db } from '../database.ts';
import type { Orders } from '../orders/orders.ts';
import type { Claims } from './claims.service.ts';

/** What workers and search-indexer ask of us. */
export const claimsRpc = ({ claims, db, orders }: { claims: Claims; db: Db; orders: Orders }): RpcHandler[] => [
  answer(dispatcherRpc.claim, claims.claim),
  answer(dispatcherRpc.complete, claims.complete),
  answer(dispatcherRpc.fail, claims.fail),
  answer(dispatcherRpc.release, claims.release),
  answer(dispatcherRpc.orderIndex, async ({ files }) => {
    const ordered = await db.$transaction(async (tx) => {
      let count = 0;
      for (const file of files) if (await orders.placeIndex(tx, file)) count += 1;
      return count;
    }, txOptions);
    return { ordered };
  }),
];
