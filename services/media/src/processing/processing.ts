import { stages, type FileObject, type Stage, type transcriptionOutcomes } from '@overtone/contracts';
import { isSettled, type FileProblem, type FileRow } from '../files/files.ts';

type Known = Pick<FileRow, 'runId' | 'runOpenedAt'>;

/**
 * Whether an event tells of the run that the file shows, of a newer one, or of history. Events of different kinds
 * overtake each other; a run's events are younger than its opening, so time tells which run is the newer.
 */
export const tellsOf = (file: Known, event: { runId: string; time: Date }): 'current' | 'newer' | 'history' => {
  if (file.runId === event.runId) return 'current';
  return file.runOpenedAt === null || event.time > file.runOpenedAt ? 'newer' : 'history';
};

/**
 * Whether an event that ends a run, or takes it up again, tells of what was overtaken: the file has heard of a later
 * end or return already.
 */
export const isOvertaken = (file: Pick<FileRow, 'runTurnedAt'>, time: Date): boolean =>
  file.runTurnedAt !== null && time < file.runTurnedAt;

/** A stage that begins after its run ended: somebody had the run taken up again, and that news is still on its way. */
export const isTakenUp = (file: Pick<FileRow, 'status' | 'runTurnedAt'>, time: Date): boolean =>
  isSettled(file.status) && file.runTurnedAt !== null && time > file.runTurnedAt;

const statusOfStage: Record<Stage, FileObject['status']> = {
  prepare: 'processing',
  transcribe: 'transcribing',
  diarize: 'processing',
  assemble: 'processing',
  index: 'processing',
};

/** Where a file goes when a stage begins; null: it stays, because it is further already or is being stopped. */
export const begun = (
  file: Pick<FileRow, 'status' | 'stage'> & { stageDone?: boolean },
  stage: Stage,
): FileObject['status'] | null => {
  if (isSettled(file.status) || file.status === 'cancelling') return null;
  const reached = file.stage ? stages.indexOf(file.stage as Stage) : -1;
  const at = stages.indexOf(stage);
  return at < reached || (at === reached && file.stageDone) ? null : statusOfStage[stage];
};

/**
 * A stage has ended and the next one waits for a worker: no progress is shown until it begins. Empty when a later stage
 * has begun already, or the file is settled or being stopped.
 */
export const waits = (
  file: Pick<FileRow, 'status' | 'stage'>,
  ended: Stage,
): { status?: 'queued'; stage?: Stage; stageDone?: true } => {
  if (isSettled(file.status) || file.status === 'cancelling') return {};
  const reached = file.stage ? stages.indexOf(file.stage as Stage) : -1;
  return reached > stages.indexOf(ended) ? {} : { status: 'queued', stage: ended, stageDone: true };
};

/** How a file's status ends a transcription; null: it does not. */
export const outcomeOf = (status: FileObject['status']): (typeof transcriptionOutcomes)[number] | null => {
  if (status === 'completed' || status === 'cancelled') return status;
  return status === 'error' ? 'failed' : null;
};

/**
 * Where a file returns to when stuck recovery takes a stage back; null: it stays, because it is settled, being stopped, or
 * the stage has been started again or completed since.
 */
export const resetTo = (
  file: Pick<FileRow, 'status' | 'stage' | 'stageDone' | 'stageChangedAt'>,
  stage: Stage,
  time: Date,
): { status: 'uploaded'; stage: Stage | null; stageDone: boolean } | null => {
  if (isSettled(file.status) || file.status === 'cancelling' || isStaleStage(file, time)) return null;
  const reached = file.stage ? stages.indexOf(file.stage as Stage) : -1;
  const at = stages.indexOf(stage);
  if (reached > at || (reached === at && file.stageDone)) return null;
  const earlier = stages[at - 1] ?? null;
  return { status: 'uploaded', stage: earlier, stageDone: earlier !== null };
};

/** Whether a start or a reset of a stage happened before the one that the file shows. */
export const isStaleStage = ({ stageChangedAt }: Pick<FileRow, 'stageChangedAt'>, time: Date): boolean =>
  stageChangedAt !== null && time < stageChangedAt;

const languageNames = new Intl.DisplayNames('en', { type: 'language', fallback: 'code' });
const primary = (code: string): string => code.toLowerCase().split('-')[0] ?? code;

/** A chosen language that the engine did not use is reported with the file. */
export const languageWarning = (chosen: string | null, used: string | null): string | null =>
  chosen === null || used === null || primary(chosen) === primary(used)
    ? null
    : `The language you chose (${languageNames.of(chosen)}) could not be used. The recording was transcribed as ${languageNames.of(used)}.`;

/** What somebody can do about a failure, in words. */
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

export const toProblem = (failure: { code: string; message: string; retryable: boolean }): FileProblem => ({
  code: failure.code,
  message: failure.message,
  what_to_do:
    advice[failure.code] ??
    (failure.retryable
      ? 'Run the file again. If it fails again, tell an administrator.'
      : 'Check the recording and upload it again.'),
  retryable: failure.retryable,
});
