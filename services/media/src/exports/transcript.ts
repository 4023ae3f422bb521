import type { CommentThread, FileDetail } from '@overtone/contracts';
import type { ExportFormat, ExportOptions } from '@overtone/contracts/export-formats';
import { speakerName } from '@overtone/contracts/speakers';
import { collapseWhitespace, type Spoken } from './spoken.ts';
import type { ExportedSummary } from './summary.ts';

export type About = Pick<
  FileDetail,
  | 'title'
  | 'filename'
  | 'content_type'
  | 'language'
  | 'duration'
  | 'recorded_date'
  | 'upload_time'
  | 'engine'
  | 'speakers'
>;

/** What an export is made of. The passages arrive while it is written. */
export type Transcript = {
  about: About;
  options: ExportOptions;
  summary: ExportedSummary | null;
  /** Null: not exported. */
  comments: readonly CommentThread[] | null;
  /** The page of the recording, for links to a second. */
  link: string;
  /** The document whose form a Word document gets. `missing`: it was deleted after it was chosen. */
  wordTemplate: Uint8Array | 'missing' | null;
  segments: AsyncIterable<Spoken>;
};

/** What is made of a transcript: a document, or a check of its subtitles. */
export type Product = ExportFormat | 'subtitle_check';

/** Writes one product, in pieces. */
export type Writer = (transcript: Transcript) => AsyncIterable<string | Uint8Array>;

export function speakerNames({ speakers }: Pick<About, 'speakers'>): string[] {
  return speakers.map((speaker) => collapseWhitespace(speakerName(speaker)));
}

/** `2026-11-28`: when it was recorded, or uploaded. */
export function dayOf({ recorded_date: recorded, upload_time: uploaded }: About): string {
  return (recorded ?? uploaded).slice(0, 10);
}
