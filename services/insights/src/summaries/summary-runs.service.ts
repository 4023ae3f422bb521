import { summaryLive, type InputOf, type insightsJobs } from '@overtone/contracts';
import type { Outbox } from '@overtone/database';
import type { JobDelivery } from '@overtone/jobs';
import { conflict, isAppError, type Bus, type Log } from '@overtone/service-kit';
import type { Db } from '../database.ts';
import type { InsightSummary } from '../generated/client.ts';
import type { LanguageModels } from '../ports/language-model.ts';
import type { Media, Transcript } from '../ports/media.adapter.ts';
import type { SentenceVectors } from '../ports/sentence-vectors.adapter.ts';
import { contentTypeOf, type InstructionsFor } from '../prompts/prompts.ts';
import { fingerprintOf, retrySeconds, type SummaryResult } from './summaries.ts';
import { announce } from './summaries.store.ts';
import {
  beginAttempt,
  completeAttempt,
  failAttempt,
  readSection,
  recordBeginning,
  recordProgress,
  releaseAttempt,
  touchAttempt,
  writeSection,
  type Attempt,
  type Failure,
} from './summary-attempts.store.ts';
import { summarizeWithModel, type SectionMemory } from './with-model.ts';
import { summarizeWithoutModel } from './without-model.ts';

type Deps = {
  db: Db;
  outbox: Outbox;
  bus: Pick<Bus, 'publishLive'>;
  log: Log;
  media: Pick<Media, 'readTranscript'>;
  models: LanguageModels;
  instructionsFor: InstructionsFor;
  sentenceVectors: SentenceVectors;
  /** A summary has ended, for metrics. */
  onEnd: (outcome: 'completed' | 'partial' | 'failed', seconds: number | null) => void;
};

const touchEveryMs = 3_000;
const unscannedRetrySeconds = 20;

/** Works on ordered summaries. */
export function createSummaryRuns(deps: Deps) {
  const { db, log } = deps;
  return {
    /** Repeated deliveries are fenced by the token of the attempt; a failure of the model is stored with the summary. */
    run: async ({ summaryId }: InputOf<typeof insightsJobs.summarize>, { signal }: JobDelivery) => {
      const row = await beginAttempt(db, summaryId);
      if (!row) return {};
      const attempt = { id: row.id, token: row.token };
      const current = keepAttempt(db, attempt, signal);
      try {
        await work(deps, row, current.signal);
      } catch (error) {
        if (signal.aborted) await releaseAttempt(db, attempt);
        if (signal.aborted || !isAppError(error)) throw error;
        if (current.isReplaced()) return {};
        log.warn({ err: error, file_id: row.fileId, summary: row.id }, 'summary attempt failed');
        const seconds = retrySeconds(error.code, row.failures + 1, error.retryAfterSeconds);
        await fail(deps, row, { code: error.code, retryAfterSeconds: seconds, counts: true });
      } finally {
        current.release();
      }
      return {};
    },
  };
}

/** Renews the attempt, and aborts its requests when a newer one has begun or the summary was deleted. */
function keepAttempt(db: Db, attempt: Attempt, stop: AbortSignal) {
  const replaced = new AbortController();
  const timer = setInterval(() => {
    touchAttempt(db, attempt).then(
      (isCurrent) => isCurrent || replaced.abort(superseded()),
      () => undefined,
    );
  }, touchEveryMs);
  return {
    signal: AbortSignal.any([stop, replaced.signal]),
    isReplaced: () => replaced.signal.aborted,
    release: () => clearInterval(timer),
  };
}

function superseded() {
  return conflict('job_cancelled', 'A newer attempt has begun, or the summary was deleted.');
}

async function work(deps: Deps, row: InsightSummary, signal: AbortSignal): Promise<void> {
  const { db, outbox, media } = deps;
  const startedAt = Date.now();
  const transcript = await media.readTranscript(row.fileId, signal);
  if (!transcript) {
    await db.insightSummary.deleteMany({ where: { id: row.id, token: row.token } });
    return;
  }
  if (transcript.withheld)
    return fail(deps, row, { code: 'transcript_withheld', retryAfterSeconds: unscannedRetrySeconds, counts: false });
  if (!transcript.segments.some(({ text }) => text.trim() !== ''))
    return fail(deps, row, { code: 'transcript_missing', retryAfterSeconds: null, counts: true });
  const result = await summarize(deps, row, transcript, signal);
  const durationMs = Date.now() - startedAt;
  const isStored = await db.$transaction(async (tx) => {
    const isCurrent = await completeAttempt(tx, row, result, { masks: transcript.file.masks, durationMs });
    if (isCurrent) await announce(tx, outbox, row);
    return isCurrent;
  });
  if (isStored) deps.onEnd(result.gaps.length === 0 ? 'completed' : 'partial', durationMs / 1_000);
}

async function summarize(
  deps: Deps,
  row: InsightSummary,
  { file, segments }: Transcript,
  signal: AbortSignal,
): Promise<SummaryResult> {
  const { db, models, instructionsFor } = deps;
  const userId = row.orderedBy ?? row.ownerId;
  const model = await models.for(userId);
  const fingerprint = fingerprintOf(segments);
  if (!model) {
    await recordBeginning(db, row, { promptId: null, promptName: null, fingerprint });
    return summarizeWithoutModel({ language: file.language, segments, sentenceVectors: deps.sentenceVectors, signal });
  }
  const prompt = await instructionsFor({ userId, promptUuid: row.promptId, contentType: contentTypeOf(file.tags) });
  await recordBeginning(db, row, { promptId: prompt.promptUuid, promptName: prompt.name, fingerprint });
  const { text, organisationContext } = prompt;
  return summarizeWithModel(model, {
    fileId: row.fileId,
    userId,
    segments,
    guidance: { text, organisationContext, language: row.language },
    memory: createMemory(db, row),
    signal,
    onProgress: createProgress(deps, row),
  });
}

function createMemory(db: Db, attempt: Attempt): SectionMemory {
  return {
    read: (key) => readSection(db, attempt.id, key),
    write: async (sectionKey, result, usage) => {
      const isStored = await db.$transaction((tx) => writeSection(tx, attempt, { sectionKey, result, usage }));
      if (!isStored) throw superseded();
    },
  };
}

const draftEveryMs = 200;

/** Stores the number of finished sections, and pushes it with the draft to readers. */
function createProgress({ db, bus, log }: Deps, { id, token, fileId, ownerId, version }: InsightSummary) {
  let [stored, sentAt] = [-1, 0];
  return (sectionsDone: number, sectionsTotal: number, draft: string): void => {
    const isNew = sectionsDone !== stored;
    if (!isNew && Date.now() - sentAt < draftEveryMs) return;
    sentAt = Date.now();
    bus.publishLive(summaryLive.progress, { fileId, ownerId, version, sectionsDone, sectionsTotal, draft });
    if (!isNew) return;
    stored = sectionsDone;
    recordProgress(db, { id, token }, sectionsDone, sectionsTotal).catch((err: unknown) =>
      log.debug({ err: err as Error }, 'summary progress not stored'),
    );
  };
}

async function fail({ db, outbox, onEnd }: Deps, row: InsightSummary, failure: Failure): Promise<void> {
  const isStored = await db.$transaction(async (tx) => {
    const isCurrent = await failAttempt(tx, row, failure);
    if (isCurrent) await announce(tx, outbox, row);
    return isCurrent;
  });
  if (isStored && failure.retryAfterSeconds === null) onEnd('failed', null);
}
