import { stages, type FileObject, type Stage, type transcriptionOutcomes } from '@overtone/contracts';
import { isEnding, isSettled, type FileProblem, type FileRow } from '../files/files.ts';
import { primaryLanguage } from '../ports/languages.adapter.ts';

type FileRun = Pick<FileRow, 'runId' | 'runOpenedAt'>;

/**
 * Whether an event belongs to the run that the file follows, to a newer run or to an older one. Events of different kinds
 * may arrive out of order; a run's events are later than its opening, so their time decides.
 */
export function compareRun(file: FileRun, event: { runId: string; time: Date }): 'current' | 'newer' | 'obsolete' {
  if (file.runId === event.runId) return 'current';
  return file.runOpenedAt === null || event.time > file.runOpenedAt ? 'newer' : 'obsolete';
}

/**
 * Whether an event that ends or resumes a run is obsolete, because the file has processed a later end or resumption.
 */
export function isOvertaken(file: Pick<FileRow, 'runTurnedAt'>, time: Date): boolean {
  return file.runTurnedAt !== null && time < file.runTurnedAt;
}

/** Whether a stage started after its run ended: the run was resumed, and that event has not arrived yet. */
export function isResumedAfter(file: Pick<FileRow, 'status' | 'runTurnedAt'>, time: Date): boolean {
  return isSettled(file.status) && file.runTurnedAt !== null && time > file.runTurnedAt;
}

const statusOfStage: Record<Stage, FileObject['status']> = {
  prepare: 'processing',
  transcribe: 'transcribing',
  diarize: 'processing',
  assemble: 'processing',
  index: 'processing',
};

/** The file's status when a stage starts; null: unchanged, because a later stage has started or the file is being stopped. */
export function statusAtStart(
  file: Pick<FileRow, 'status' | 'stage'> & { stageDone?: boolean },
  stage: Stage,
): FileObject['status'] | null {
  return isEnding(file) || hasPassed(file, stage) ? null : statusOfStage[stage];
}

/**
 * The file's columns after a stage has ended and until the next one starts. Empty when a later stage has started, or the
 * file is settled or being stopped.
 */
export function columnsAfterStage(
  file: Pick<FileRow, 'status' | 'stage'>,
  ended: Stage,
): { status?: 'queued'; stage?: Stage; stageDone?: true } {
  return isEnding(file) || hasPassed({ stage: file.stage }, ended)
    ? {}
    : { status: 'queued', stage: ended, stageDone: true };
}

/** The transcription outcome of a file status; null for a status that does not end it. */
export function outcomeOf(status: FileObject['status']): (typeof transcriptionOutcomes)[number] | null {
  if (status === 'completed' || status === 'cancelled') return status;
  return status === 'error' ? 'failed' : null;
}

/**
 * The file's state after stuck recovery has reset a stage; null: unchanged, because the file is settled, being stopped, or
 * the stage was started again or completed since.
 */
export function stateAfterReset(
  file: Pick<FileRow, 'status' | 'stage' | 'stageDone' | 'stageChangedAt'>,
  stage: Stage,
  time: Date,
): { status: 'uploaded'; stage: Stage | null; stageDone: boolean } | null {
  if (isEnding(file) || isStaleStage(file, time) || hasPassed(file, stage)) return null;
  const earlier = stages[stages.indexOf(stage) - 1] ?? null;
  return { status: 'uploaded', stage: earlier, stageDone: earlier !== null };
}

/** Whether the file has completed the stage or started a later one. */
function hasPassed({ stage, stageDone }: { stage: string | null; stageDone?: boolean }, other: Stage): boolean {
  const reached = stage === null ? -1 : stages.indexOf(stage as Stage);
  return reached > stages.indexOf(other) || (reached === stages.indexOf(other) && stageDone === true);
}

/** Whether a start or reset of a stage is older than the last one applied to the file. */
export function isStaleStage({ stageChangedAt }: Pick<FileRow, 'stageChangedAt'>, time: Date): boolean {
  return stageChangedAt !== null && time < stageChangedAt;
}

const languageNames = new Intl.DisplayNames('en', { type: 'language', fallback: 'code' });

/** The warning when the engine did not use the chosen language. */
export function languageWarning(chosen: string | null, used: string | null): string | null {
  return chosen === null || used === null || primaryLanguage(chosen) === primaryLanguage(used)
    ? null
    : `The language you chose (${languageNames.of(chosen)}) could not be used. The recording was transcribed as ${languageNames.of(used)}.`;
}

export const truncatedWarning = 'The recording is cut off at its end; what there is of it was transcribed.';

export function addWarnings(warnings: string[], ...more: (string | null)[]): string[] {
  return [...new Set([...warnings, ...more.filter((warning) => warning !== null)])];
}

export function removeWarnings(warnings: string[], dropped: string[]): string[] {
  return warnings.filter((warning) => !dropped.includes(warning));
}

/** What a user can do about a failure, by error code. */
const advice: Record<string, string> = {
  media_unreadable:
    'The recording is damaged or of an unknown kind. Convert it, for example to MP3, and upload it again.',
  media_no_audio: 'The recording holds no sound. Upload one that does.',
  media_too_long: 'Cut the recording into parts and upload those.',
  engine_missing: 'Ask an administrator to set up a speech engine, then run the file again.',
  engine_crashed: 'Run the file again. If it fails again, tell an administrator: the speech engine gave up.',
  engine_timeout: 'Run the file again. If it fails again, tell an administrator: the speech engine is too slow.',
  engine_refused: 'Tell an administrator: the speech engine refuses this recording or its settings.',
  model_invalid: 'Tell an administrator: a speech model is damaged.',
  storage_full: 'Tell an administrator: the storage is full. Then run the file again.',
};

export function toProblem(failure: { code: string; message: string; retryable: boolean }): FileProblem {
  return {
    code: failure.code,
    message: failure.message,
    what_to_do:
      advice[failure.code] ??
      (failure.retryable
        ? 'Run the file again. If it fails again, tell an administrator.'
        : 'Check the recording and upload it again.'),
    retryable: failure.retryable,
  };
}
