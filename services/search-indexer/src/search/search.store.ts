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
  };
}
