import { collectionRpc, type ReplyOf } from '@overtone/contracts';
import type { Bus } from '@overtone/service-kit';
import type { Media, Reader } from './media.adapter.ts';

export type MediaFile = { fileId: string; ownerId: string; title: string };
/** Times in seconds. `speaker`: the given name, or `Speaker 1`. */
export type SpokenSegment = { uuid: string; start: number; end: number; text: string; speaker: string | null };

/** Recordings and collections as media lets a person read them. */
export type MediaFiles = {
  /** The files among these that the reader may read. */
  access: (fileIds: readonly string[], reader: Reader) => Promise<MediaFile[]>;
  /** The transcript with its masks; empty while its text is withheld, and for a deleted file. */
  segments: (fileId: string, signal?: AbortSignal) => Promise<SpokenSegment[]>;
  /** Null for a collection that the reader may not read. `total`: also files beyond those that are listed. */
  collection: (collectionId: string, reader: Reader) => Promise<ReplyOf<typeof collectionRpc.describe>['collection']>;
};

export function createMediaFiles({ bus, media }: { bus: Pick<Bus, 'request'>; media: Media }): MediaFiles {
  return {
    access: async (fileIds, reader) => {
      const files = await media.access(fileIds, reader);
      return [...files.values()].map(({ fileId, ownerId, title }) => ({ fileId, ownerId, title }));
    },
    segments: async (fileId, signal) => {
      const transcript = await media.readTranscript(fileId, signal);
      return (transcript?.segments ?? []).map(({ uuid, start, end, text, speakerName }) => ({
        uuid,
        start,
        end,
        text,
        speaker: speakerName,
      }));
    },
    collection: async (collectionId, { userId, role }) =>
      (await bus.request(collectionRpc.describe, { collectionId, reader: { userId, role } })).collection,
  };
}
