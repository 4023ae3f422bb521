import { mediaEvents, type FileObject } from '@overtone/contracts';
import type { Outbox } from '@overtone/database';
import { auditAction, type Actor } from '../audit/audit.ts';
import type { Db, Tx } from '../database.ts';
import { originalKey, toFileObject, withSpeakerCount } from '../files/files.ts';
import type { Inspection } from './inspection.ts';
import { runOptionsOf, titleOf, uploadErrors, type UploadOptions } from './uploads.ts';

/** A recording whose object is stored. */
export type StoredRecording = Inspection & {
  id: string;
  userId: string;
  filename: string;
  options: UploadOptions;
  client: Actor['client'];
};

export function findFile(db: Db | Tx, id: string) {
  return db.mediaFile.findUnique({ where: { id }, include: withSpeakerCount });
}

/** Inserts the file of a recording and requests its processing, once. @throws AppError for a duplicate. */
export async function insertFile(tx: Tx, outbox: Outbox, recording: StoredRecording): Promise<FileObject> {
  const { id, userId, filename, options, client, contentType, bytes, sha256 } = recording;
  const existing = await findFile(tx, id);
  if (existing) return toFileObject(existing, 'owner');
  await lockHash(tx, userId, sha256);
  const duplicate = options.allow_duplicate === 'true' ? null : await findDuplicate(tx, userId, sha256);
  if (duplicate) throw uploadErrors.duplicate(duplicate.id);
  const run = runOptionsOf(options);
  const objectKey = originalKey(id);
  const row = await tx.mediaFile.create({
    data: {
      id,
      userId,
      filename,
      title: options.title?.trim() || titleOf(filename),
      objectKey,
      contentType,
      fileSize: BigInt(bytes),
      fileHash: sha256,
      recordedDate: options.recorded_date ? new Date(options.recorded_date) : null,
      language: run.language,
      options: run,
    },
    include: withSpeakerCount,
  });
  const uploaded = { fileId: id, ownerId: userId, objectKey, contentType, bytes, options: run };
  await outbox.add(tx, mediaEvents.uploaded, { ...uploaded, source: 'upload' });
  await auditAction(tx, outbox, 'file_uploaded', { file: row, actor: { userId, client }, details: { bytes } });
  return toFileObject(row, 'owner');
}

/** Serializes uploads of the same bytes by one user, so that the second is rejected as a duplicate. */
function lockHash(tx: Tx, userId: string, sha256: string) {
  return tx.$executeRaw`select pg_advisory_xact_lock(hashtextextended(${`${userId}:${sha256}`}, 0))`;
}

/** Ignores files in the bin: a deleted recording may be uploaded again. */
function findDuplicate(tx: Tx, userId: string, fileHash: string) {
  return tx.mediaFile.findFirst({ where: { userId, fileHash, deletedAt: null }, orderBy: { uploadTime: 'asc' } });
}
