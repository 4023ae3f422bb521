import type { FileMasks, SummaryContent } from '@overtone/contracts';
import type { Db } from '../database.ts';
import type { MediaFiles } from '../ports/media-files.adapter.ts';
import type { CitedAnswer } from './citations.ts';
import type { EvidenceFile } from './evidence.ts';
import { summaryAnswerOf } from './summary-answer.ts';

/** @returns null when there is no summary of the current transcript. */
export type FindSummary = (db: Db, fileId: string, masks: FileMasks) => Promise<SummaryContent | null>;
/** Answers a general question about one file from its latest summary; null when there is none. */
export type SummaryAnswer = (file: EvidenceFile, question: string, signal: AbortSignal) => Promise<CitedAnswer | null>;

type Deps = { db: Db; media: Pick<MediaFiles, 'transcript'>; findSummary: FindSummary };

export function createSummaryAnswer({ db, media, findSummary }: Deps): SummaryAnswer {
  return async ({ fileId, title, masks }, question, signal) => {
    const content = await findSummary(db, fileId, masks);
    if (!content) return null;
    const { segments } = await media.transcript(fileId, signal);
    return summaryAnswerOf(
      question,
      content,
      segments.map((segment) => ({ ...segment, fileId, title })),
    );
  };
}
