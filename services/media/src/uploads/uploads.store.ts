import type { Readable } from 'node:stream';
import { mediaEvents, type DataOf, type FileObject } from '@overtone/contracts';
import type { Outbox } from '@overtone/database';
import { auditAction, type Actor } from '../audit/audit.ts';
import type { Db, Tx } from '../database.ts';
import { resetColumns, toFileObject, withRelations } from '../files/files.ts';
import type { Inspection } from '@overtone/object-store/inspection';
import { runOptionsOf, titleOf, uploadErrors, type UploadOptions } from './uploads.ts';

/** A recording whose object is stored. */
export type StoredRecording = Inspection & {
  id: string;
  userId: string;
  filename: string;
  options: UploadOptions;
  client: Actor['client'];
  source: DataOf<typeof mediaEvents.uploaded>['source'];
  objectKey: string;
};

export type IncomingUpload = {
  /** Given for a resumable upload, so that finishing it twice creates one file. */
  id?: string;
  userId: string;
  filename: string | undefined;
  declaredType: string;
  body: Readable | AsyncIterable<Buffer>;
  /** Called after the file's last byte, because fields may follow it; rejects when the body was truncated. */
  options: () => Promise<UploadOptions>;
  signal?: AbortSignal;
  /** Where the request came from; absent when an interrupted upload is finished later. */
  client?: Actor['client'];
  /** Default: `upload`. */
  source?: StoredRecording['source'];
  /** Is stored together with the file; an error rejects the upload. */
  alongside?: (tx: Tx, file: FileObject) => Promise<void>;
};
/** Stores recordings that arrive in this process. */
export type Uploads = { maxBytes: number; receive: (incoming: IncomingUpload) => Promise<FileObject> };

export function findFile(db: Db | Tx, id: string) {
  return db.mediaFile.findUnique({ where: { id }, include: withRelations });
}

/**
 * Stores the file of a recording and requests its processing, once. A file that waited for its download exists already.
 * @throws AppError for a duplicate.
 */
export async function storeFile(tx: Tx, outbox: Outbox, recording: StoredRecording): Promise<FileObject> {
  const { id, userId, options, client, contentType, bytes, sha256, source, objectKey } = recording;
  const existing = await findFile(tx, id);
  if (existing && existing.objectKey !== '') return toFileObject(existing, 'owner');
  await lockHash(tx, userId, sha256);
  const duplicate = options.allow_duplicate === 'true' ? null : await findDuplicate(tx, userId, sha256);
  if (duplicate) throw uploadErrors.duplicate(duplicate.id);
  const run = runOptionsOf(options);
  const stored = { objectKey, contentType, fileSize: BigInt(bytes), fileHash: sha256, options: run };
  const row = existing
    ? await tx.mediaFile.update({
        where: { id },
        data: { ...stored, ...namesAfterDownload(existing, recording.filename), ...resetColumns, status: 'uploaded' },
        include: withRelations,
      })
    : await tx.mediaFile.create({ data: { ...stored, ...columnsOf(recording) }, include: withRelations });
  const uploaded = { fileId: id, ownerId: userId, objectKey, contentType, bytes, options: run };
  await outbox.add(tx, mediaEvents.uploaded, { ...uploaded, source });
  const details = { bytes, source, ...(row.sourceUrl ? { source_url: withoutQuery(row.sourceUrl) } : {}) };
  await auditAction(tx, outbox, 'file_uploaded', { file: row, actor: { userId, client }, details });
  return toFileObject(row, 'owner');
}

/** The query may contain a key, which must not be in the audit trail. */
function withoutQuery(url: string): string {
  const { origin, pathname } = new URL(url);
  return `${origin}${pathname}`;
}

/** The columns that a file has before its recording is stored. */
export function columnsOf({
  id,
  userId,
  filename,
  options,
}: Pick<StoredRecording, 'id' | 'userId' | 'filename' | 'options'>) {
  return {
    id,
    userId,
    filename,
    title: options.title?.trim() || titleOf(filename),
    recordedDate: options.recorded_date ? new Date(options.recorded_date) : null,
    language: options.language ?? null,
  };
}

/** The name becomes known with the download; a title that the user chose stays. */
function namesAfterDownload(existing: { filename: string; title: string }, filename: string) {
  return existing.title === titleOf(existing.filename) ? { filename, title: titleOf(filename) } : { filename };
}

/** Serializes uploads of the same bytes by one user, so that the second is rejected as a duplicate. */
function lockHash(tx: Tx, userId: string, sha256: string) {
  return tx.$executeRaw`select pg_advisory_xact_lock(hashtextextended(${`${userId}:${sha256}`}, 0))`;
}

/** Ignores files in the bin: a deleted recording may be uploaded again. */
function findDuplicate(tx: Tx, userId: string, fileHash: string) {
  return tx.mediaFile.findFirst({ where: { userId, fileHash, deletedAt: null }, orderBy: { uploadTime: 'asc' } });
}
