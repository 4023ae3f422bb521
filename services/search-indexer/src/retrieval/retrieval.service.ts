import type { ReplyOf, RequestOf, retrievalRpc } from '@overtone/contracts';
import { keepVisible, searcherOf, type AccessScope, type ScopeReader } from '../access/access.ts';
import { searchKeywords } from '../ports/keyword-search.ts';
import type { SearchIndex } from '../ports/search-index.ts';
import {
  textOfMeaning,
  type FileHit,
  type FindFiles,
  type Meaning,
  type ReadMeaning,
  type SearchPlan,
} from '../search/search.ts';
import type { SearchStore } from '../search/search.store.ts';
import { variantsOf } from '../tokenize/tokenize.ts';
import {
  bestPassages,
  evidenceOf,
  passageOf,
  planQuestion,
  topicWords,
  type Frequencies,
  type RetrievedFile,
  type RetrievedPassage,
} from './retrieval.ts';
import type { RetrievalStore } from './retrieval.store.ts';

export type RetrievalDeps = {
  index: Pick<SearchIndex, 'search' | 'passages'>;
  store: Pick<SearchStore, 'facts' | 'languages'> & Pick<RetrievalStore, 'countReadable'>;
  access: ScopeReader;
  find: FindFiles;
  readMeaning: ReadMeaning;
};
type Request = RequestOf<typeof retrievalRpc.retrieve>;
type Reply = ReplyOf<typeof retrievalRpc.retrieve>;

/** Words that are in more files count as being in this many. */
const maxFrequency = 1_000;

/** Finds the files that answer a question, then the best passages of these files. */
export function createRetrieval({ index, store, access, find, readMeaning }: RetrievalDeps) {
  /** Searches again in these files only: the first search may not have reached their best passages. */
  const readPassages = async (
    plan: SearchPlan,
    meaning: Promise<Meaning>,
    files: readonly FileHit[],
    perFile: number,
  ) => {
    const fileIds = files.map(({ fileId }) => fileId);
    if (fileIds.length === 0) return new Map<string, RetrievedPassage[]>();
    const found = await find({ ...plan, filter: { ...plan.filter, fileIds } }, meaning);
    const best = found.files.map((file) => ({ fileId: file.fileId, hits: bestPassages(file, perFile) }));
    const stored = new Map(
      (await index.passages(best.flatMap(({ hits }) => hits.map(({ id }) => id)))).map((shown) => [shown.id, shown]),
    );
    return new Map(
      best.map(({ fileId, hits }) => [
        fileId,
        hits.flatMap((hit) => {
          const shown = stored.get(hit.id);
          return shown ? [passageOf(shown, hit)] : [];
        }),
      ]),
    );
  };

  /** In how many files of the scope each word occurs. */
  const frequenciesOf = async (words: readonly string[], scope: AccessScope): Promise<Frequencies> => {
    const languages = await store.languages();
    const countFiles = async (word: string): Promise<[string, number]> => {
      const keyword = { words: variantsOf(word, languages), phrases: [] };
      const { files } = await searchKeywords(index, keyword, { ...scope, passages: 1, files: maxFrequency });
      return [word, files.length];
    };
    const [files, counts] = await Promise.all([store.countReadable(scope), Promise.all(words.map(countFiles))]);
    return { files, of: new Map(counts) };
  };

  return async ({ question, reader, fileIds, maxFiles, passagesPerFile }: Request): Promise<Reply> => {
    const [scope, languages] = await Promise.all([access.scopeOf(searcherOf(reader)), store.languages()]);
    const plan = planQuestion(question, { scope, languages, fileIds });
    const meaning = readMeaning(textOfMeaning({ search_mode: 'hybrid' }, plan.parsed));
    const { files, legs } = await find(plan, meaning);
    const facts = keepVisible(await store.facts(files.map(({ fileId }) => fileId)), scope);
    const chosen = files.filter(({ fileId }) => facts.has(fileId)).slice(0, maxFiles);
    const words = topicWords(plan);
    const [passages, frequencies] = await Promise.all([
      readPassages(plan, meaning, chosen, passagesPerFile),
      frequenciesOf(words, scope),
    ]);
    const read = chosen.flatMap(({ fileId, score }): (RetrievedFile & { fileId: string; score: number })[] => {
      const own = facts.get(fileId);
      return own ? [{ ...own, score, passages: passages.get(fileId) ?? [] }] : [];
    });
    return {
      legs,
      evidence: evidenceOf(words, frequencies, read),
      files: read.map(({ fileId, title, score, passages: found }) => ({ fileId, title, score, passages: found })),
    };
  };
}
