import type { AskMessage, AskStatus, AnswerMaker } from '@overtone/contracts';
import { isMoreMasked } from '../masks.ts';
import type { MediaFile } from '../ports/media-files.adapter.ts';
import type { Citation, Sentence } from './citations.ts';

/** A stored question and its answer. */
export type Message = {
  id: string;
  question: string;
  status: AskStatus;
  madeBy: AnswerMaker | null;
  provider: string | null;
  model: string | null;
  sentences: Sentence[];
  citations: Citation[];
  fileIds: string[];
  /** What was masked in each of the files. */
  masks: Record<string, unknown>;
  searchPartial: boolean;
  errorCode: string | null;
  askedAt: Date;
  answeredAt: Date | null;
};
/** The files that a reader may read, by id. */
export type ReadableFiles = ReadonlyMap<string, Pick<MediaFile, 'title' | 'masks'>>;

/**
 * A message as its reader may read it. A citation of a file that the reader may not read has neither title nor quote. A sentence
 * is withheld when it rests on such a file, and also when it rests on no citation and the answer used such a file. A file of which
 * more is masked than when the answer was made counts as one that may not be read.
 */
export function visibleMessage(message: Message, files: ReadableFiles): AskMessage {
  const readable = new Map([...files].filter(([id, { masks }]) => !isMoreMasked(masks, message.masks[id])));
  const hidden = new Set(message.citations.filter(({ fileId }) => !readable.has(fileId)).map(({ number }) => number));
  const usesHidden = message.fileIds.some((id) => !readable.has(id));
  return {
    uuid: message.id,
    question: message.question,
    status: message.status,
    made_by: message.madeBy,
    provider: message.provider,
    model: message.model,
    sentences: message.sentences.map(({ text, citations, supported }) => {
      const withheld = citations.length === 0 ? usesHidden : citations.some((number) => hidden.has(number));
      return { text: withheld ? '' : text, citations, supported, withheld };
    }),
    citations: message.citations.map((citation) => visibleCitation(citation, readable)),
    search_partial: message.searchPartial,
    error_code: message.errorCode,
    asked_at: message.askedAt.toISOString(),
    answered_at: message.answeredAt?.toISOString() ?? null,
  };
}

function visibleCitation(
  { number, fileId, start, end, speaker, quote, isEdited = false }: Citation,
  readable: ReadableFiles,
): AskMessage['citations'][number] {
  const file = readable.get(fileId);
  if (!file) {
    const nothing = { file_uuid: null, file_title: null, start: null, end: null, speaker: null, quote: null };
    return { number, withheld: true, edited: false, ...nothing };
  }
  return {
    number,
    withheld: false,
    edited: isEdited,
    file_uuid: fileId,
    file_title: file.title,
    start,
    end,
    speaker,
    quote,
  };
}

/** The answer as one text, for the model and for search; empty when nothing of it may be read. */
export function answerText({ sentences }: Pick<AskMessage, 'sentences'>): string {
  return sentences.flatMap(({ text, withheld }) => (withheld ? [] : [text])).join(' ');
}
