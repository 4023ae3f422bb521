import { mediaRpc } from '@overtone/contracts';
import { rpc, type RpcHandler } from '@overtone/service-kit';
import type { Db } from '../database.ts';
import { accessOf } from './sharing.ts';
import { sharingStore as store } from './sharing.store.ts';

/** The initial access lists for services that follow `access-changed`. */
export function sharingRpc({ db }: { db: Db }): RpcHandler[] {
  return [
    rpc(mediaRpc.listShared, async ({ after, limit }) => ({
      files: (await store.listShared(db, after, limit)).map(accessOf),
    })),
  ];
}
