import { mediaRoutes, vocabularyRpc } from '@overtone/contracts';
import { handle, rpc, type Slice } from '@overtone/service-kit';
import type { Db } from '../database.ts';
import { createVocabulary } from './vocabulary.service.ts';

/** Names and terms that speech engines expect in the recordings of a person. */
export function createVocabularySlice({ db }: { db: Db }): Slice {
  const vocabulary = createVocabulary({ db });
  return {
    routes: [
      handle(mediaRoutes.listVocabulary, ({ caller }) => vocabulary.list(caller)),
      handle(mediaRoutes.addVocabulary, ({ caller, body }) => vocabulary.add(caller, body.term)),
      handle(mediaRoutes.removeVocabulary, ({ caller, params }) => vocabulary.remove(caller, params.uuid)),
      handle(mediaRoutes.suggestVocabulary, ({ caller, params }) => vocabulary.suggest(caller, params.uuid)),
    ],
    rpcs: [rpc(vocabularyRpc.readVocabulary, ({ userId }) => vocabulary.forEngines(userId))],
  };
}
