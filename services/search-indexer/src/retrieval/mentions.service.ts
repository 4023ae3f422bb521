import type { ReplyOf, RequestOf, retrievalRpc } from '@overtone/contracts';
import { searcherOf, type AccessScope, type ScopeReader } from '../access/access.ts';
import { maxIndexHits, requireBuild, searchKeywords } from '../ports/keyword-search.ts';
import { fileIdOf, isCard, type SearchIndex, type Shown } from '../ports/search-index.ts';
import type { SearchStore } from '../search/search.store.ts';
import { batchesOf, findMentions, phraseOf, type Phrase } from './mentions.ts';
import type { RetrievalStore } from './retrieval.store.ts';

export type MentionsDeps = {
  index: Pick<SearchIndex, 'builds' | 'search' | 'passages'>;
  store: Pick<RetrievalStore, 'readable'> & Pick<SearchStore, 'languages'>;
  access: ScopeReader;
};
type Request = RequestOf<typeof retrievalRpc.countMentions>;
type Reply = ReplyOf<typeof retrievalRpc.countMentions>;

const shownFiles = 200;
const passagesRead = 1_000;

/** How often a phrase occurs and where first, in every passage of every file that the reader may find. */
export function createMentions({ index, store, access }: MentionsDeps) {
  const matches = async (phrase: Phrase, scope: AccessScope, fileIds: readonly string[]): Promise<Shown[]> => {
    const keyword = { words: [], phrases: [phrase.alternatives] };
    const { hits } = await searchKeywords(index, keyword, { ...scope, fileIds, passages: maxIndexHits, files: 0 });
    const ids = hits.map(({ id }) => id).filter((id) => !isCard(id));
    const shown: Shown[] = [];
    for (let from = 0; from < ids.length; from += passagesRead)
      shown.push(...(await index.passages(ids.slice(from, from + passagesRead))));
    return shown;
  };

  return async ({ phrase: text, reader, fileIds }: Request): Promise<Reply> => {
    const [scope, languages] = await Promise.all([access.scopeOf(searcherOf(reader)), store.languages()]);
    const files = await store.readable(scope, fileIds);
    await requireBuild(index, async () => files.length > 0);
    const phrase = phraseOf(text, languages);
    if (!phrase) return { files: [], totalFiles: 0 };
    const counted: Reply['files'] = [];
    for (const batch of batchesOf(files, maxIndexHits)) {
      const found = Map.groupBy(
        await matches(
          phrase,
          scope,
          batch.map(({ fileId }) => fileId),
        ),
        ({ id }) => fileIdOf(id),
      );
      for (const { fileId, title, language } of batch) {
        const mentions = findMentions(phrase, found.get(fileId) ?? [], language);
        if (mentions.count > 0) counted.push({ fileId, title, ...mentions });
      }
    }
    counted.sort((x, y) => y.count - x.count || (x.fileId < y.fileId ? -1 : 1));
    return { files: counted.slice(0, shownFiles), totalFiles: counted.length };
  };
}
