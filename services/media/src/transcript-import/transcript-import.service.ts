import { createHash, randomUUID } from 'node:crypto';
import type { FileObject, ImportFormat, ImportPreview } from '@overtone/contracts';
import type { Outbox } from '@overtone/database';
import type { ObjectStore } from '@overtone/object-store';
import { conflict, type Caller } from '@overtone/service-kit';
import { inQuarantine, isQuarantined } from '../access/access.ts';
import { lockedFile, usableFile } from '../access/access.store.ts';
import { auditAction, type Actor } from '../audit/audit.ts';
import type { Db, Tx } from '../database.ts';
import { hasMedia, isSettled, originalKey, toFileObject, withRelations } from '../files/files.ts';
import { readFile } from '../files/files.store.ts';
import { Prisma } from '../generated/client.ts';
import type { NamesModel } from '../ports/names-model.adapter.ts';
import { noMask } from '../redaction/redaction.ts';
import { maskFor, maskForNewFile, readDetector } from '../redaction/redaction.store.ts';
import type { Undo } from '../transcripts/transcripts.store.ts';
import { checkedFilename, titleOf } from '../uploads/uploads.ts';
import { previewOf } from './preview.ts';
import type { ReadTranscript, TranscriptReader } from './read-transcript.adapter.ts';
import type { ImportOptions, ImportSource } from './transcript-import.ts';
import { columnsOf, finishImport, insertImported, replaceByImport } from './transcript-import.store.ts';

export type TranscriptImportDeps = {
  db: Db;
  outbox: Outbox;
  objects: Pick<ObjectStore, 'put' | 'delete'>;
  names: Pick<NamesModel, 'find'>;
  reader: Pick<TranscriptReader, 'read' | 'readSummary'>;
};
type Imported = { transcript_version: number; segment_count: number; undo: Undo };

const contentTypes: Record<ImportFormat, string> = {
  srt: 'application/x-subrip',
  webvtt: 'text/vtt',
  ttml: 'application/ttml+xml',
  ass: 'text/x-ssa',
  sbv: 'text/plain',
  microdvd: 'text/plain',
  json: 'application/json',
  docx: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  text: 'text/plain',
};
/** A transcript of ten hours has thousands of segments. */
const importTxOptions = { timeout: 120_000 };

/** Imports transcript files. A file that is not valid is rejected before anything is stored. */
export function createTranscriptImport({ db, outbox, objects, names, reader }: TranscriptImportDeps) {
  return {
    preview: async (caller: Caller, source: ImportSource, options: ImportOptions): Promise<ImportPreview> =>
      previewOf(
        await reader.readSummary(source, options),
        await maskForNewFile(db, caller),
        await readDetector(db, names),
      ),

    importOntoFile: async (
      actor: Actor,
      id: string,
      source: ImportSource,
      options: ImportOptions,
    ): Promise<Imported> => {
      const current = await usableFile(db, actor, id, 'edit');
      const imported = await reader.read(source, { ...options, duration: hasMedia(current) ? current.duration : null });
      return db.$transaction(async (tx) => {
        const file = await importableFile(tx, actor, id);
        const mask = await maskFor(tx, actor, file);
        const undo = await replaceByImport(tx, { file, imported, userId: actor.userId, mask });
        const transcriptVersion = file.transcriptVersion + 1;
        const stored = await tx.mediaFile.update({
          where: { id },
          data: {
            ...columnsOf(imported),
            language: imported.language ?? file.language,
            duration: hasMedia(file) ? file.duration : imported.duration,
            error: Prisma.DbNull,
            completedAt: file.completedAt ?? new Date(),
            transcriptVersion,
            transcriptProvisional: false,
            updatedAt: new Date(),
            lastEditedBy: actor.userId,
            lastEditedAt: new Date(),
          },
        });
        await finishImport(tx, outbox, stored, actor.userId);
        await auditAction(tx, outbox, 'transcript_imported', { file, actor, details: detailsOf(imported) });
        return { transcript_version: transcriptVersion, segment_count: imported.segments.length, undo };
      }, importTxOptions);
    },

    /** Creates a file without a recording. Its object is the imported text. */
    importAsFile: async (
      actor: Actor,
      source: ImportSource,
      { title, ...options }: ImportOptions & { title?: string | undefined },
    ): Promise<FileObject> => {
      const filename = checkedFilename(source.filename);
      const imported = await reader.read(source, options);
      const id = randomUUID();
      const contentType = contentTypes[imported.format];
      const bytes = Buffer.from(source.bytes);
      await objects.put(originalKey(id), bytes, { contentType });
      const insert = async (tx: Tx): Promise<FileObject> => {
        const file = await tx.mediaFile.create({
          data: {
            id,
            userId: actor.userId,
            filename,
            title: title?.trim() || imported.title || titleOf(filename),
            objectKey: originalKey(id),
            contentType,
            fileSize: BigInt(bytes.length),
            fileHash: createHash('sha256').update(bytes).digest('hex'),
            language: imported.language,
            duration: imported.duration,
            completedAt: new Date(),
            transcriptVersion: 1,
            ...columnsOf(imported),
          },
          include: withRelations,
        });
        await insertImported(tx, id, imported, { speakers: [], segments: [], mask: noMask });
        await finishImport(tx, outbox, file, null);
        await auditAction(tx, outbox, 'transcript_imported', { file, actor, details: detailsOf(imported) });
        return toFileObject(await readFile(tx, id), 'owner');
      };
      return db.$transaction(insert, importTxOptions).catch(async (error: unknown) => {
        await objects.delete(originalKey(id)).catch(() => undefined);
        throw error;
      });
    },
  };
}

async function importableFile(tx: Tx, caller: Caller, id: string) {
  const file = await lockedFile(tx, caller, id, 'edit');
  if (isQuarantined(file)) throw inQuarantine();
  if (!isSettled(file.status))
    throw conflict('file_busy', 'The file is being processed. Stop that first, or wait until it is done.');
  return file;
}

function detailsOf({ format, segments }: ReadTranscript) {
  return { format, segments: segments.length };
}
