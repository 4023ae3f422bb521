import { mediaRpc } from '@overtone/contracts';
import { answer, type RpcHandler } from '@overtone/service-kit';
import type { Db } from '../database.ts';
import { accessOf } from './sharing.ts';
import { sharingStore as store } from './sharing.store.ts';

/** What followers of who may see begin with. */
export const sharingRpc = ({ db }: { db: Db }): RpcHandler[] => [
  answer(mediaRpc.listShared, async ({ after, limit }) => ({
    files: (await store.shared(db, after, limit)).map(accessOf),
  })),
];
