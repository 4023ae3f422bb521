import {
  mediaEvents,
  transcriptArtefact,
  wordsArtefact,
  type DataOf,
  type FileObject,
  type RunOptions,
  type transcriptionEvents,
} from '@overtone/contracts';
import type { Outbox } from '@overtone/database';
import type { ObjectStore } from '@overtone/object-store';
import { recordedDateOfName, recordedDateOfTags } from './recorded-date.ts';
import { assertNever } from '@overtone/service-kit';
import { json } from 'node:stream/consumers';
import { idsOf, isSettled, resetColumns, type FileRow } from '../files/files.ts';
import {
  addWarnings,
  columnsAfterStage,
  isOvertaken,
  isResumedAfter,
  isStaleStage,
  languageWarning,
  outcomeOf,
  removeWarnings,
  stateAfterReset,
  statusAtStart,
  toProblem,
  truncatedWarning,
} from './processing.ts';
import {
  readEdits,
  removeUnedited,
  replaceTranscript,
  type EventTime,
  type FileChange,
  type RunEvent,
  type RunFiles,
} from './processing.store.ts';
import { keepEdits, provisionalSegments } from './segments.ts';

type Events = typeof transcriptionEvents;

/** Shows how far the run of a file is. */
export function createRunProgress({ withFile, save, saveTranscript }: RunFiles) {
  return {
    opened: (data: DataOf<Events['runOpened']>, eventTime: EventTime) =>
      withFile(data, eventTime, (tx, file) => save(tx, file, {})),

    waiting: (data: DataOf<Events['runWaiting']>, eventTime: EventTime) =>
      withFile(data, eventTime, async (tx, file) => {
        if (!isSettled(file.status)) await save(tx, file, { waitingFor: data.reason });
      }),

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
    stageReset: ({ runId, fileId, stage }: DataOf<Events['stageReset']>, eventTime: EventTime) =>
      withFile({ runId, fileId }, eventTime, async (tx, file) => {
        const reset = stateAfterReset(file, stage, eventTime.time);
        if (reset === null) return;
        const change = { ...reset, stageChangedAt: eventTime.time, waitingFor: null };
        const partial = file.transcriptProvisional && file.transcriptRunId === runId;
        const removed = partial ? await removeUnedited(tx, fileId) : 0;
        await (removed > 0 ? saveTranscript(tx, file, { runId, provisional: true, change }) : save(tx, file, change));
      }),

    resumed: (data: DataOf<Events['runResumed']>, eventTime: EventTime) =>
      withFile(data, eventTime, async (tx, file) => {
        const warnings = removeWarnings(file.warnings, data.dropped);
        if (!isOvertaken(file, eventTime.time))
          await save(tx, file, { ...resetColumns, status: 'queued', runTurnedAt: eventTime.time, warnings });
        else if (!isSettled(file.status)) await save(tx, file, { warnings });
      }),
  };
}

type Completed = DataOf<Events['stageCompleted']>;
type Result<S extends Completed['stage']> = Extract<Completed, { stage: S }>;
type StageResultsDeps = {
  objects: Pick<ObjectStore, 'get'>;
  runFiles: RunFiles;
  /** Is notified when the results of `prepare` are stored. */
  onPrepared: (fileId: string, needsPlaybackCopy: boolean) => Promise<void>;
};

/** Stores the results of the stages with their file. */
export function createStageResults({ objects, runFiles, onPrepared }: StageResultsDeps) {
  const read = async (key: string): Promise<unknown> => json((await objects.get(key)).stream);
  return {
    stageCompleted: async (data: Completed, eventTime: EventTime): Promise<void> => {
      switch (data.stage) {
        case 'prepare':
          await storePreparation(runFiles, data, eventTime);
          return onPrepared(data.fileId, data.output.needsPlaybackCopy === true);
        case 'transcribe':
          return storeProvisionalTranscript(runFiles, data, eventTime, await read(data.output.artefact));
        case 'assemble':
          return storeTranscript(runFiles, data, eventTime, await read(data.output.artefact));
        case 'diarize':
          return finishStage(runFiles, data, eventTime);
        case 'index':
          return;
        default:
          return assertNever(data);
      }
    },
  };
}

function storePreparation({ withFile, save }: RunFiles, data: Result<'prepare'>, eventTime: EventTime) {
  return withFile(data, eventTime, async (tx, file) => {
    const { duration, media, tracks = [], tags = {}, sound = null, waveform, thumbnail, truncated } = data.output;
    const picture = media.video_codec !== null;
    await save(tx, file, {
      ...columnsAfterStage(file, 'prepare'),
      duration,
      mediaInfo: { ...media, tracks, tags, sound },
      recordedDate: file.recordedDate ?? recordedDateOfTags(tags) ?? recordedDateOfName(file.filename),
      waveformKey: waveform,
      thumbnailKey: thumbnail,
      contentType: file.contentType.replace(/^(audio|video)\//, picture ? 'video/' : 'audio/'),
      warnings: addWarnings(file.warnings, truncated ? truncatedWarning : null),
      noSpeech: false,
      runSequence: Math.max(file.runSequence, data.sequence),
    });
  });
}

function storeProvisionalTranscript(
  { withFile, save, saveTranscript }: RunFiles,
  { runId, fileId, output }: Result<'transcribe'>,
  eventTime: EventTime,
  artefact: unknown,
) {
  const words = wordsArtefact.parse(artefact);
  const { engine, language } = output;
  return withFile({ runId, fileId }, eventTime, async (tx, file) => {
    // An existing transcript with speakers, of this run or an earlier one, is kept.
    const hasSpeakers = file.transcriptVersion > 0 && !file.transcriptProvisional;
    const warning = languageWarning((file.options as Partial<RunOptions>).language ?? null, language);
    const change = { ...columnsAfterStage(file, 'transcribe'), warnings: addWarnings(file.warnings, warning) };
    if (hasSpeakers || file.transcriptRunId === runId) return save(tx, file, change);
    await replaceTranscript(tx, fileId, { speakers: [], segments: provisionalSegments(words) });
    const transcribed = { ...change, engine, language: language ?? file.language };
    await saveTranscript(tx, file, { runId, provisional: true, change: transcribed });
  });
}

function storeTranscript(
  { withFile, saveTranscript, reportAgain }: RunFiles,
  { runId, fileId, sequence }: Result<'assemble'>,
  eventTime: EventTime,
  artefact: unknown,
) {
  const { segments: fresh, speakers, engine, language, diarization } = transcriptArtefact.parse(artefact);
  return withFile({ runId, fileId }, eventTime, async (tx, file) => {
    const alreadyStored = file.transcriptRunId === runId && !file.transcriptProvisional;
    if (alreadyStored && sequence <= file.runSequence) return reportAgain(tx, file, runId);
    const segments = keepEdits(fresh, await readEdits(tx, file));
    await replaceTranscript(tx, fileId, { speakers, segments });
    const change = {
      ...columnsAfterStage(file, 'assemble'),
      noSpeech: segments.length === 0,
      engine,
      language: language ?? file.language,
      diarizationProvider: diarization.provider,
      warnings: addWarnings(file.warnings, diarization.degraded),
      runSequence: Math.max(file.runSequence, sequence),
    };
    await saveTranscript(tx, file, { runId, provisional: false, change });
  });
}

/** Updates the status after a stage whose result is not stored here. */
function finishStage({ withFile, save }: RunFiles, data: Completed, eventTime: EventTime): Promise<void> {
  return withFile(data, eventTime, async (tx, file) => {
    const change = columnsAfterStage(file, data.stage);
    if (Object.keys(change).length > 0) await save(tx, file, change);
  });
}

type Ending = FileChange & { status: FileObject['status'] };
const { completedAt: _, ...endedColumns } = resetColumns;

/** Ends the run of a file. */
export function createRunOutcomes({ outbox, runFiles }: { outbox: Outbox; runFiles: RunFiles }) {
  /** Ends the run, unless it was resumed since. A repeated event does not notify twice. */
  const end = (data: RunEvent, { time }: EventTime, endingOf: (file: FileRow) => Ending) =>
    runFiles.withFile(data, { time }, async (tx, file) => {
      if (isOvertaken(file, time)) return;
      const ending = endingOf(file);
      await runFiles.save(tx, file, { ...endedColumns, runTurnedAt: time, ...ending });
      const outcome = outcomeOf(ending.status);
      if (outcome === null || isSettled(file.status)) return;
      await outbox.add(tx, mediaEvents.transcriptionEnded, { ...idsOf(file), outcome, noSpeech: file.noSpeech });
    });

  return {
    completed: (data: DataOf<Events['runCompleted']>, eventTime: EventTime) =>
      end(data, eventTime, ({ warnings }) => ({
        status: 'completed',
        completedAt: eventTime.time,
        warnings: removeWarnings(addWarnings(warnings, ...data.warnings), data.dropped ?? []),
      })),

    failed: (data: DataOf<Events['runFailed']>, eventTime: EventTime) =>
      end(data, eventTime, () => ({ status: 'error', error: toProblem(data) })),

    cancelled: (data: DataOf<Events['runCancelled']>, eventTime: EventTime) =>
      end(data, eventTime, () => ({ status: 'cancelled' })),
  };
}
