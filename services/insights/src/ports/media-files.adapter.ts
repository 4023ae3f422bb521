import { collectionNamesRpc, collectionRpc, type FileMasks } from '@overtone/contracts';
import type { Bus } from '@overtone/service-kit';
import type { Media, Reader } from './media.adapter.ts';

export type MediaFile = { fileId: string; ownerId: string; title: string; masks: FileMasks };
/** Times in seconds. `speaker`: the given name, or `Speaker 1`. */
export type SpokenSegment = { uuid: string; start: number; end: number; text: string; speaker: string | null };

/** Recordings and collections as media lets a person read them. */
export type MediaFiles = {
  /** The files among these that the reader may read. */
  access: (fileIds: readonly string[], reader: Reader) => Promise<MediaFile[]>;
  /** The transcript with its masks; empty while its text is withheld, and for a deleted file. */
  transcript: (fileId: string, signal?: AbortSignal) => Promise<{ language: string | null; segments: SpokenSegment[] }>;
  /** The files of a collection that the reader may read; null when the reader may not see the collection. */
  filesOf: (collectionId: string, reader: Reader) => Promise<string[] | null>;
  /** Names of the collections among these that the reader may see, by id. */
  collectionNames: (collectionIds: readonly string[], reader: Reader) => Promise<ReadonlyMap<string, string>>;
};

export function createMediaFiles({ bus, media }: { bus: Pick<Bus, 'request'>; media: Media }): MediaFiles {
  return {
    access: async (fileIds, reader) => {
      const files = await media.access(fileIds, reader);
      return [...files.values()].map(({ fileId, ownerId, title, masks }) => ({ fileId, ownerId, title, masks }));
    },
    transcript: async (fileId, signal) => {
      const transcript = await media.readTranscript(fileId, signal);
      const segments = (transcript?.segments ?? []).map(({ uuid, start, end, text, speakerName }) => ({
        uuid,
        start,
        end,
        text,
        speaker: speakerName,
      }));
      return { language: transcript?.file.language ?? null, segments };
    },
    filesOf: async (collectionId, { userId, role }) =>
      (await bus.request(collectionRpc.filesOf, { collectionId, reader: { userId, role } })).fileIds,
    collectionNames: async (collectionIds, { userId, role }) => {
      if (collectionIds.length === 0) return new Map();
      const request = { collectionIds: [...collectionIds], reader: { userId, role } };
      const { collections } = await bus.request(collectionNamesRpc.names, request);
      return new Map(collections.map(({ collectionId, name }) => [collectionId, name]));
    },
  };
}
