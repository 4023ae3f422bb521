import type { Db, Tx } from '../database.ts';
import type { CorrectedText } from './vocabulary.ts';

/** Corrections and passages that are looked at for repeated spellings, the last ones. */
const limits = { corrections: 200, passages: 500 };

export function selectTerms(db: Db | Tx, userId: string) {
  return db.vocabularyTerm.findMany({ where: { userId }, orderBy: [{ createdAt: 'desc' }, { termKey: 'asc' }] });
}

/** Concurrent additions of one person wait for each other, so that the vocabulary has its limit. */
export async function lockVocabulary(tx: Tx, userId: string): Promise<void> {
  await tx.$executeRaw`select pg_advisory_xact_lock(hashtextextended('vocabulary ' || ${userId}::text, 0))`;
}

/** The texts of passages before the first and after the last of the caller's own corrections that stand. */
export function selectCorrected(db: Db, fileId: string, userId: string): Promise<CorrectedText[]> {
  return db.$queryRaw<CorrectedText[]>`
    with own as (
      select revision, before, after from transcript_operation
      where media_file_id = ${fileId}::uuid and user_id = ${userId}::uuid and 'text' = any(kinds)
        and not replaced and reverts is null and undone_in is null
      order by revision desc limit ${limits.corrections}),
    first as (
      select distinct on (e ->> 'id') e ->> 'id' as id, e ->> 'text' as text, revision
      from own, jsonb_array_elements(before) as e order by e ->> 'id', revision),
    last as (
      select distinct on (e ->> 'id') e ->> 'id' as id, e ->> 'text' as text
      from own, jsonb_array_elements(after) as e order by e ->> 'id', revision desc)
    select f.text as before, l.text as after from first f join last l on l.id = f.id
    where f.text <> l.text order by f.revision desc limit ${limits.passages}`;
}

/** @returns how many terms were erased. */
export async function eraseVocabularyOf(tx: Tx, userId: string): Promise<number> {
  return (await tx.vocabularyTerm.deleteMany({ where: { userId } })).count;
}
