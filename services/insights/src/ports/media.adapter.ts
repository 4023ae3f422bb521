import {
  mediaInsightsRpc,
  type InsightFile,
  type InsightSegment,
  type ReadableFile,
  type Role,
} from '@overtone/contracts';
import { AppError, type Bus } from '@overtone/service-kit';

const pageSize = 1_000;
const maxFiles = 500;
const maxReads = 3;

export type Transcript = {
  file: InsightFile;
  /** In the order of the recording; empty when `withheld`. */
  segments: InsightSegment[];
  /** Nothing may be sent before the transcript was scanned for personal data. */
  withheld: boolean;
};
export type Reader = { userId: string; role: Role };

/** Transcripts and permissions, as media decides. All reject with AppError unavailable while media does not respond. */
export type Media = {
  /** @returns null for a file that does not exist or is in the bin. */
  readTranscript: (fileId: string, signal?: AbortSignal) => Promise<Transcript | null>;
  hasTranscript: (fileId: string) => Promise<boolean>;
  /** The files that the reader may see, by id. */
  access: (fileIds: readonly string[], reader: Reader) => Promise<ReadonlyMap<string, ReadableFile>>;
};

export function createMedia({ bus }: { bus: Pick<Bus, 'request'> }): Media {
  return {
    readTranscript: async (fileId, signal) => {
      // An edit between two pages would mix two versions.
      for (let read = 0; read < maxReads; read += 1) {
        const transcript = await readOnce(bus, fileId, signal);
        if (transcript !== 'changed') return transcript;
      }
      throw new AppError('unavailable', 'service_unavailable', 'The transcript is being changed.');
    },
    hasTranscript: async (fileId) => {
      const { file } = await bus.request(mediaInsightsRpc.transcript, { fileId, offset: 0, limit: 1 });
      return file !== null && file.transcriptVersion > 0;
    },
    access: async (fileIds, reader) => {
      const wanted = [...new Set(fileIds)];
      const pages = Array.from({ length: Math.ceil(wanted.length / maxFiles) }, (_, page) =>
        bus.request(mediaInsightsRpc.access, {
          fileIds: wanted.slice(page * maxFiles, (page + 1) * maxFiles),
          reader: { userId: reader.userId, role: reader.role },
        }),
      );
      const replies = await Promise.all(pages);
      return new Map(replies.flatMap(({ files }) => files).map((file) => [file.fileId, file]));
    },
  };
}

async function readOnce(
  bus: Pick<Bus, 'request'>,
  fileId: string,
  signal: AbortSignal | undefined,
): Promise<Transcript | null | 'changed'> {
  const segments: InsightSegment[] = [];
  let [version, masks]: [number?, string?] = [];
  for (;;) {
    signal?.throwIfAborted();
    const page = await bus.request(mediaInsightsRpc.transcript, { fileId, offset: segments.length, limit: pageSize });
    const { file, total, withheld } = page;
    if (!file) return null;
    if (withheld) return { file, segments: [], withheld };
    version ??= file.transcriptVersion;
    masks ??= JSON.stringify(file.masks);
    if (file.transcriptVersion !== version || JSON.stringify(file.masks) !== masks) return 'changed';
    segments.push(...page.segments);
    if (segments.length >= total) return { file, segments, withheld };
    // The number of passages has changed between two pages.
    if (page.segments.length === 0) return 'changed';
  }
}
