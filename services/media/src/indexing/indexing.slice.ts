import { mediaRpc } from '@overtone/contracts';
import { rpc, type Slice } from '@overtone/service-kit';
import { isQuarantined } from '../access/access.ts';
import type { Db } from '../database.ts';
import type { MediaFile } from '../generated/client.ts';
import { maskForIndex } from '../redaction/redaction.store.ts';
import { readSegments } from '../transcripts/transcripts.store.ts';
import { takeFitting } from './indexing.ts';

/** Serves search-indexer; a page is shorter than requested when its words would not fit into a message. */
export function createIndexingSlice({ db }: { db: Db }): Slice {
  return {
    rpcs: [
      rpc(mediaRpc.transcriptPage, async ({ fileId, offset, limit }) => {
        const file = await db.mediaFile.findUnique({
          where: { id: fileId },
          include: { tags: { include: { tag: true } } },
        });
        if (!file || file.deletedAt || isQuarantined(file)) return { file: null, segments: [], total: 0 };
        // What one reader may not read must not be found by another one's search: the index is shared.
        const mask = await maskForIndex(db, file);
        const page = await readSegments(db, fileId, { limit, offset, words: true, mask });
        const segments = page.segments.map(({ start_time: start, end_time: end, text, words, speaker, withheld }) => ({
          start,
          end,
          text: withheld ? '' : text,
          words,
          speaker: speaker && (speaker.display_name ?? speaker.name),
        }));
        const { total } = page;
        return { file: toIndexable(file), segments: takeFitting(segments), total };
      }),
      rpc(mediaRpc.listTranscribed, async ({ after, limit }) => {
        const files = await db.mediaFile.findMany({
          where: {
            transcriptVersion: { gt: 0 },
            transcriptProvisional: false,
            deletedAt: null,
            status: { not: 'quarantined' },
            ...(after ? { id: { gt: after } } : {}),
          },
          orderBy: { id: 'asc' },
          take: limit,
        });
        return {
          files: files.map(({ id, userId, transcriptVersion }) => ({ fileId: id, ownerId: userId, transcriptVersion })),
        };
      }),
    ],
  };
}

type IndexedFile = MediaFile & { tags: { tag: { name: string } }[] };

function toIndexable(file: IndexedFile) {
  return {
    fileId: file.id,
    ownerId: file.userId,
    title: file.title,
    filename: file.filename,
    contentType: file.contentType,
    duration: file.duration,
    language: file.language,
    uploadTime: file.uploadTime.toISOString(),
    transcriptVersion: file.transcriptVersion,
    tags: file.tags.map(({ tag }) => tag.name),
  };
}
