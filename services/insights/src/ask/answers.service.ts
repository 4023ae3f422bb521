import type { AskEvent } from '@overtone/contracts';
import { unavailable } from '@overtone/service-kit';
import type { LanguageModel, LanguageModels } from '../ports/language-model.ts';
import type { MediaFiles } from '../ports/media-files.adapter.ts';
import type { Search } from '../ports/search.adapter.ts';
import type { InstructionsFor } from '../prompts/prompts.ts';
import { createEnvelope } from '../untrusted/untrusted.ts';
import { declinedOutcome, type Attempt, type Outcome, type Reader, type Scope } from './ask.ts';
import { cite } from './citations.ts';
import { countAnswer } from './count-answer.ts';
import { countQuestionOf, type CountQuestion } from './counting.ts';
import type { EvidenceFile } from './evidence.ts';
import type { EvidenceFinder, FoundEvidence, Material } from './evidence.service.ts';
import { extract } from './extract.ts';
import { searchTextOf } from './follow-up.ts';
import { isNotFound, maxOutputTokens, promptFor, type Turn } from './prompt.ts';
import { plainText, sentencesOf } from './sentences.ts';
import type { SummaryAnswer } from './summary-answer.service.ts';

const maxListed = 20;
const emitEveryMs = 100;

export type AnswerRequest = Scope & {
  attempt: Attempt;
  reader: Reader;
  withoutModel: boolean;
  /** Earlier questions with what the reader may still read of their answers, the oldest first. */
  history: readonly Turn[];
  /** Stores the files before their text is read. @returns false when the answer is not wanted any more. */
  record: (files: readonly EvidenceFile[]) => Promise<boolean>;
  emit: (event: AskEvent) => void;
  signal: AbortSignal;
};
export type AnswersDeps = {
  search: Search;
  media: MediaFiles;
  evidence: EvidenceFinder;
  models: LanguageModels;
  instructionsFor: InstructionsFor;
  summaryAnswer: SummaryAnswer;
};

/** Writes the answer of one question. Failures of providers and of search are AppErrors. */
export function createAnswers(deps: AnswersDeps) {
  const { evidence, models, summaryAnswer } = deps;
  return async (request: AnswerRequest): Promise<Outcome> => {
    const { attempt, reader, history, record, emit, signal } = request;
    const { question } = attempt;
    emit({ event: 'stage', data: { stage: 'searching' } });
    const material = await evidence.materialOf(request, reader);
    const counting = countQuestionOf(question);
    if (counting) return await count(deps, { counting, material, request });
    const text = searchTextOf(question, history.at(-1)?.question ?? null);
    const found = await evidence.find({ question: text, reader, material }, record, signal);
    const [only] = request.scope === 'file' ? found.files : [];
    if (found.evidence === 'general' && only) {
      const summary = await summaryAnswer(only, question, signal);
      if (summary) return { ...declinedOutcome, status: 'answered', madeBy: 'summary', ...summary };
    }
    const declined = { ...declinedOutcome, searchPartial: found.isPartial };
    if (found.passages.length === 0) return declined;
    const model = request.withoutModel ? null : await models.for(reader.userId);
    if (!model) return extract(question, found);
    emit({ event: 'stage', data: { stage: 'writing' } });
    return await write(deps, { model, found, request });
  };
}

export type Answers = ReturnType<typeof createAnswers>;

async function write(
  deps: AnswersDeps,
  { model, found, request }: { model: LanguageModel; found: FoundEvidence; request: AnswerRequest },
): Promise<Outcome> {
  const { reader, history, emit, signal, attempt } = request;
  const { info } = model;
  const instructions = { userId: reader.userId, promptUuid: null, contentType: 'general' as const };
  const { organisationContext } = await deps.instructionsFor(instructions);
  const input = { question: attempt.question, passages: found.passages, history, organisationContext };
  const { system, prompt, used } = promptFor(
    input,
    { contextTokens: info.contextTokens, countTokens: (text) => model.countTokens(text) },
    createEnvelope(),
  );
  if (used.length === 0)
    throw unavailable(
      'provider_context_exceeded',
      'The question and its passages are too long for the language model.',
    );
  const { text } = await model.text({
    purpose: 'answer',
    fileId: found.files.length === 1 ? (found.files[0]?.fileId ?? null) : null,
    userId: reader.userId,
    system,
    prompt,
    maxOutputTokens,
    signal,
    onText: throttledText(emit),
  });
  const outcome = {
    ...declinedOutcome,
    madeBy: 'model' as const,
    provider: info.provider,
    model: info.model,
    searchPartial: found.isPartial,
  };
  if (plainText(text) === '')
    throw unavailable('provider_answer_invalid', 'The language model returned an empty answer.');
  return isNotFound(text) ? outcome : { ...outcome, ...supported(cite(sentencesOf(text), used)) };
}

/** An answer of which no sentence is supported is not shown: the recordings do not say it. */
function supported(
  answer: Pick<Outcome, 'sentences' | 'citations'>,
): Pick<Outcome, 'status' | 'sentences' | 'citations'> {
  if (answer.citations.length === 0) return { status: 'declined', sentences: [], citations: [] };
  return { status: 'answered', ...answer };
}

/** Emits the text of a model while it is written, at most ten times a second. */
function throttledText(emit: (event: AskEvent) => void): (soFar: string) => void {
  let emittedAt = 0;
  return (soFar) => {
    if (Date.now() - emittedAt < emitEveryMs || isNotFound(soFar)) return;
    emittedAt = Date.now();
    emit({ event: 'text', data: { text: sentencesOf(soFar).join(' ') } });
  };
}

async function count(
  { search, media }: AnswersDeps,
  { counting, material, request }: { counting: CountQuestion; material: Material; request: AnswerRequest },
): Promise<Outcome> {
  const { reader, record } = request;
  const fileIds = material.files;
  const { files, totalFiles } = await search.countMentions({ phrase: counting.phrase, reader, fileIds });
  // The index may lag behind a share that was ended.
  const readable = new Map(
    (
      await media.access(
        files.map(({ fileId }) => fileId),
        reader,
      )
    ).map((file) => [file.fileId, file]),
  );
  const counted = files.filter(({ fileId }) => readable.has(fileId));
  if (!(await record([...readable.values()]))) return declinedOutcome;
  const listed = counted.slice(0, maxListed);
  const answer = countAnswer(counting, {
    files: listed.map(({ fileId, count: mentions, start }) => ({
      fileId,
      title: readable.get(fileId)?.title ?? '',
      count: mentions,
      start,
    })),
    totalFiles: totalFiles - (files.length - counted.length),
    totalMentions: counted.reduce((sum, file) => sum + file.count, 0),
    isComplete: totalFiles === files.length,
  });
  return { ...declinedOutcome, status: 'answered', madeBy: 'count', ...answer };
}
