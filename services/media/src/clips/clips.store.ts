import { clipLimits } from '@overtone/contracts';
import { randomUUID } from 'node:crypto';
import type { Db, Tx } from '../database.ts';
import { Prisma } from '../generated/client.ts';
import type { ClipRow, WantedClip } from './clips.ts';

const columns = Prisma.sql`
  clip_id::text as id, media_file_id::text as "fileId", variant, clip, status, object_key as "objectKey",
  content_type as "contentType", bytes::float8 as bytes, requested_at as "requestedAt"`;
const isKept = Prisma.sql`requested_at > now() - ${`${clipLimits.keptHours} hours`}::interval`;

/** Concurrent requests of one person wait for each other, so that the limit holds. */
export async function lockClipsOf(tx: Tx, userId: string): Promise<void> {
  await tx.$executeRaw`select pg_advisory_xact_lock(hashtextextended('clips ' || ${userId}::text, 0))`;
}

export async function countUnfinished(tx: Tx, userId: string): Promise<number> {
  const [row] = await tx.$queryRaw<{ count: number }[]>`
    select count(*)::int as count from masked_audio
    where requested_by = ${userId}::uuid and status = 'queued' and ${isKept}`;
  return row?.count ?? 0;
}

export async function findSame(db: Db | Tx, fileId: string, variant: string): Promise<ClipRow | undefined> {
  const [row] = await db.$queryRaw<ClipRow[]>`
    select ${columns} from masked_audio where media_file_id = ${fileId}::uuid and variant = ${variant}`;
  return row;
}

/** The caller's clip. */
export async function findClip(db: Db, fileId: string, id: string, userId: string): Promise<ClipRow | undefined> {
  const [row] = await db.$queryRaw<ClipRow[]>`
    select ${columns} from masked_audio
    where clip_id = ${id}::uuid and media_file_id = ${fileId}::uuid and requested_by = ${userId}::uuid and ${isKept}`;
  return row;
}

/** Stores a request; one that failed or is old is made again. */
export async function insertClip(
  tx: Tx,
  { id, transcriptVersion }: { id: string; transcriptVersion: number },
  { variant, ranges, clip, requestedBy }: WantedClip,
): Promise<ClipRow> {
  const [row] = await tx.$queryRaw<ClipRow[]>`
    insert into masked_audio as m
      (media_file_id, variant, mode, ranges, transcript_version, clip_id, clip, requested_by)
    values (${id}::uuid, ${variant}, 'clip', ${JSON.stringify(ranges)}::jsonb, ${transcriptVersion}, ${randomUUID()}::uuid,
      ${JSON.stringify(clip)}::jsonb, ${requestedBy}::uuid)
    on conflict (media_file_id, variant) do update set requested_at = now(), changed_at = now(),
      status = case when m.status = 'failed' then 'queued' else m.status end
    returning ${columns}`;
  return row as ClipRow;
}

/** Clips of a person whose account is erased are deleted with the next cleanup of copies. @returns how many. */
export function eraseClipsOf(tx: Tx, userId: string): Promise<number> {
  return tx.$executeRaw`
    update masked_audio set requested_by = null, requested_at = now() - interval '1 year'
    where requested_by = ${userId}::uuid`;
}
