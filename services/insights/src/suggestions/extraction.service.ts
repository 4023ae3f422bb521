import { suggestionEvents, type SuggestionPart } from '@overtone/contracts';
import type { Outbox } from '@overtone/database';
import type { JobDelivery } from '@overtone/jobs';
import { conflict, isAppError, type AppError, type Log } from '@overtone/service-kit';
import type { Db, Tx } from '../database.ts';
import type { WordFrequencies } from '../extractive/keyphrases.ts';
import type { LabelsPort } from '../ports/labels.adapter.ts';
import type { LanguageModels } from '../ports/language-model.ts';
import type { Media, Transcript } from '../ports/media.adapter.ts';
import { remedyOf } from '../ports/model-failures.ts';
import type { InstructionsFor } from '../prompts/prompts.ts';
import { recordWords, readFrequencies } from './library-words.store.ts';
import type { Preferences } from './preferences.store.ts';
import { selectAutomatic, selectLabels, selectSpeakerNames, type Candidate, type LabelContext } from './suggestions.ts';
import {
  beginAttempt,
  endAttempt,
  forgetFile,
  recordResult,
  replacePending,
  setStatus,
  touchAttempt,
  type Attempt,
} from './suggestions.store.ts';
import { findLabelsWithModel, findSpeakersWithModel, type SectionMemory } from './with-model.ts';
import { findLabelsWithoutModel, findSpeakersWithoutModel, sentencesOf } from './without-model.ts';

export type ExtractionDeps = {
  db: Db;
  outbox: Outbox;
  log: Log;
  labels: Pick<LabelsPort, 'context' | 'apply'>;
  media: Pick<Media, 'readTranscript'>;
  models: LanguageModels;
  instructionsFor: InstructionsFor;
  preferences: Pick<Preferences, 'read'>;
};
type Order = Attempt & { ownerId: string; applies: boolean };
type Source = { context: LabelContext; transcript: Transcript };
type Finding = { candidates: Candidate[]; provider: string | null; model: string | null };

/** Finds suggestions for a file, stores them, and applies labels. */
export function createExtraction(deps: ExtractionDeps) {
  const { db, outbox, log, labels, models, instructionsFor, preferences } = deps;
  const announce = (tx: Tx, { fileId, ownerId }: Order): Promise<void> =>
    outbox.add(tx, suggestionEvents.changed, { fileId, ownerId });

  const end = (order: Order, state: 'completed' | 'failed' | 'withheld', errorCode: string | null = null) =>
    db.$transaction(async (tx) => {
      if (await endAttempt(tx, order, state, errorCode)) await announce(tx, order);
    });

  /** @returns null when there is nothing to read; the attempt has then ended. */
  const readSource = async (order: Order, signal: AbortSignal): Promise<Source | null> => {
    const context = await labels.context(order.fileId);
    const transcript = context && (await deps.media.readTranscript(order.fileId, signal));
    if (!context || !transcript) {
      await db.$transaction((tx) => forgetFile(tx, order.fileId));
      return null;
    }
    if (transcript.withheld) await end(order, 'withheld');
    return transcript.withheld ? null : { context, transcript };
  };

  const findLabels = async (order: Order, { context, transcript }: Source, signal: AbortSignal): Promise<Finding> => {
    const sentences = sentencesOf(transcript);
    const terms = new Set(sentences.flatMap((sentence) => sentence.terms));
    await db.$transaction((tx) => recordWords(tx, order.fileId, terms));
    const model = await models.for(order.ownerId);
    if (model) {
      const memory = createSectionMemory(db, order);
      const guidance = await instructionsFor({ userId: order.ownerId, promptUuid: null, contentType: 'general' });
      return {
        ...nameOf(model),
        candidates: await findLabelsWithModel(model, { order, context, transcript, guidance, memory, signal }),
      };
    }
    const { language } = transcript.file;
    const frequencies = withoutOwnFile(await readFrequencies(db, terms));
    const { collections } = context;
    return { ...noModel, candidates: findLabelsWithoutModel(sentences, { language, frequencies, collections }) };
  };

  const suggestLabels = async (order: Order, signal: AbortSignal): Promise<void> => {
    const source = await readSource(order, signal);
    if (!source) return;
    const { context, transcript } = source;
    const { candidates, provider, model } = await findLabels(order, source, signal);
    const decided = await db.suggestion.findMany({
      where: { fileId: order.fileId, kind: { in: ['tag', 'collection'] }, status: { not: 'pending' } },
    });
    const selected = selectLabels(candidates, context, { decided, language: transcript.file.language });
    const preference = await preferences.read(context.ownerId);
    const automatic = new Set(order.applies ? selectAutomatic(selected, preference, context.collections) : []);
    const rows = selected.map((candidate) => ({
      ...candidate,
      status: automatic.has(candidate) ? ('applying' as const) : ('pending' as const),
    }));
    const { transcriptVersion, masks } = transcript.file;
    const isStored = await db.$transaction(async (tx) => {
      if (!(await recordResult(tx, order, { transcriptVersion, provider, model }))) return false;
      await replacePending(tx, order, rows, masks);
      return true;
    });
    if (isStored) await applyChosen(order);
  };

  /** Applies the labels that were chosen. Repeated after an interruption, it finds them applied. */
  const applyChosen = async (order: Order): Promise<void> => {
    const { fileId } = order;
    const chosen = await db.suggestion.findMany({ where: { fileId, status: 'applying' } });
    const outcomes =
      chosen.length === 0
        ? []
        : await labels.apply({
            fileId,
            actor: null,
            labels: chosen.map(({ kind, name }) => ({ kind: kind as 'tag' | 'collection', name })),
          });
    await db.$transaction(async (tx) => {
      if (!(await endAttempt(tx, order, 'completed'))) return;
      for (const { id, kind, name } of chosen) {
        const outcome = outcomes.find((entry) => entry.kind === kind && entry.name === name)?.outcome;
        if (outcome === 'changed' || outcome === 'present')
          await setStatus(tx, [id], { from: ['applying'], to: 'applied', by: null });
        else if (outcome === 'removed_before')
          await setStatus(tx, [id], { from: ['applying'], to: 'rejected', by: null });
        else await tx.suggestion.update({ where: { id }, data: { status: 'pending' } });
      }
      await announce(tx, order);
    });
  };

  const suggestSpeakers = async (order: Order, signal: AbortSignal): Promise<void> => {
    const source = await readSource(order, signal);
    if (!source) return;
    const { context, transcript } = source;
    const isNeeded = !context.masksNames && context.speakers.some(({ name }) => name === null);
    const { candidates, provider, model } = isNeeded
      ? await findSpeakers(order, source, signal)
      : { ...noModel, candidates: [] };
    const rejected = await db.suggestion.findMany({
      where: { fileId: order.fileId, kind: 'speaker', status: { in: ['rejected', 'undone'] } },
    });
    const rows = selectSpeakerNames(candidates, context, rejected).map((candidate) => ({
      ...candidate,
      status: 'pending' as const,
    }));
    const { transcriptVersion, masks } = transcript.file;
    await db.$transaction(async (tx) => {
      if (!(await recordResult(tx, order, { transcriptVersion, provider, model }))) return;
      await replacePending(tx, order, rows, masks);
      await endAttempt(tx, order, 'completed');
      await announce(tx, order);
    });
  };

  const findSpeakers = async (order: Order, { context, transcript }: Source, signal: AbortSignal): Promise<Finding> => {
    const model = await models.for(order.ownerId);
    if (!model) return { ...noModel, candidates: findSpeakersWithoutModel(transcript, context.knownNames) };
    const memory = createSectionMemory(db, order);
    const contentType = 'speaker_identification';
    const guidance = await instructionsFor({ userId: order.ownerId, promptUuid: null, contentType });
    return {
      ...nameOf(model),
      candidates: await findSpeakersWithModel(model, { order, context, transcript, guidance, memory, signal }),
    };
  };

  const attempt = async (part: SuggestionPart, fileId: string, { signal }: JobDelivery): Promise<Order | null> => {
    const order = await beginAttempt(db, { fileId, part });
    if (!order) return null;
    const isApplying = part === 'labels' && (await db.suggestion.count({ where: { fileId, status: 'applying' } })) > 0;
    if (isApplying) await applyChosen(order);
    else await (part === 'labels' ? suggestLabels : suggestSpeakers)(order, signal);
    return order;
  };

  return {
    /**
     * Works on an ordered extraction. The last attempt stores why it failed; earlier suggestions stay.
     * @param attempts after which the job is not delivered again
     */
    run: async (part: SuggestionPart, fileId: string, delivery: JobDelivery, attempts: number): Promise<void> => {
      try {
        await attempt(part, fileId, delivery);
      } catch (error) {
        // A newer attempt stores its own result.
        if (isAppError(error) && error.code === 'file_busy') return;
        const isFinal = delivery.attempt >= attempts || (isAppError(error) && isPermanent(error));
        if (!isFinal || delivery.signal.aborted) throw error;
        log.warn({ err: error as Error, file_id: fileId, part }, 'suggestions failed');
        await failLatest(part, fileId, isAppError(error) ? error.code : 'internal_error');
      }
    },
  };

  async function failLatest(part: SuggestionPart, fileId: string, errorCode: string): Promise<void> {
    const row = await db.suggestionExtraction.findUnique({ where: { fileId_part: { fileId, part } } });
    if (row)
      await end({ fileId, part, token: row.token, ownerId: row.ownerId, applies: row.applies }, 'failed', errorCode);
  }
}

const noModel = { provider: null, model: null };

function nameOf({ info: { provider, model } }: { info: { provider: string; model: string } }) {
  return { provider, model };
}

/** The file itself was counted, too. */
function withoutOwnFile({ documents, documentsWith }: WordFrequencies): WordFrequencies {
  return { documents: documents - 1, documentsWith: (term) => Math.max(0, documentsWith(term) - 1) };
}

/** Results of finished sections, kept until the extraction is complete. A newer attempt ends this one. */
function createSectionMemory(db: Db, attempt: Attempt): SectionMemory {
  const { fileId, part } = attempt;
  return {
    read: async (sectionKey) => {
      const row = await db.suggestionSection.findUnique({
        where: { fileId_part_sectionKey: { fileId, part, sectionKey } },
      });
      return row?.result ?? null;
    },
    write: (sectionKey, result) =>
      db.$transaction(async (tx) => {
        if (!(await touchAttempt(tx, attempt))) throw superseded();
        await tx.suggestionSection.upsert({
          where: { fileId_part_sectionKey: { fileId, part, sectionKey } },
          create: { fileId, part, sectionKey, result },
          update: { result },
        });
      }),
  };
}

function superseded() {
  return conflict('file_busy', 'A newer attempt works on the suggestions of this file.');
}

/** A failure that stays until a person changes something, or an answer that was requested twice already. */
function isPermanent({ permanent, code }: AppError): boolean {
  const remedy = remedyOf(code);
  return permanent || (remedy !== undefined && remedy !== 'wait');
}
