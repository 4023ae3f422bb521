import { cachedFor } from '@overtone/service-kit';
import type { AccessScope } from '../access/access.ts';
import { readableFiles } from '../access/access.store.ts';
import type { Db, Tx } from '../database.ts';
import { wordListOf, type WordList } from './vocabulary.ts';

/** New words of the library are used for corrections after this time. */
const vocabularyCacheMs = 20_000;
/** While many files are indexed, the words are read at most this often. */
const minCacheMs = 2_000;
const maxVocabulary = 500_000;

type CountedWord = { word: string; files: number };
export type Vocabulary = ReturnType<typeof createVocabulary>;

/** The words of the files. Only words of files that the searcher may read are ever returned. */
export function createVocabulary({ db, now = Date.now }: { db: Db; now?: () => number }) {
  const readAll = async (): Promise<WordList> => {
    // Reads one index entry per distinct word instead of one per file and word.
    const rows = await db.$queryRaw<{ word: string }[]>`
      with recursive w as (
        (select word from search_word order by word limit 1)
        union all
        select (select s.word from search_word s where s.word > w.word order by s.word limit 1) from w
        where w.word is not null
      ) select word from w where word is not null limit ${maxVocabulary}`;
    return wordListOf(rows.map(({ word }) => word));
  };
  const library = cachedFor(vocabularyCacheMs, readAll, now);
  let [changes, read] = [0, { changes: 0, at: -Infinity }];
  return {
    /** To be called after the words of a file were stored. */
    changed: (): void => void (changes += 1),
    /** Increases with every change. */
    changes: (): number => changes,
    /** Replaces the words of a file. */
    save: async (tx: Tx, fileId: string, words: readonly string[]): Promise<void> => {
      const all = [...words].sort();
      await tx.$executeRaw`delete from search_word where file_id = ${fileId}::uuid and not word = any(${all}::text[])`;
      await tx.$executeRaw`
        insert into search_word (word, file_id) select w, ${fileId}::uuid from unnest(${all}::text[]) as t (w)
        on conflict do nothing`;
    },
    /** All words of the library, for all readers: candidates, to be checked with `readable`. */
    all: (): Promise<WordList> => {
      if (changes !== read.changes && now() - read.at >= minCacheMs) {
        library.clear();
        read = { changes, at: now() };
      }
      return library.get();
    },
    /** Those of the words that occur in files of the scope. */
    readable: (words: readonly string[], scope: AccessScope): Promise<CountedWord[]> =>
      db.$queryRaw<CountedWord[]>`
        with mine as (${readableFiles(scope)})
        select word, count(*)::int as files from search_word join mine using (file_id)
        where word = any(${[...words]}::text[]) group by word`,
    /** The most frequent words of the scope with this beginning. */
    startingWith: (prefix: string, scope: AccessScope, limit: number): Promise<CountedWord[]> =>
      db.$queryRaw<CountedWord[]>`
        with mine as (${readableFiles(scope)})
        select word, count(*)::int as files from search_word join mine using (file_id)
        where word >= ${prefix} and word < ${prefix + '\u{10FFFF}'} and word <> ${prefix}
        group by word order by files desc, word limit ${limit}`,
  };
}
