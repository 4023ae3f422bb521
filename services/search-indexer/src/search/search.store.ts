import type { SearchAnswer } from '@overtone/contracts';
import { speakerLabelPattern } from '@overtone/contracts/speakers';
import { queryPrepared } from '@overtone/database';
import { cachedFor } from '@overtone/service-kit';
import type { AccessScope } from '../access/access.ts';
import { readableFiles } from '../access/access.store.ts';
import type { Db, Pool } from '../database.ts';
import type { IndexState } from '../generated/client.ts';

const languagesCacheMs = 60_000;
/** Values of a facet; more would not be readable. */
const maxFacetValues = 20;

/** Withheld files that a search reads: a policy for everyone withholds the whole library until it is indexed again. */
const maxWithheld = 1_000;

/** The displayed data of a file. */
export type FileFacts = Pick<
  IndexState,
  'fileId' | 'ownerId' | 'title' | 'tags' | 'speakers' | 'contentType' | 'duration' | 'language' | 'uploadTime'
>;

type Facets = Omit<NonNullable<SearchAnswer['facets']>, 'collections'>;

export type SearchStore = ReturnType<typeof createSearchStore>;

type Deps = { db: Db; pool: Pool; /** Increases when files were indexed. */ changes?: () => number };

export function createSearchStore({ db, pool, changes = () => 0 }: Deps) {
  let seenChanges = 0;
  const languages = cachedFor(languagesCacheMs, async (): Promise<(string | null)[]> => {
    const rows = await db.$queryRaw<{ language: string | null }[]>`select distinct language from index_state limit 50`;
    return rows.map((row) => row.language);
  });
  return {
    facts: async (fileIds: readonly string[]): Promise<Map<string, FileFacts>> => {
      const text = `
        select file_id as "fileId", owner_id as "ownerId", title, tags, speakers, content_type as "contentType", duration,
          language, upload_time as "uploadTime"
        from index_state where file_id = any($1::uuid[]) and indexed_at is not null and not withheld`;
      const rows = await queryPrepared<FileFacts>(pool, { name: 'search: facts', text, values: [fileIds] });
      return new Map(rows.map((row) => [row.fileId, row]));
    },
    /** Speakers, tags and years of upload of the files, as far as they are in the scope; most frequent first. */
    facets: async (
      fileIds: readonly string[],
      { scope, timeZone }: { scope: AccessScope; timeZone: string },
    ): Promise<Facets> => {
      const rows = await db.$queryRaw<{ kind: 'speakers' | 'tags'; name: string; count: number }[]>`
        with found as (select * from (${readableFiles(scope)}) mine where file_id = any(${[...fileIds]}::uuid[])),
        named as (
          select 'speakers' as kind, s as name from found, unnest(speakers) s where s !~ ${speakerLabelPattern.source}
          union all select 'tags', t from found, unnest(tags) t
        )
        select kind, name, count(*)::int as count from named group by kind, name order by count desc, lower(name)`;
      const times = await db.$queryRaw<{ uploadTime: Date }[]>`
        select upload_time as "uploadTime" from (${readableFiles(scope)}) mine
        where file_id = any(${[...fileIds]}::uuid[]) and upload_time is not null`;
      const of = (kind: string) =>
        rows
          .filter((row) => row.kind === kind)
          .slice(0, maxFacetValues)
          .map(({ name, count }) => ({ name, count }));
      const years = yearsOf(
        times.map(({ uploadTime }) => uploadTime),
        timeZone,
      );
      return { speakers: of('speakers'), tags: of('tags'), years: years.slice(0, maxFacetValues) };
    },
    /** All files that may contain text that is masked by now; null: too many for one search. Normally there is none. */
    withheld: async (): Promise<ReadonlySet<string> | null> => {
      const text = 'select file_id as id from index_state where withheld limit $1';
      const values = [maxWithheld + 1];
      const rows = await queryPrepared<{ id: string }>(pool, { name: 'search: withheld', text, values });
      return rows.length > maxWithheld ? null : new Set(rows.map(({ id }) => id));
    },
    /** Those of the files that may contain text that is masked by now. */
    withheldAmong: async (fileIds: readonly string[]): Promise<ReadonlySet<string>> => {
      const rows = await db.$queryRaw<{ id: string }[]>`
        select file_id as id from index_state where file_id = any(${[...fileIds]}::uuid[]) and withheld`;
      return new Set(rows.map(({ id }) => id));
    },
    /** All languages of the indexed transcripts. */
    languages: (): Promise<(string | null)[]> => {
      if (seenChanges !== changes()) languages.clear();
      seenChanges = changes();
      return languages.get();
    },
    hasFiles: async (): Promise<boolean> =>
      (await db.indexState.findFirst({ where: { passages: { gt: 0 } } })) !== null,
  };
}

/** Counted here, because PostgreSQL does not know all time zones that browsers use. */
function yearsOf(times: readonly Date[], timeZone: string): Facets['years'] {
  const format = new Intl.DateTimeFormat('en', { timeZone, year: 'numeric' });
  const years = Map.groupBy(times, (time) => format.format(time));
  return [...years]
    .map(([name, { length: count }]) => ({ name, count }))
    .toSorted((x, y) => y.count - x.count || Number(x.name) - Number(y.name));
}
