import { clipLimits, type CopyMode } from '@overtone/contracts';
import type { Db, Tx } from '../database.ts';
import type { MediaFile } from '../generated/client.ts';
import type { AudioPassage, Clip, Range } from './copies.ts';
import { isScanned } from '../redaction/redaction.store.ts';

export type Copy = {
  fileId: string;
  variant: string;
  mode: CopyMode;
  ranges: Range[];
  source: string;
  status: 'queued' | 'ready' | 'failed';
  token: number;
  objectKey: string | null;
  contentType: string | null;
};
/** A copy with what it is made of. */
type ClaimedCopy = Copy & { mediaInfo: unknown; clip: Clip | null; requestedBy: string | null };
type WantedCopy = Pick<Copy, 'variant' | 'mode' | 'ranges'>;
type CopyId = Pick<Copy, 'fileId' | 'variant'>;

/** The passages with personal data; undefined when a passage was not scanned. */
export async function readAudioPassages(
  db: Db,
  { id, engine }: Pick<MediaFile, 'id' | 'engine'>,
  acceptsUnscanned: boolean,
): Promise<AudioPassage[] | undefined> {
  const rows = await db.$queryRaw<(AudioPassage & { scanned: boolean })[]>`
    select t.start_time as start, t.end_time as end, t.text, t.words, t.redactions as found, t.edited as estimated,
      ${isScanned} as scanned
    from transcript_segment t
    where t.media_file_id = ${id}::uuid and (t.redactions <> '[]'::jsonb or not ${isScanned}) order by t.position`;
  if (!acceptsUnscanned && rows.some(({ scanned }) => !scanned)) return undefined;
  const { timing } = (engine ?? {}) as { timing?: string };
  return rows
    .filter(({ scanned }) => scanned)
    .map(({ scanned: _, ...row }) => ({ ...row, estimated: row.estimated || timing !== 'engine' }));
}

/** A failed copy is attempted again after this time. */
const retryFailed = '1 hour';

/** The copy that a reader needs now; it is queued when it does not exist. */
export async function requestCopy(
  db: Db,
  { id, transcriptVersion }: Pick<MediaFile, 'id' | 'transcriptVersion'>,
  { variant, mode, ranges }: WantedCopy,
): Promise<Pick<Copy, 'status' | 'objectKey' | 'contentType'> & { isNew: boolean }> {
  const [found] = await db.$queryRaw<(Copy & { isCurrent: boolean })[]>`
    select status, object_key as "objectKey", content_type as "contentType",
      transcript_version = ${transcriptVersion} and requested_at > now() - interval '10 minutes'
        and not (status = 'failed' and changed_at < now() - ${retryFailed}::interval) as "isCurrent"
    from masked_audio where media_file_id = ${id}::uuid and variant = ${variant}`;
  if (found?.isCurrent) return { ...found, isNew: false };
  const [stored] = await db.$queryRaw<Copy[]>`
    insert into masked_audio as m (media_file_id, variant, mode, ranges, transcript_version)
    values (${id}::uuid, ${variant}, ${mode}, ${JSON.stringify(ranges)}::jsonb, ${transcriptVersion})
    on conflict (media_file_id, variant) do update set transcript_version = ${transcriptVersion}, requested_at = now(),
      status = case when m.status = 'failed' and m.changed_at < now() - ${retryFailed}::interval then 'queued' else m.status end
    returning status, object_key as "objectKey", content_type as "contentType"`;
  return { ...(stored as Copy), isNew: stored?.status === 'queued' };
}

/** The recording is played again: another choice of tracks needs no copy. */
export async function removePlaybackCopies(db: Db, fileId: string): Promise<Pick<Copy, 'objectKey'>[]> {
  return db.$queryRaw`
    delete from masked_audio where media_file_id = ${fileId}::uuid and mode = 'playback'
    returning object_key as "objectKey"`;
}

/** The object of a copy is missing, e.g. after a restore: it is made again. */
export async function requeueCopy(db: Db, { fileId, variant }: CopyId): Promise<void> {
  await db.$executeRaw`
    update masked_audio set status = 'queued', object_key = null, changed_at = now()
    where media_file_id = ${fileId}::uuid and variant = ${variant} and status = 'ready'`;
}

/** Begins an attempt. Each one writes its own object, and the first that ends is used. */
export async function claimCopy(db: Db, { fileId, variant }: CopyId): Promise<ClaimedCopy | undefined> {
  const [row] = await db.$queryRaw<ClaimedCopy[]>`
    update masked_audio m set token = token + 1, changed_at = now() from media_file f
    where m.media_file_id = ${fileId}::uuid and m.variant = ${variant} and m.status = 'queued'
      and f.uuid = m.media_file_id and f.deleted_at is null and f.recording_removed_at is null and f.object_key <> ''
    returning m.media_file_id::text as "fileId", m.variant, m.mode, m.ranges, m.token, f.object_key as source,
      f.media_info as "mediaInfo", m.clip, m.requested_by::text as "requestedBy"`;
  return row;
}

type CopyEnd = CopyId & { token: number } & (
    { status: 'ready'; objectKey: string; contentType: string; bytes: number } | { status: 'failed' }
  );

/** @returns whether the copy was still needed. */
export async function endCopy(db: Db | Tx, { fileId, variant, token, ...end }: CopyEnd): Promise<boolean> {
  const { objectKey = null, contentType = null, bytes = null } = end.status === 'ready' ? end : {};
  const changed = await db.$executeRaw`
    update masked_audio set status = ${end.status}, object_key = ${objectKey}, content_type = ${contentType}, bytes = ${bytes},
      changed_at = now()
    where media_file_id = ${fileId}::uuid and variant = ${variant} and token >= ${token} and status = 'queued'
      and exists (select 1 from media_file f where f.uuid = media_file_id and f.recording_removed_at is null)`;
  return changed > 0;
}

/** Copies that are not made yet. Those requested a moment ago have a job. */
export function listQueuedCopies(db: Db): Promise<(CopyId & { token: number })[]> {
  return db.$queryRaw`
    select media_file_id::text as "fileId", variant, token from masked_audio
    where status = 'queued' and changed_at < now() - interval '15 seconds' order by changed_at limit 1000`;
}

const clipAge = `${clipLimits.keptHours} hours`;

/** Copies of earlier versions of the transcript, those that are not played any more, and clips after their time. */
export function forgetCopies(db: Db): Promise<(CopyId & { token: number })[]> {
  return db.$queryRaw`
    delete from masked_audio m using media_file f
    where f.uuid = m.media_file_id and (f.recording_removed_at is not null
      or (m.mode = 'clip' and m.requested_at < now() - ${clipAge}::interval)
      or (m.mode in ('silence', 'beep') and (m.requested_at < now() - interval '30 days'
        or (m.transcript_version < f.transcript_version and m.requested_at < now() - interval '1 hour')))
      or (m.mode = 'playback' and exists (select 1 from masked_audio newer
        where newer.media_file_id = m.media_file_id and newer.mode = 'playback' and newer.requested_at > m.requested_at)))
    returning m.media_file_id::text as "fileId", m.variant, m.token`;
}
