import { retrievalRpc } from '@overtone/contracts';
import { rpc, type Slice } from '@overtone/service-kit';
import type { Db } from '../database.ts';
import { createMentions, type MentionsDeps } from './mentions.service.ts';
import { createRetrieval, type RetrievalDeps } from './retrieval.service.ts';
import { createRetrievalStore } from './retrieval.store.ts';

type Deps = Omit<RetrievalDeps, 'index'> & { db: Db; index: MentionsDeps['index'] };

/** Serves the passages that answer a question, and exact counts of phrases, to other services. */
export function createRetrievalSlice({ db, store, ...deps }: Deps): Slice {
  const retrieve = createRetrieval({ ...deps, store });
  const countMentions = createMentions({ ...deps, store: { ...store, ...createRetrievalStore({ db }) } });
  return { rpcs: [rpc(retrievalRpc.retrieve, retrieve), rpc(retrievalRpc.countMentions, countMentions)] };
}
