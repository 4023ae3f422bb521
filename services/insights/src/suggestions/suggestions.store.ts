import type { ExtractionState, FileMasks, SuggestionPart, SuggestionStatus } from '@overtone/contracts';
import type { Db, Tx } from '../database.ts';
import { Prisma } from '../generated/client.ts';
import { hasTurn } from '../providers/providers.store.ts';
import { kindsOf, normalizedName, unmaskedParts, type Candidate } from './suggestions.ts';

export type FilePart = { fileId: string; part: SuggestionPart };
export type ExtractionOrder = FilePart & {
  ownerId: string;
  applies: boolean;
  /** Also when there are suggestions. */
  force: boolean;
  /** The event that orders it. */
  eventId?: string;
};
export type Attempt = FilePart & { token: number };
export type Result = { transcriptVersion: number; provider: string | null; model: string | null };

/** An extraction whose job was lost by the broker is enqueued again after this time without a sign of work. */
const reenqueueAfterMinutes = 10;
const batch = 50;
/** With those of summaries three of the four places that the queue `nlp` has by default. */
const placesOfOwnModel = 1;
const isDue = Prisma.sql`(e.touched_at < now() - make_interval(mins => ${reenqueueAfterMinutes}))`;

/** @returns false when one is in progress, or there are suggestions and none are forced. */
export async function orderExtraction(db: Db | Tx, order: ExtractionOrder): Promise<boolean> {
  const { fileId, part, ownerId, applies, force, eventId = null } = order;
  const count = await db.$executeRaw`
    insert into suggestion_extraction as e (media_file_id, part, owner_id, applies, event_id)
    values (${fileId}::uuid, ${part}, ${ownerId}::uuid, ${applies}, ${eventId})
    on conflict (media_file_id, part) do update set state = 'waiting', touched_at = '-infinity', error_code = null,
      owner_id = excluded.owner_id, applies = excluded.applies, event_id = coalesce(excluded.event_id, e.event_id)
    where e.state not in ('waiting', 'processing') and (${force} or e.state <> 'completed')
      and (excluded.event_id is null or e.event_id is distinct from excluded.event_id)`;
  if (count > 0) await db.suggestionSection.deleteMany({ where: { fileId, part } });
  return count > 0;
}

/** The extractions whose job is to be enqueued now, some at a time. What was withheld is tried again. */
export async function takeDue(db: Db): Promise<FilePart[]> {
  return db.$queryRaw<FilePart[]>`
    update suggestion_extraction e set touched_at = now()
    from (
      select e.media_file_id, e.part from suggestion_extraction e
      join (
        select media_file_id, part, row_number() over (partition by owner_id order by ${isDue}, touched_at, created_at desc) as rank
        from suggestion_extraction e
        where state in ('waiting', 'processing') or (state = 'withheld' and ${isDue})
      ) as ranked using (media_file_id, part)
      where e.state in ('waiting', 'processing', 'withheld') and ${isDue}
        and ${hasTurn({ person: Prisma.sql`e.owner_id`, rank: Prisma.sql`rank`, places: placesOfOwnModel })}
      order by e.touched_at, e.created_at desc limit ${batch} for update of e skip locked
    ) due
    where e.media_file_id = due.media_file_id and e.part = due.part
    returning e.media_file_id::text as "fileId", e.part`;
}

/** @returns null when nothing is ordered. */
export async function beginAttempt(
  db: Db,
  { fileId, part }: FilePart,
): Promise<(Attempt & { ownerId: string; applies: boolean }) | null> {
  const [row] = await db.$queryRaw<{ token: number; ownerId: string; applies: boolean }[]>`
    update suggestion_extraction set state = 'processing', token = token + 1, touched_at = now()
    where media_file_id = ${fileId}::uuid and part = ${part} and state in ('waiting', 'processing', 'withheld')
    returning token, owner_id::text as "ownerId", applies`;
  return row ? { fileId, part, ...row } : null;
}

/** Shows that an attempt is still at work. @returns false when a newer one has begun. */
export async function touchAttempt(db: Db | Tx, { fileId, part, token }: Attempt): Promise<boolean> {
  const count = await db.$executeRaw`
    update suggestion_extraction set touched_at = now()
    where media_file_id = ${fileId}::uuid and part = ${part} and token = ${token} and state = 'processing'`;
  return count > 0;
}

/** Records what an attempt has found, before it ends. @returns false when a newer one has begun. */
export async function recordResult(
  tx: Tx,
  { fileId, part, token }: Attempt,
  { transcriptVersion, provider, model }: Result,
): Promise<boolean> {
  const count = await tx.$executeRaw`
    update suggestion_extraction
    set transcript_version = ${transcriptVersion}, provider = ${provider}, model = ${model}, touched_at = now()
    where media_file_id = ${fileId}::uuid and part = ${part} and token = ${token} and state = 'processing'`;
  return count > 0;
}

/** Ends an attempt. @returns false when a newer one has begun: nothing was changed. */
export async function endAttempt(
  tx: Db | Tx,
  { fileId, part, token }: Attempt,
  state: ExtractionState,
  errorCode: string | null = null,
): Promise<boolean> {
  const count = await tx.$executeRaw`
    update suggestion_extraction
    set state = ${state}, error_code = ${errorCode}, touched_at = now(), finished_at = now(),
      applied_at = case when applies and ${state} = 'completed' then now() else applied_at end
    where media_file_id = ${fileId}::uuid and part = ${part} and token = ${token} and state = 'processing'`;
  if (count > 0 && state === 'completed') await tx.suggestionSection.deleteMany({ where: { fileId, part } });
  return count > 0;
}

/**
 * Replaces suggestions without a decision. Earlier decisions stay, also one that a person took back while these were made.
 * A suggestion that is made again keeps its id: a person may be deciding on it.
 * @param masks of the text that they were made of
 */
export async function replacePending(
  tx: Tx,
  { fileId, part }: FilePart,
  candidates: readonly (Candidate & { status: 'pending' | 'applying' })[],
  masks: FileMasks,
): Promise<void> {
  const rows = JSON.stringify(
    candidates.map((candidate) => ({ ...candidate, normalizedName: normalizedName(candidate.name) })),
  );
  const made = Prisma.sql`
    select distinct on (kind, "normalizedName", "speakerUuid") * from jsonb_to_recordset(${rows}::jsonb) as c(
      kind text, name text, "normalizedName" text, "speakerUuid" uuid, confidence double precision, rationale text,
      "segmentUuid" uuid, start double precision, status text)`;
  await tx.$executeRaw`
    delete from suggestion s
    where s.media_file_id = ${fileId}::uuid and s.kind = any(${[...kindsOf[part]]}::text[]) and s.status = 'pending'
      and s.decided_by is null
      and not exists (
        select 1 from (${made}) c where c.kind = s.kind and c."normalizedName" = s.normalized_name
          and c."speakerUuid" is not distinct from s.speaker_id)`;
  await tx.$executeRaw`
    insert into suggestion as s
      (media_file_id, kind, name, normalized_name, speaker_id, confidence, rationale, segment_id, start_time, status, masks)
    select ${fileId}::uuid, kind, name, "normalizedName", "speakerUuid", confidence, rationale, "segmentUuid", start, status,
      ${masks && JSON.stringify(masks)}::jsonb
    from (${made}) c
    on conflict on constraint uq_suggestion do update
    set name = excluded.name, confidence = excluded.confidence, rationale = excluded.rationale,
      segment_id = excluded.segment_id, start_time = excluded.start_time, status = excluded.status,
      masks = excluded.masks
    where s.status = 'pending'`;
}

/** Changes the status of suggestions that have one of the expected ones. @returns the ids of those that changed. */
export async function setStatus(
  db: Db | Tx,
  ids: readonly string[],
  { from, to, by }: { from: readonly string[]; to: SuggestionStatus; by: string | null },
): Promise<string[]> {
  const rows = await db.$queryRaw<{ id: string }[]>`
    update suggestion set status = ${to}, decided_by = ${by}::uuid, decided_at = now()
    where uuid = any(${ids}::uuid[]) and status = any(${from}::text[]) returning uuid::text as id`;
  return rows.map(({ id }) => id);
}

/** @param masks of the file now: what may contain text that they mask is left out. */
export async function readFileSuggestions(db: Db | Tx, fileId: string, masks: FileMasks) {
  // In this order: what an extraction that has ended stored is then seen, too.
  const extractions = await db.suggestionExtraction.findMany({ where: { fileId } });
  const suggestions = await db.suggestion.findMany({
    where: { fileId },
    orderBy: [{ confidence: 'desc' }, { name: 'asc' }],
  });
  return { extractions, suggestions: unmaskedParts(suggestions, masks) };
}

/** More of these files is masked: quotes may contain it, and so may names that were taken from the text. */
export async function withholdSuggestions(
  tx: Tx,
  { ownerId, fileId }: { ownerId: string | null; fileId: string | null },
): Promise<{ fileId: string; ownerId: string }[]> {
  const files = await tx.suggestionExtraction.findMany({
    where: { ...(ownerId ? { ownerId } : {}), ...(fileId ? { fileId } : {}) },
    select: { fileId: true, ownerId: true },
    distinct: ['fileId'],
  });
  const ids = files.map((file) => file.fileId);
  await tx.suggestion.deleteMany({ where: { fileId: { in: ids }, status: 'pending' } });
  await tx.suggestion.updateMany({ where: { fileId: { in: ids } }, data: { rationale: '' } });
  await tx.suggestionSection.deleteMany({ where: { fileId: { in: ids } } });
  // The token ends attempts that read the text earlier.
  await tx.suggestionExtraction.updateMany({
    where: { fileId: { in: ids }, state: 'completed' },
    data: { state: 'none' },
  });
  await tx.suggestionExtraction.updateMany({
    where: { fileId: { in: ids }, state: 'processing' },
    data: { state: 'waiting', token: { increment: 1 }, touchedAt: new Date(0) },
  });
  return files;
}

export async function forgetFile(tx: Tx, fileId: string): Promise<void> {
  await tx.suggestion.deleteMany({ where: { fileId } });
  await tx.suggestionSection.deleteMany({ where: { fileId } });
  await tx.suggestionExtraction.deleteMany({ where: { fileId } });
}
