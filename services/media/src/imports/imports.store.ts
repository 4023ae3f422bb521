import { importLease, mediaEvents, type FileStatus } from '@overtone/contracts';
import type { Outbox } from '@overtone/database';
import { Prisma } from '../generated/client.ts';
import type { Db, Tx } from '../database.ts';
import { idsOf, resetColumns, type FileProblem, type FileRow } from '../files/files.ts';
import { maxAttempts, tooManyImports } from './imports.ts';

export type ImportRow = { fileId: string; userId: string; url: string; token: number; attempts: number };
const importColumns = Prisma.sql`i.media_file_id::text as "fileId", i.user_id::text as "userId", i.url, i.token, i.attempts`;
const life = Prisma.sql`now() + make_interval(secs => ${importLease.lifeMs / 1_000})`;
/** A file in the bin is not downloaded. */
const fileIsUsable = Prisma.sql`exists (select 1 from media_file f where f.uuid = i.media_file_id and f.deleted_at is null)`;
const isDue = Prisma.sql`
  ((i.status = 'queued' and i.next_attempt_at <= now()) or (i.status = 'running' and i.lease_until < now()))`;

/** Counts the user's imports of the last hour. Serialized, so that concurrent requests cannot exceed the limit together. */
export async function limitImports(tx: Tx, userId: string, maxPerHour: number): Promise<void> {
  await tx.$executeRaw`select pg_advisory_xact_lock(hashtextextended(${`import:${userId}`}, 0))`;
  const [counted] = await tx.$queryRaw<{ count: number; wait: number }[]>`
    select count(*)::int as count, coalesce(3600 - extract(epoch from now() - min(requested_at)), 0)::int as wait
    from media_import where user_id = ${userId}::uuid and requested_at > now() - interval '1 hour'`;
  if (counted && counted.count >= maxPerHour) throw tooManyImports(maxPerHour, Math.max(1, counted.wait));
}

/** Takes an import for one attempt. @returns undefined when it has ended, waits or another worker has it. */
export async function claimImport(db: Db, fileId: string): Promise<ImportRow | undefined> {
  const [row] = await db.$queryRaw<ImportRow[]>`
    update media_import i set status = 'running', token = token + 1, attempts = attempts + 1, lease_until = ${life}
    where i.media_file_id = ${fileId}::uuid and i.attempts < ${maxAttempts} and ${isDue} and ${fileIsUsable}
    returning ${importColumns}`;
  return row;
}

/** Keeps a claim. @returns undefined when it is no longer valid. */
export async function renewImport(db: Db, fileId: string, token: number): Promise<ImportRow | undefined> {
  const [row] = await db.$queryRaw<ImportRow[]>`
    update media_import i set lease_until = ${life}
    where i.media_file_id = ${fileId}::uuid and i.token = ${token} and i.status = 'running' and ${fileIsUsable}
    returning ${importColumns}`;
  return row;
}

/** Imports that a worker could take now, and those whose last worker was lost. */
export async function listDueImports(db: Db): Promise<{ waiting: ImportRow[]; exhausted: ImportRow[] }> {
  const rows = await db.$queryRaw<ImportRow[]>`
    select ${importColumns} from media_import i where i.status in ('queued', 'running') and ${isDue} and ${fileIsUsable}
    order by i.next_attempt_at limit 1000`;
  const isExhausted = ({ attempts }: ImportRow): boolean => attempts >= maxAttempts;
  return { waiting: rows.filter((row) => !isExhausted(row)), exhausted: rows.filter(isExhausted) };
}

/** When the next pause between two attempts ends. */
export async function nextAttempt(db: Db): Promise<Date | null> {
  const next = await db.mediaImport.findFirst({ where: { status: 'queued' }, orderBy: { nextAttemptAt: 'asc' } });
  return next?.nextAttemptAt ?? null;
}

/** The import of a claim, locked; undefined when the claim is no longer valid. */
export async function lockClaimed(tx: Tx, fileId: string, token: number) {
  await tx.$queryRaw`select 1 from media_import where media_file_id = ${fileId}::uuid for update`;
  const row = await tx.mediaImport.findUnique({ where: { fileId } });
  return row?.token === token && row.status === 'running' ? row : undefined;
}

/** The import is attempted again after the pause. */
export async function requeueImport(
  tx: Tx,
  fileId: string,
  { pauseMs, counted }: { pauseMs: number; counted: boolean },
) {
  await tx.$executeRaw`
    update media_import set status = 'queued', lease_until = null, attempts = attempts - ${counted ? 0 : 1},
      next_attempt_at = now() + make_interval(secs => ${pauseMs / 1_000})
    where media_file_id = ${fileId}::uuid`;
}

/** Ends the import of a file that has no recording yet. */
export async function endImport(
  tx: Tx,
  outbox: Outbox,
  file: Pick<FileRow, 'id' | 'userId'>,
  end: { status: 'failed'; error: FileProblem } | { status: 'cancelled' },
): Promise<void> {
  await tx.mediaImport.updateMany({ where: { fileId: file.id }, data: { status: end.status, leaseUntil: null } });
  const status: FileStatus = end.status === 'failed' ? 'error' : 'cancelled';
  const error = end.status === 'failed' ? { error: end.error } : {};
  await tx.mediaFile.update({
    where: { id: file.id },
    data: { ...resetColumns, ...error, status, updatedAt: new Date() },
  });
  await outbox.add(tx, mediaEvents.updated, { ...idsOf(file), status });
}

/** Starts the import of a file again, as if it had been requested now. */
export async function restartImport(
  tx: Tx,
  outbox: Outbox,
  file: Pick<FileRow, 'id' | 'userId'>,
  maxPerHour: number,
): Promise<void> {
  await limitImports(tx, file.userId, maxPerHour);
  await tx.$executeRaw`
    update media_import set status = 'queued', attempts = 0, lease_until = null, next_attempt_at = now(), requested_at = now()
    where media_file_id = ${file.id}::uuid`;
  await tx.mediaFile.update({
    where: { id: file.id },
    data: { ...resetColumns, status: 'downloading', updatedAt: new Date() },
  });
  await outbox.add(tx, mediaEvents.updated, { ...idsOf(file), status: 'downloading' });
}

/** Whether a file's recording was never downloaded. */
export function awaitsDownload({ objectKey }: Pick<FileRow, 'objectKey'>): boolean {
  return objectKey === '';
}

/** Imports of deleted files, once they no longer count. */
export async function removeForgottenImports(db: Db): Promise<void> {
  await db.$executeRaw`
    delete from media_import i where i.requested_at < now() - interval '1 hour'
      and not exists (select 1 from media_file f where f.uuid = i.media_file_id)`;
}
