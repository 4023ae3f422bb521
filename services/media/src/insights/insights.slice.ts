import { mediaInsightsRpc, type InsightFile, type InsightSegment, type SegmentObject } from '@overtone/contracts';
import { speakerName } from '@overtone/contracts/speakers';
import { rpc, type Slice } from '@overtone/service-kit';
import { isQuarantined } from '../access/access.ts';
import { permissionsOf } from '../access/access.store.ts';
import type { Db } from '../database.ts';
import type { MediaFile } from '../generated/client.ts';
import { takeFitting } from '../indexing/indexing.ts';
import { toFileMasks } from '../redaction/redaction.ts';
import { fileMasksOf, isWithheld, maskForIndex } from '../redaction/redaction.store.ts';
import { readSegments } from '../transcripts/transcripts.store.ts';

/** Serves insights: transcripts without what is masked for any reader, and who may see which file. */
export function createInsightsSlice({ db }: { db: Db }): Slice {
  return {
    rpcs: [
      rpc(mediaInsightsRpc.transcript, async ({ fileId, offset, limit }) => {
        const file = await db.mediaFile.findUnique({
          where: { id: fileId },
          include: { tags: { include: { tag: true } } },
        });
        if (!file || file.deletedAt || isQuarantined(file))
          return { file: null, segments: [], total: 0, withheld: false };
        // A result is shown to all readers, so what one of them may not read must not be part of it.
        const mask = await maskForIndex(db, file);
        const described = toInsightFile(file, toFileMasks(mask));
        if (await isWithheld(db, fileId, mask)) return { file: described, segments: [], total: 0, withheld: true };
        const { segments, total } = await readSegments(db, fileId, { limit, offset, words: false, mask });
        return { file: described, segments: takeFitting(segments.map(toInsightSegment)), total, withheld: false };
      }),
      rpc(mediaInsightsRpc.access, async ({ fileIds, reader }) => {
        const files = await db.mediaFile.findMany({
          where: { id: { in: fileIds }, deletedAt: null },
          select: {
            id: true,
            userId: true,
            title: true,
            status: true,
            deletedAt: true,
            redactionKinds: true,
            redactionError: true,
          },
        });
        const permissions = await permissionsOf(db, reader, files);
        const masksOf = await fileMasksOf(db, files);
        return {
          files: files.flatMap(({ id, userId, title }) => {
            const permission = permissions.get(id);
            return permission ? [{ fileId: id, ownerId: userId, title, permission, masks: masksOf(id) }] : [];
          }),
        };
      }),
    ],
  };
}

type TaggedFile = MediaFile & { tags: { tag: { name: string } }[] };

function toInsightFile(file: TaggedFile, masks: string[]): InsightFile {
  return {
    fileId: file.id,
    ownerId: file.userId,
    title: file.title,
    contentType: file.contentType,
    language: file.language,
    duration: file.duration,
    uploadTime: file.uploadTime.toISOString(),
    transcriptVersion: file.transcriptVersion,
    tags: file.tags.map(({ tag }) => tag.name),
    masks,
  };
}

function toInsightSegment({ uuid, start_time, end_time, text, speaker }: SegmentObject): InsightSegment {
  return {
    uuid,
    start: start_time,
    end: end_time,
    text,
    speakerUuid: speaker?.uuid ?? null,
    speakerLabel: speaker?.name ?? null,
    speakerName: speaker && speakerName(speaker),
    named: Boolean(speaker?.display_name),
  };
}
