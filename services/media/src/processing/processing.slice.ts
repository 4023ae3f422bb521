import { transcriptionEvents as events } from '@overtone/contracts';
import { consumer, type Slice } from '@overtone/service-kit';
import { createRunOutcomes, createRunProgress, createStageResults } from './processing.service.ts';
import { createRunFiles, type RunFilesDeps } from './processing.store.ts';

type ProcessingDeps = RunFilesDeps & Pick<Parameters<typeof createStageResults>[0], 'onPrepared'>;

/** Applies the dispatcher's run events to files. Events may be repeated or late: obsolete ones change nothing. */
export function createProcessingSlice({ db, outbox, objects, onPrepared }: ProcessingDeps): Slice {
  const runFiles = createRunFiles({ db, outbox, objects });
  const { opened, waiting, stageStarted, stageReset, resumed } = createRunProgress(runFiles);
  const { completed, failed, cancelled } = createRunOutcomes({ outbox, runFiles });
  const { stageCompleted } = createStageResults({ objects, runFiles, onPrepared });
  return {
    consumers: [
      /** A run was opened: the file follows it from now on. */
      consumer(events.runOpened, 'take-over-run', opened),
      /** A stage started: updates the file's status, unless a later stage has started. */
      consumer(events.stageStarted, 'show-stage', stageStarted),
      /** A stage completed: stores its results with the file, once. */
      consumer(events.stageCompleted, 'store-results', stageCompleted),
      /** A run waits for an engine or a worker, or continues: updates the file's waiting reason. */
      consumer(events.runWaiting, 'show-waiting', waiting),
      /** A run completed: sets the file to completed. */
      consumer(events.runCompleted, 'complete-file', completed),
      /** A run failed: stores the error with the file. */
      consumer(events.runFailed, 'fail-file', failed),
      /** A run was cancelled: sets the file to cancelled. */
      consumer(events.runCancelled, 'stop-file', cancelled),
      /** A dead job is retried: the file is processed again. */
      consumer(events.runResumed, 'resume-file', resumed),
      /** Stuck recovery reset a stage: returns the file to a retryable state and removes partial segments. */
      consumer(events.stageReset, 'reset-file', stageReset),
    ],
  };
}
