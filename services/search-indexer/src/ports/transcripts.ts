import type { indexableFile } from '@overtone/contracts';
import type { z } from 'zod';
import type { SpokenSegment } from '../chunking/chunking.ts';

export type IndexableFile = z.infer<typeof indexableFile>;
export type FileRef = { fileId: string; ownerId: string; transcriptVersion: number };

/** Files and their transcripts, as media has them now. */
export type Transcripts = {
  /** A file with its whole transcript of one version; null when it is gone. @throws AppError unavailable. */
  read: (fileId: string, signal: AbortSignal) => Promise<{ file: IndexableFile; segments: SpokenSegment[] } | null>;
  /** A file without its transcript. */
  file: (fileId: string) => Promise<IndexableFile | null>;
  /** Files with a transcript in order of id. */
  list: (after: string | null, limit: number) => Promise<FileRef[]>;
};
