import { createHash } from 'node:crypto';
import type { InsightSegment, SummaryContent, SummaryGap } from '@overtone/contracts';
import { conflict, invalid, isAppError } from '@overtone/service-kit';
import type { LanguageModel, Usage } from '../ports/language-model.ts';
import { remedyOf } from '../ports/model-failures.ts';
import { draftOf, sourcesOfSegments, summaryAnswer, toContent, type Source } from './answers.ts';
import { groupNotes, joinContents, toNoteLines, withUnsent } from './combine.ts';
import { budgetOf, identityOf, toRequest, type Guidance, type Task } from './requests.ts';
import { splitSections, type Line, type Section } from './sections.ts';
import type { SummaryResult } from './summaries.ts';

/** Results of finished requests, so that a resumed summary does not repeat them. */
export type SectionMemory = {
  read: (key: string) => Promise<SummaryContent | null>;
  /** Rejects when a newer attempt has begun. */
  write: (key: string, content: SummaryContent, usage: Usage) => Promise<void>;
};
export type SummaryInput = {
  fileId: string;
  userId: string;
  segments: readonly InsightSegment[];
  guidance: Guidance;
  memory: SectionMemory;
  signal: AbortSignal;
  onProgress: (done: number, total: number, draft: string) => void;
};
type Call = { task: Task; lines: readonly Line[]; sourceOf: (number: number) => Source | undefined; isLast: boolean };
type Ask = (call: Call) => Promise<SummaryContent>;

const parallelSections = 4;
/** Failures of one request: other parts of the recording are not concerned. */
const sectionRemedies = new Set(['larger_model', 'other_request']);

/** Summarises a transcript of any length: in sections that fit the window of the model, which are combined, repeatedly if needed. */
export async function summarizeWithModel(model: LanguageModel, input: SummaryInput): Promise<SummaryResult> {
  const { segments, guidance, onProgress } = input;
  const countTokens = (text: string): number => model.countTokens(text);
  const { maxOutputTokens, room } = budgetOf(model.info.contextTokens, guidance, countTokens);
  if (room === null)
    throw invalid('summary_prompt_too_long', 'The prompt leaves no room for a transcript in the window of the model.');
  const sections = splitSections(segments, room, countTokens);
  const total = sections.length === 1 ? 1 : sections.length + 1;
  const progress = { done: 0, total };
  const ask = createAsk(model, input, { maxOutputTokens, progress });
  onProgress(0, total, '');
  const sourceOf = sourcesOfSegments(segments);
  const task: Task = sections.length === 1 ? 'whole' : 'section';
  const outcomes = await inParallel(sections, async ({ lines }) => {
    const outcome = await catchFailure(ask({ task, lines, sourceOf, isLast: task === 'whole' }));
    progress.done += 1;
    onProgress(progress.done, total, '');
    return outcome;
  });
  const contents = outcomes.flatMap(({ content }) => content ?? []);
  if (contents.length === 0) throw outcomes[0]?.error ?? conflict('transcript_missing', 'The transcript has no text.');
  const { content, errorCode } = await combine({ contents, room, countTokens, ask });
  onProgress(total, total, '');
  return {
    content,
    gaps: gapsOf(sections, outcomes, segments),
    segments: segments.filter(({ text }) => text.trim() !== '').length,
    sections: total,
    errorCode: errorCode ?? outcomes.find(({ error }) => error)?.error?.code ?? null,
    provider: model.info.provider,
    model: model.info.model,
  };
}

type Asking = { maxOutputTokens: number; progress: { done: number; total: number } };

function createAsk(model: LanguageModel, input: SummaryInput, { maxOutputTokens, progress }: Asking): Ask {
  const { fileId, userId, guidance, memory, signal, onProgress } = input;
  return async ({ task, lines, sourceOf, isLast }) => {
    const key = keyOf([model.info.model, identityOf(task, guidance, lines)]);
    const known = await memory.read(key);
    if (known) return known;
    const { value, usage } = await model.object({
      purpose: task === 'combine' ? 'combine' : 'section',
      fileId,
      userId,
      ...toRequest(task, guidance, lines),
      maxOutputTokens,
      signal,
      schema: summaryAnswer,
      ...(isLast ? { onText: (soFar) => onProgress(progress.done, progress.total, draftOf(soFar)) } : {}),
    });
    const content = toContent(value, new Set(lines.map(({ number }) => number)), sourceOf);
    await memory.write(key, content, usage);
    return content;
  };
}

function keyOf(parts: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex');
}

type Outcome = { content?: SummaryContent; error?: { code: string } & Error };

async function catchFailure(work: Promise<SummaryContent>): Promise<Outcome> {
  try {
    return { content: await work };
  } catch (error) {
    if (isAppError(error) && sectionRemedies.has(remedyOf(error.code) ?? '')) return { error };
    throw error;
  }
}

type Combining = { contents: SummaryContent[]; room: number; countTokens: (text: string) => number; ask: Ask };

async function combine({
  contents,
  ...more
}: Combining): Promise<{ content: SummaryContent; errorCode: string | null }> {
  const [first] = contents;
  if (first && contents.length === 1) return { content: first, errorCode: null };
  const groups = groupNotes(contents, more.room, more.countTokens);
  const isLast = groups.length === 1;
  let errorCode: string | null = null;
  const combined = await inParallel(groups, async (group, at) => {
    const alone = group.length === 1 ? contents[groups.slice(0, at).flat().length] : undefined;
    if (alone) return [alone];
    const { content, error } = await catchFailure(more.ask({ task: 'combine', ...toNoteLines(group.flat()), isLast }));
    const before = groups.slice(0, at).flat().length;
    const parts = contents.slice(before, before + group.length);
    if (content) return [withUnsent(content, parts, group)];
    errorCode = error?.code ?? null;
    return [joinContents(parts)];
  });
  const next = await combine({ contents: combined.flat(), ...more });
  return { content: next.content, errorCode: next.errorCode ?? errorCode };
}

/** Runs the work of all items, a few at a time. The first failure ends the rest. */
async function inParallel<T, R>(items: readonly T[], work: (item: T, at: number) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  const queue = items.entries();
  let failed = false;
  const run = async (): Promise<void> => {
    for (const [at, item] of queue) {
      if (failed) return;
      results[at] = await work(item, at).catch((error: unknown) => {
        failed = true;
        throw error;
      });
    }
  };
  const runs = await Promise.allSettled(Array.from({ length: parallelSections }, run));
  const failure = runs.find((outcome) => outcome.status === 'rejected');
  if (failure) throw failure.reason;
  return results;
}

/** The parts of sections that the model has not summarised. A passage is covered when all its lines are. */
function gapsOf(
  sections: readonly Section[],
  outcomes: readonly Outcome[],
  segments: readonly InsightSegment[],
): SummaryGap[] {
  const counted = new Set<number>();
  return sections.flatMap(({ lines }, at) => {
    const error = outcomes[at]?.error;
    const missing = error ? [...new Set(lines.map(({ number }) => number))].filter((one) => !counted.has(one)) : [];
    const [first, last] = [segments[missing[0] ?? -1], segments[missing.at(-1) ?? -1]];
    if (!error || !first || !last) return [];
    for (const number of missing) counted.add(number);
    return [{ start: first.start, end: last.end, segments: missing.length, reason: error.code }];
  });
}
