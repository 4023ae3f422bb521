import { speakerLabelPattern } from '@overtone/contracts/speakers';
import type { AccessScope } from '../access/access.ts';
import { readableFiles } from '../access/access.store.ts';
import type { Db } from '../database.ts';

export type Suggestion = {
  type: 'title' | 'speaker' | 'tag' | 'content';
  text: string;
  fileId: string | null;
  /** In how many files. */
  count: number;
};
type Counted = { name: string; count: number };
type FilterValues = { speakers: Counted[]; tags: Counted[]; from: Date | null; to: Date | null };

/** Names offered in the filter lists of the search page. */
const maxNames = 200;

export type SuggestionStore = ReturnType<typeof createSuggestionStore>;

export function createSuggestionStore({ db }: { db: Db }) {
  return {
    /** Titles, speakers and tags, or only those of one kind, with a word that starts with the text. */
    suggestNames: async (
      text: string,
      { scope, limit, kind = null }: { scope: AccessScope; limit: number; kind?: 'speaker' | 'tag' | null },
    ): Promise<Suggestion[]> => {
      const escaped = text.replaceAll(/[\\%_]/g, (character) => `\\${character}`);
      const [begins, holds] = [`${escaped}%`, `% ${escaped}%`];
      return db.$queryRaw<Suggestion[]>`
        with mine as (${readableFiles(scope)}), found as (
          select 'speaker' as type, s as text, null as file_id, count(*)::int as count from mine, unnest(speakers) s
          where s !~ ${speakerLabelPattern.source} and (s ilike ${begins} or s ilike ${holds}) group by s
          union all
          select 'tag', t, null, count(*)::int from mine, unnest(tags) t where t ilike ${begins} or t ilike ${holds} group by t
          union all
          select 'title', title, file_id::text, 1 from mine where title ilike ${begins} or title ilike ${holds}
        )
        select type, text, file_id as "fileId", count from found
        where ${kind}::text is null or type = ${kind}
        order by text ilike ${begins} desc, count desc, type, lower(text), file_id limit ${limit}`;
    },
    /** The speakers, tags and upload times of the files in the scope. */
    filterValues: async (scope: AccessScope): Promise<FilterValues> => {
      const [[range], speakers, tags] = await Promise.all([
        db.$queryRaw<{ from: Date | null; to: Date | null }[]>`
          select min(upload_time) as from, max(upload_time) as to from (${readableFiles(scope)}) mine`,
        db.$queryRaw<Counted[]>`
          select s as name, count(*)::int as count from (${readableFiles(scope)}) mine, unnest(speakers) s
          where s !~ ${speakerLabelPattern.source} group by s order by count desc, lower(s) limit ${maxNames}`,
        db.$queryRaw<Counted[]>`
          select t as name, count(*)::int as count from (${readableFiles(scope)}) mine, unnest(tags) t
          group by t order by count desc, lower(t) limit ${maxNames}`,
      ]);
      return { speakers, tags, from: range?.from ?? null, to: range?.to ?? null };
    },
  };
}
