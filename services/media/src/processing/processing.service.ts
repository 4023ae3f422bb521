import {
  mediaEvents,
  transcriptArtefact,
  wordsArtefact,
  type DataOf,
  type FileObject,
  type transcriptionEvents,
  type Word,
} from '@overtone/contracts';
import type { Outbox } from '@overtone/database';
import type { ObjectStore } from '@overtone/object-store';
import { assertNever, type Delivery } from '@overtone/service-kit';
import { json } from 'node:stream/consumers';
import { txOptions, type Db, type Tx } from '../database.ts';
import { resetColumns, isSettled, objectPrefixes, type FileRow } from '../files/files.ts';
import type { Prisma } from '../generated/client.ts';
import { keepEdits, type EditedSegment } from './keep-edits.ts';
import {
  statusAtStart,
  isOvertaken,
  isStaleStage,
  isResumedAfter,
  languageWarning,
  outcomeOf,
  stateAfterReset,
  compareRun,
  toProblem,
  columnsAfterStage,
} from './processing.ts';
import { provisionalSegments } from './provisional.ts';
import { replaceTranscript } from './transcript-rows.ts';

type Events = typeof transcriptionEvents;
type Completed = DataOf<Events['stageCompleted']>;
type Result<S extends Completed['stage']> = Extract<Completed, { stage: S }>;
type RunEvent = { runId: string; fileId: string };
type EventTime = Pick<Delivery, 'time'>;
type Change = Prisma.MediaFileUncheckedUpdateInput;
export type ProcessingDeps = { db: Db; outbox: Outbox; objects: Pick<ObjectStore, 'get' | 'deletePrefix'> };

const truncatedWarning = 'The recording is cut off at its end; what there is of it was transcribed.';

/** Applies the dispatcher's run events to files. Events may be repeated or late: obsolete ones change nothing. */
export function createProcessing({ db, outbox, objects }: ProcessingDeps) {
  const read = async (key: string): Promise<unknown> => json((await objects.get(key)).stream);

  const save = async (tx: Tx, file: FileRow, change: Change): Promise<void> => {
    const row = await tx.mediaFile.update({ where: { id: file.id }, data: { ...change, updatedAt: new Date() } });
    const status = row.status as FileObject['status'];
    await outbox.add(tx, mediaEvents.updated, { fileId: file.id, ownerId: file.userId, status });
  };

  /**
   * The locked file of the event, switched to the event's run if that is newer; undefined for an obsolete event, and for a
   * file in the bin, whose row must not change.
   */
  const adopt = async (tx: Tx, { fileId, runId }: RunEvent, { time }: EventTime): Promise<FileRow | undefined> => {
    await tx.$queryRaw`select 1 from media_file where uuid = ${fileId}::uuid for update`;
    const file = await tx.mediaFile.findUnique({ where: { id: fileId } });
    if (!file || file.deletedAt) return undefined;
    const relation = compareRun(file, { runId, time });
    if (relation === 'obsolete') return undefined;
    if (relation === 'current') return file;
    const begin = { ...resetColumns, warnings: [], runTurnedAt: null, stageChangedAt: null };
    const data = { ...begin, runId, runOpenedAt: time, runSequence: 0, status: 'queued' };
    return tx.mediaFile.update({ where: { id: fileId }, data });
  };

  /** Runs `work` on the event's file; deletes the objects of a deleted file's run. */
  const withFile = async (
    event: RunEvent,
    eventTime: EventTime,
    work: (tx: Tx, file: FileRow) => Promise<void>,
  ): Promise<void> => {
    const found = await db.$transaction(async (tx) => {
      const file = await adopt(tx, event, eventTime);
      if (file) await work(tx, file);
      return file !== undefined || (await tx.mediaFile.count({ where: { id: event.fileId } })) > 0;
    }, txOptions);
    if (!found) for (const prefix of objectPrefixes(event.fileId)) await objects.deletePrefix(prefix);
  };

  const markStored = async (
    tx: Tx,
    file: FileRow,
    runId: string,
    provisional: boolean,
    change: Change,
  ): Promise<void> => {
    const transcriptVersion = file.transcriptVersion + 1;
    const transcript = { transcriptVersion, transcriptRunId: runId, transcriptProvisional: provisional };
    await save(tx, file, { ...change, ...transcript });
    const ids = { fileId: file.id, ownerId: file.userId, runId };
    await outbox.add(tx, mediaEvents.transcriptStored, { ...ids, transcriptVersion, provisional });
  };

  const storePreparation = (data: Result<'prepare'>, eventTime: EventTime) =>
    withFile(data, eventTime, async (tx, file) => {
      const { duration, media, waveform, thumbnail, truncated } = data.output;
      const picture = media.video_codec !== null;
      await save(tx, file, {
        ...columnsAfterStage(file, 'prepare'),
        duration,
        mediaInfo: media,
        waveformKey: waveform,
        thumbnailKey: thumbnail,
        contentType: file.contentType.replace(/^(audio|video)\//, picture ? 'video/' : 'audio/'),
        warnings: withWarning(file, truncated ? truncatedWarning : null),
        noSpeech: false,
        runSequence: Math.max(file.runSequence, data.sequence),
      });
    });

  const storeProvisionalTranscript = async (data: Result<'transcribe'>, eventTime: EventTime) => {
    const words = wordsArtefact.parse(await read(data.output.artefact));
    await withFile(data, eventTime, async (tx, file) => {
      // An existing transcript with speakers, of this run or an earlier one, is kept.
      const hasSpeakers = file.transcriptVersion > 0 && !file.transcriptProvisional;
      const { options } = file;
      const note = languageWarning((options as { language?: string | null }).language ?? null, data.output.language);
      const change = { ...columnsAfterStage(file, 'transcribe'), warnings: withWarning(file, note) };
      if (hasSpeakers || file.transcriptRunId === data.runId) return save(tx, file, change);
      await replaceTranscript(tx, file.id, { speakers: [], segments: provisionalSegments(words) });
      const { engine, language } = data.output;
      await markStored(tx, file, data.runId, true, { ...change, engine, language: language ?? file.language });
    });
  };

  const storeTranscript = async (data: Result<'assemble'>, eventTime: EventTime) => {
    const artefact = transcriptArtefact.parse(await read(data.output.artefact));
    await withFile(data, eventTime, async (tx, file) => {
      const alreadyStored = file.transcriptRunId === data.runId && !file.transcriptProvisional;
      if (alreadyStored && data.sequence <= file.runSequence) return reportAgain(tx, file, data.runId);
      const segments = keepEdits(artefact.segments, await editsSince(tx, file));
      await replaceTranscript(tx, file.id, { speakers: artefact.speakers, segments });
      await markStored(tx, file, data.runId, false, {
        ...columnsAfterStage(file, 'assemble'),
        noSpeech: segments.length === 0,
        engine: artefact.engine,
        language: artefact.language ?? file.language,
        diarizationProvider: artefact.diarization.provider,
        warnings: withWarning(file, artefact.diarization.degraded),
        runSequence: Math.max(file.runSequence, data.sequence),
      });
    });
  };

  /** A stored result is reported again, for a dispatcher that has not received the report. */
  const reportAgain = (tx: Tx, file: FileRow, runId: string): Promise<void> =>
    outbox.add(tx, mediaEvents.transcriptStored, {
      fileId: file.id,
      ownerId: file.userId,
      runId,
      transcriptVersion: file.transcriptVersion,
      provisional: false,
    });

  /** Updates the status after a stage whose result is not stored here. */
  const finishStage = (data: Completed, eventTime: EventTime): Promise<void> =>
    withFile(data, eventTime, async (tx, file) => {
      const change = columnsAfterStage(file, data.stage);
      if (Object.keys(change).length > 0) await save(tx, file, change);
    });

  /** Ends the run, unless it was resumed since. A repeated event does not notify twice. */
  const end = (
    data: RunEvent,
    eventTime: EventTime,
    change: (file: FileRow) => Change & { status: FileObject['status'] },
  ) =>
    withFile(data, eventTime, async (tx, file) => {
      if (isOvertaken(file, eventTime.time)) return;
      const ending = change(file);
      await save(tx, file, { ...endedColumns, runTurnedAt: eventTime.time, ...ending });
      const outcome = outcomeOf(ending.status);
      if (outcome === null || isSettled(file.status)) return;
      const ids = { fileId: file.id, ownerId: file.userId };
      await outbox.add(tx, mediaEvents.transcriptionEnded, { ...ids, outcome, noSpeech: file.noSpeech });
    });

  return {
    opened: (data: DataOf<Events['runOpened']>, eventTime: EventTime) =>
      withFile(data, eventTime, (tx, file) => save(tx, file, {})),

    stageStarted: (data: DataOf<Events['stageStarted']>, eventTime: EventTime) =>
      withFile(data, eventTime, async (tx, file) => {
        if (isStaleStage(file, eventTime.time)) return;
        const isResumed = isResumedAfter(file, eventTime.time);
        const status = statusAtStart(isResumed ? { status: 'queued', stage: null } : file, data.stage);
        const turn = isResumed ? { ...resetColumns, runTurnedAt: eventTime.time } : {};
        const begin = { stage: data.stage, stageDone: false, stageChangedAt: eventTime.time, waitingFor: null };
        if (status) await save(tx, file, { ...turn, ...begin, status });
      }),

    /** The status returns to a retryable state. Partial segments are removed, except those that users have edited. */
    stageReset: (data: DataOf<Events['stageReset']>, eventTime: EventTime) =>
      withFile(data, eventTime, async (tx, file) => {
        const reset = stateAfterReset(file, data.stage, eventTime.time);
        if (reset === null) return;
        const change = { ...reset, stageChangedAt: eventTime.time, waitingFor: null };
        const partial = file.transcriptProvisional && file.transcriptRunId === data.runId;
        const removed = partial ? await removeUnedited(tx, file) : 0;
        await (removed > 0 ? markStored(tx, file, data.runId, true, change) : save(tx, file, change));
      }),

    resumed: (data: DataOf<Events['runResumed']>, eventTime: EventTime) =>
      withFile(data, eventTime, async (tx, file) => {
        const warnings = removeWarnings(file.warnings, data.dropped);
        if (!isOvertaken(file, eventTime.time))
          await save(tx, file, { ...resetColumns, status: 'queued', runTurnedAt: eventTime.time, warnings });
        else if (!isSettled(file.status)) await save(tx, file, { warnings });
      }),

    stageCompleted: async (data: Completed, eventTime: EventTime): Promise<void> => {
      switch (data.stage) {
        case 'prepare':
          return storePreparation(data, eventTime);
        case 'transcribe':
          return storeProvisionalTranscript(data, eventTime);
        case 'assemble':
          return storeTranscript(data, eventTime);
        case 'diarize':
          return finishStage(data, eventTime);
        case 'index':
          return;
        default:
          return assertNever(data);
      }
    },

    waiting: (data: DataOf<Events['runWaiting']>, eventTime: EventTime) =>
      withFile(data, eventTime, async (tx, file) => {
        if (!isSettled(file.status)) await save(tx, file, { waitingFor: data.reason });
      }),

    completed: (data: DataOf<Events['runCompleted']>, eventTime: EventTime) =>
      end(data, eventTime, (file) => ({
        status: 'completed',
        completedAt: eventTime.time,
        warnings: removeWarnings(withWarning(file, ...data.warnings), data.dropped ?? []),
      })),

    failed: (data: DataOf<Events['runFailed']>, eventTime: EventTime) =>
      end(data, eventTime, () => ({ status: 'error', error: toProblem(data) })),

    cancelled: (data: DataOf<Events['runCancelled']>, eventTime: EventTime) =>
      end(data, eventTime, () => ({ status: 'cancelled' })),
  };
}

function withWarning(file: FileRow, ...more: (string | null)[]): string[] {
  return [...new Set([...file.warnings, ...more.filter((w) => w !== null)])];
}

function removeWarnings(warnings: string[], dropped: string[]): string[] {
  return warnings.filter((w) => !dropped.includes(w));
}

export type Processing = ReturnType<typeof createProcessing>;

const { completedAt: _, ...endedColumns } = resetColumns;

async function removeUnedited(tx: Tx, file: FileRow): Promise<number> {
  return (await tx.segment.deleteMany({ where: { fileId: file.id, edited: false } })).count;
}

async function editsSince(tx: Tx, file: FileRow): Promise<EditedSegment[]> {
  const since = file.runOpenedAt ?? new Date(0);
  const rows = await tx.segment.findMany({
    where: { fileId: file.id, edited: true, editedAt: { gte: since } },
    orderBy: { position: 'asc' },
  });
  return rows.map(({ id, startTime: start, endTime: end, text, words, confidence, version, editedAt, editedBy }) => ({
    id,
    start,
    end,
    text,
    confidence,
    version,
    editedAt,
    editedBy,
    words: words as Word[],
  }));
}
