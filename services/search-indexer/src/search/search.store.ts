import type { AccessScope } from '../access/access.ts';
import type { Db } from '../database.ts';
import type { IndexState } from '../generated/client.ts';

const languagesCacheMs = 60_000;

const factColumns = {
  fileId: true,
  ownerId: true,
  title: true,
  tags: true,
  speakers: true,
  contentType: true,
  duration: true,
  language: true,
  uploadTime: true,
} as const;

/** The displayed data of a file. */
export type FileFacts = Pick<IndexState, keyof typeof factColumns>;
export type Suggestion = { type: 'title' | 'speaker'; text: string; fileId: string | null };

export type SearchStore = ReturnType<typeof createSearchStore>;

export function createSearchStore({ db, now = Date.now }: { db: Db; now?: () => number }) {
  let languages: { at: number; known: Promise<(string | null)[]> } | undefined;
  return {
    facts: async (fileIds: readonly string[]): Promise<Map<string, FileFacts>> => {
      const rows = await db.indexState.findMany({
        where: { fileId: { in: [...fileIds] }, indexedAt: { not: null }, withheld: false },
        select: factColumns,
      });
      return new Map(rows.map((row) => [row.fileId, row]));
    },
    /** Those of the files that may contain text that is masked by now. */
    withheld: async (fileIds: readonly string[]): Promise<ReadonlySet<string>> => {
      const where = { fileId: { in: [...fileIds] }, withheld: true };
      return new Set((await db.indexState.findMany({ where, select: { fileId: true } })).map(({ fileId }) => fileId));
    },
    /** All languages of the indexed transcripts. */
    languages: (): Promise<(string | null)[]> => {
      if (languages && now() - languages.at < languagesCacheMs) return languages.known;
      const known = db.indexState
        .findMany({ distinct: ['language'], select: { language: true }, take: 50 })
        .then((rows) => rows.map((row) => row.language));
      languages = { at: now(), known };
      known.catch(() => (languages = undefined));
      return known;
    },
    hasFiles: async (): Promise<boolean> => (await db.indexState.findFirst({ where: { chunks: { gt: 0 } } })) !== null,
    /** Titles and speakers with a word that starts with `q`. */
    suggest: async (text: string, { ownerId, sharedIds }: AccessScope, limit: number): Promise<Suggestion[]> => {
      const escaped = text.replaceAll(/[\\%_]/g, (character) => `\\${character}`);
      const [begins, holds] = [`${escaped}%`, `% ${escaped}%`];
      return db.$queryRaw<Suggestion[]>`
        with mine as (
          select * from index_state where indexed_at is not null and not withheld
            and (${ownerId}::uuid is null or owner_id = ${ownerId}::uuid or file_id = any(${[...sharedIds]}::uuid[]))
        ), found as (
          select 'speaker' as type, s as text, null as file_id, count(*) as weight from mine, unnest(speakers) s
          where s !~ '^SPEAKER_[0-9]+$' and (s ilike ${begins} or s ilike ${holds}) group by s
          union all
          select 'title', title, file_id::text, 1 from mine where title ilike ${begins} or title ilike ${holds}
        )
        select type, text, file_id as "fileId" from found
        order by text ilike ${begins} desc, weight desc, type, lower(text), file_id limit ${limit}`;
    },
  };
}
