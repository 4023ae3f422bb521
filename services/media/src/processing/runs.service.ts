import { mediaEvents, type DataOf, type FileObject, type transcriptionEvents } from '@overtone/contracts';
import type { Outbox } from '@overtone/database';
import { idsOf, isSettled, resetColumns, type FileRow } from '../files/files.ts';
import {
  addWarnings,
  isOvertaken,
  isResumedAfter,
  isStaleStage,
  outcomeOf,
  removeWarnings,
  stateAfterReset,
  statusAtStart,
  toProblem,
} from './processing.ts';
import { removeUnedited, type EventTime, type FileChange, type RunEvent, type RunFiles } from './processing.store.ts';

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
