import { createHash } from 'node:crypto';
import type { Db, Tx } from '../database.ts';
import type { WordFrequencies } from '../extractive/keyphrases.ts';

/** 32 bits: two words share one so rarely that no confidence changes. The words themselves are not stored. */
function hashOf(term: string): number {
  return createHash('sha256').update(term).digest().readInt32BE(0);
}

/** Counts a file's words for the library, in place of those that were counted before. Without words it forgets the file. */
export async function recordWords(tx: Tx, fileId: string, terms: Iterable<string>): Promise<void> {
  const hashes = [...new Set([...terms].map(hashOf))];
  const [counted] = await tx.$queryRaw<{ terms: number[] }[]>`
    delete from library_file where media_file_id = ${fileId}::uuid returning terms`;
  if (hashes.length > 0)
    await tx.$executeRaw`insert into library_file (media_file_id, terms) values (${fileId}::uuid, ${hashes}::int[])`;
  // In one statement and one order, so that two files do not wait for each other.
  await tx.$executeRaw`
    insert into library_term as t (term, files)
    select term, sum(change)::int from (
      select unnest(${hashes}::int[]) as term, 1 as change
      union all select unnest(${counted?.terms ?? []}::int[]), -1
    ) as changes group by term having sum(change) <> 0 order by term
    on conflict (term) do update set files = t.files + excluded.files`;
}

/** How many files of the library have each of these words. */
export async function readFrequencies(db: Db, terms: Iterable<string>): Promise<WordFrequencies> {
  const hashes = new Map([...new Set(terms)].map((term) => [term, hashOf(term)]));
  const rows = await db.$queryRaw<{ term: number; files: number }[]>`
    select term, files from library_term where term = any(${[...hashes.values()]}::int[])`;
  const counts = new Map(rows.map(({ term, files }) => [term, files]));
  const documents = await db.libraryFile.count();
  return { documents, documentsWith: (term) => counts.get(hashes.get(term) ?? hashOf(term)) ?? 0 };
}
