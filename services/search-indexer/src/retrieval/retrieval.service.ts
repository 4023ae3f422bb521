import { roleAtLeast, type ReplyOf, type RequestOf, type retrievalRpc } from '@overtone/contracts';
import type { AccessScopes } from '../access/access.ts';
import type { SearchIndex, Shown } from '../ports/search-index.ts';
import { keepVisible, type FileHit, type FindFiles, type SearchPlan } from '../search/search.ts';
import type { FileFacts, SearchStore } from '../search/search.store.ts';
import { bestPassages, evidenceOf, passageOf, planQuestion } from './retrieval.ts';

export type RetrievalDeps = {
  index: Pick<SearchIndex, 'passages'>;
  store: Pick<SearchStore, 'facts' | 'languages'>;
  access: AccessScopes;
  find: FindFiles;
};
type Request = RequestOf<typeof retrievalRpc.retrieve>;
type Reply = ReplyOf<typeof retrievalRpc.retrieve>;
type Chosen = { file: FileHit; facts: FileFacts; passages: Reply['files'][number]['passages'] };

/** Finds the files that answer a question, then the best passages of these files. */
export function createRetrieval({ index, store, access, find }: RetrievalDeps) {
  return async ({ question, reader, fileIds, maxFiles, passagesPerFile }: Request): Promise<Reply> => {
    const searcher = { userId: reader.userId, canSeeAll: roleAtLeast(reader.role, 'admin') };
    const [scope, languages] = await Promise.all([access.scopeOf(searcher), store.languages()]);
    const plan = planQuestion(question, { scope, languages, fileIds });
    const { files, legs } = await find(plan);
    const facts = keepVisible(await store.facts(files.map(({ fileId }) => fileId)), scope);
    const chosen = files.filter(({ fileId }) => facts.has(fileId)).slice(0, maxFiles);
    const passages = await readPassages(plan, chosen, passagesPerFile);
    const read = chosen.flatMap((file): Chosen[] => {
      const own = facts.get(file.fileId);
      return own ? [{ file, facts: own, passages: passages.get(file.fileId) ?? [] }] : [];
    });
    return {
      legs,
      evidence: evidenceOf(
        plan,
        read.map(({ facts: { language }, passages: texts }) => ({ language, texts })),
      ),
      files: read.map(({ file, facts: { title }, passages: found }) => ({
        fileId: file.fileId,
        title,
        score: file.score,
        passages: found,
      })),
    };
  };

  /** Searches again in these files only: the first search may not have reached their best passages. */
  async function readPassages(plan: SearchPlan, files: readonly FileHit[], perFile: number) {
    const fileIds = files.map(({ fileId }) => fileId);
    const passages = new Map<string, Reply['files'][number]['passages']>();
    if (fileIds.length === 0) return passages;
    const { files: found } = await find({ ...plan, filter: { ...plan.filter, fileIds } });
    const best = new Map(found.map((file) => [file.fileId, bestPassages(file, perFile)]));
    const stored = new Map<string, Shown>(
      (await index.passages([...best.values()].flat().map(({ id }) => id))).map((shown) => [shown.id, shown]),
    );
    for (const [fileId, hits] of best)
      passages.set(
        fileId,
        hits.flatMap((hit) => {
          const shown = stored.get(hit.id);
          return shown ? [passageOf(shown, hit)] : [];
        }),
      );
    return passages;
  }
}
