import type { SearchAnswer } from '@overtone/contracts';
import type { AccessScope } from '../access/access.ts';
import type { Db } from '../database.ts';
import type { IndexState } from '../generated/client.ts';
import { readableFiles } from '../vocabulary/vocabulary.store.ts';

const languagesCacheMs = 60_000;
/** Values of a facet; more would not be readable. */
const maxFacetValues = 20;

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
    /** Speakers, tags and years of upload of the files, as far as they are in the scope; most frequent first. */
    facets: async (fileIds: readonly string[], scope: AccessScope): Promise<NonNullable<SearchAnswer['facets']>> => {
      const rows = await db.$queryRaw<{ kind: 'speakers' | 'tags' | 'years'; name: string; count: number }[]>`
        with found as (select * from (${readableFiles(scope)}) mine where file_id = any(${[...fileIds]}::uuid[])),
        named as (
          select 'speakers' as kind, s as name from found, unnest(speakers) s where s !~ '^SPEAKER_[0-9]+$'
          union all select 'tags', t from found, unnest(tags) t
          union all select 'years', to_char(upload_time at time zone 'UTC', 'YYYY') from found where upload_time is not null
        )
        select kind, name, count(*)::int as count from named group by kind, name order by count desc, lower(name)`;
      const of = (kind: string) =>
        rows
          .filter((row) => row.kind === kind)
          .slice(0, maxFacetValues)
          .map(({ name, count }) => ({ name, count }));
      return { speakers: of('speakers'), tags: of('tags'), years: of('years') };
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
