import type { indexableFile } from '@overtone/contracts';
import type { z } from 'zod';
import type { SpokenSegment } from '../chunking/chunking.ts';

export type IndexableFile = z.infer<typeof indexableFile>;
export type FileRef = { fileId: string; ownerId: string; transcriptVersion: number };

/** Current files and transcripts of media. */
export type Transcripts = {
  /** A file with its complete transcript of one version; null when it does not exist. @throws AppError unavailable. */
  read: (fileId: string, signal: AbortSignal) => Promise<{ file: IndexableFile; segments: SpokenSegment[] } | null>;
  /** A file without its transcript. */
  file: (fileId: string) => Promise<IndexableFile | null>;
  /** Files with a transcript in order of id. */
  list: (after: string | null, limit: number) => Promise<FileRef[]>;
};
