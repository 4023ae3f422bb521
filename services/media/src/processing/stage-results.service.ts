import {
  transcriptArtefact,
  wordsArtefact,
  type DataOf,
  type RunOptions,
  type transcriptionEvents,
} from '@overtone/contracts';
import type { ObjectStore } from '@overtone/object-store';
import { assertNever } from '@overtone/service-kit';
import { json } from 'node:stream/consumers';
import { addWarnings, columnsAfterStage, languageWarning, truncatedWarning } from './processing.ts';
import { readEdits, replaceTranscript, type EventTime, type RunFiles } from './processing.store.ts';
import { keepEdits, provisionalSegments } from './segments.ts';

type Completed = DataOf<(typeof transcriptionEvents)['stageCompleted']>;
type Result<S extends Completed['stage']> = Extract<Completed, { stage: S }>;
export type StageResultsDeps = { objects: Pick<ObjectStore, 'get'>; runFiles: RunFiles };

/** Stores the results of the stages with their file. */
export function createStageResults({ objects, runFiles }: StageResultsDeps) {
  const read = async (key: string): Promise<unknown> => json((await objects.get(key)).stream);
  return {
    stageCompleted: async (data: Completed, eventTime: EventTime): Promise<void> => {
      switch (data.stage) {
        case 'prepare':
          return storePreparation(runFiles, data, eventTime);
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
    const { duration, media, waveform, thumbnail, truncated } = data.output;
    const picture = media.video_codec !== null;
    await save(tx, file, {
      ...columnsAfterStage(file, 'prepare'),
      duration,
      mediaInfo: media,
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
