import type { AnswerOf, mediaRoutes } from '@overtone/contracts';
import type { Db, Tx } from '../database.ts';
import type { TranscriptAccuracy } from '../generated/client.ts';
import type { WordErrors } from './word-errors.ts';

type AccuracyRow = AnswerOf<(typeof mediaRoutes)['accuracyFigures']>['rows'][number];

/** Words are counted when the transcript was not edited for this long. */
const settleSeconds = 20;
/** After a failure. */
const retrySeconds = 3_600;
const dueAtOnce = 20;
/** Rows of the table of administrators, the last months first. */
export const maxAccuracyRows = 500;

/** The transcript was edited: its errors are counted later. Imported transcripts are not the work of an engine. */
export async function markAccuracyDue(tx: Tx, fileId: string): Promise<void> {
  await tx.$executeRaw`
    insert into transcript_accuracy (media_file_id, run_id, provider, model, language, transcribed_at, due_at)
    select uuid, transcript_run_id, engine ->> 'provider', engine ->> 'model', language, coalesce(completed_at, now()),
           now() + make_interval(secs => ${settleSeconds})
    from media_file
    where uuid = ${fileId}::uuid and transcript_run_id is not null and engine ->> 'provider' <> 'import'
    on conflict (media_file_id, run_id) do update set due_at = excluded.due_at`;
}

export type DueAccuracy = Pick<TranscriptAccuracy, 'fileId' | 'runId'> & { due: string };

/** Transcripts whose errors are to be counted now. `due` is exact, unlike a `Date`: it tells whether an edit came since. */
export function readDue(db: Db): Promise<DueAccuracy[]> {
  return db.$queryRaw<DueAccuracy[]>`
    select media_file_id::text as "fileId", run_id::text as "runId", due_at::text as due
    from transcript_accuracy where due_at <= now() order by due_at limit ${dueAtOnce}`;
}

export async function nextAccuracyDue(db: Db): Promise<Date | null> {
  const { _min: first } = await db.transcriptAccuracy.aggregate({ _min: { dueAt: true } });
  return first.dueAt;
}

/** Stores the figures, unless the transcript was edited since; null: nothing is corrected any more. */
export async function saveAccuracy(
  db: Db,
  { fileId, runId, due }: DueAccuracy,
  figures: WordErrors | null,
): Promise<void> {
  if (figures === null)
    await db.$executeRaw`
      delete from transcript_accuracy
      where media_file_id = ${fileId}::uuid and run_id = ${runId}::uuid and due_at = ${due}::timestamptz`;
  else
    await db.$executeRaw`
      update transcript_accuracy
      set words = ${figures.words}, errors = ${figures.errors}, measured_at = now(), due_at = null
      where media_file_id = ${fileId}::uuid and run_id = ${runId}::uuid and due_at = ${due}::timestamptz`;
}

/** The transcript was replaced since: what was counted before stays. */
export async function closeAccuracy(db: Db, { fileId, runId, due }: DueAccuracy): Promise<void> {
  await db.$executeRaw`
    delete from transcript_accuracy
    where media_file_id = ${fileId}::uuid and run_id = ${runId}::uuid and due_at = ${due}::timestamptz and words is null`;
  await db.$executeRaw`
    update transcript_accuracy set due_at = null
    where media_file_id = ${fileId}::uuid and run_id = ${runId}::uuid and due_at = ${due}::timestamptz`;
}

export async function postponeAccuracy(db: Db, { fileId, runId, due }: DueAccuracy): Promise<void> {
  await db.$executeRaw`
    update transcript_accuracy set due_at = now() + make_interval(secs => ${retrySeconds})
    where media_file_id = ${fileId}::uuid and run_id = ${runId}::uuid and due_at = ${due}::timestamptz`;
}

/** Passages of corrections, without their words. */
export type PlacedText = { id: string; text: string; startTime: number; previousId: string | null; speakerId: null };

export function readPresentTexts(db: Db | Tx, fileId: string): Promise<PlacedText[]> {
  return db.$queryRaw<PlacedText[]>`
    select uuid::text as id, text, start_time as "startTime", null as "speakerId",
           lag(uuid) over (order by position)::text as "previousId"
    from transcript_segment where media_file_id = ${fileId}::uuid order by position`;
}

export type TextCorrection = { revision: number; before: PlacedText[]; after: PlacedText[] };

/** Corrections of the present transcript before a revision, the last one first. */
export function readCorrections(
  db: Db | Tx,
  fileId: string,
  { until, limit }: { until: number; limit: number },
): Promise<TextCorrection[]> {
  return db.$queryRaw<TextCorrection[]>`
    select o.revision, b.passages as before, a.passages as after
    from transcript_operation o
    cross join lateral (
      select coalesce(jsonb_agg(jsonb_build_object('id', e -> 'id', 'text', e -> 'text', 'startTime', e -> 'startTime',
        'previousId', e -> 'previousId', 'speakerId', null) order by n), '[]') as passages
      from jsonb_array_elements(o.before) with ordinality as x(e, n)) b
    cross join lateral (
      select coalesce(jsonb_agg(jsonb_build_object('id', e -> 'id', 'text', e -> 'text', 'startTime', e -> 'startTime',
        'previousId', e -> 'previousId', 'speakerId', null) order by n), '[]') as passages
      from jsonb_array_elements(o.after) with ordinality as x(e, n)) a
    where o.media_file_id = ${fileId}::uuid and not o.replaced and o.revision < ${until}
    order by o.revision desc limit ${limit}`;
}

/** What engines and models got wrong, by the month of transcription. */
export function readAccuracyFigures(db: Db): Promise<AccuracyRow[]> {
  return db.$queryRaw<AccuracyRow[]>`
    select provider, model, language, to_char(transcribed_at at time zone 'UTC', 'YYYY-MM') as month,
           count(*)::int as recordings, sum(words)::float8 as words, sum(errors)::float8 as errors
    from transcript_accuracy where words is not null
    group by 1, 2, 3, 4 order by 4 desc, 6 desc, 1, 2, 3 limit ${maxAccuracyRows + 1}`;
}
