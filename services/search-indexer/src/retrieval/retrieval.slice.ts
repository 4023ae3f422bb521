import { retrievalRpc } from '@overtone/contracts';
import { rpc, type Slice } from '@overtone/service-kit';
import type { Db } from '../database.ts';
import type { SearchStore } from '../search/search.store.ts';
import { createMentions, type MentionsDeps } from './mentions.service.ts';
import { createRetrieval, type RetrievalDeps } from './retrieval.service.ts';
import { createRetrievalStore } from './retrieval.store.ts';

type Deps = Pick<RetrievalDeps, 'access' | 'find' | 'readMeaning'> & {
  db: Db;
  index: MentionsDeps['index'];
  store: Pick<SearchStore, 'facts' | 'languages'>;
};

/** Serves the passages that answer a question, and exact counts of phrases, to other services. */
export function createRetrievalSlice({ db, store, ...deps }: Deps): Slice {
  const stores = { ...store, ...createRetrievalStore({ db }) };
  const retrieve = createRetrieval({ ...deps, store: stores });
  const countMentions = createMentions({ ...deps, store: stores });
  return { rpcs: [rpc(retrievalRpc.retrieve, retrieve), rpc(retrievalRpc.countMentions, countMentions)] };
}
