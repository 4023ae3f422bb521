import { transcriptionEvents, type DataOf, type EventDef } from '@overtone/contracts';
import { stepAfter } from '../runs/runs.ts';
import type { createEnqueueStore } from './enqueue.store.ts';
import type { RunState, TaskState } from './task-state.store.ts';

export type Output = { artefact: string | null } & Record<string, unknown>;
/** All effects of an accepted result, written in one statement. */
export type Acceptance = ReturnType<typeof buildAcceptance>;

/** Builds the effects of a stage's result on its run from the run's current state. */
export function buildAcceptance(
  buildTaskRow: ReturnType<typeof createEnqueueStore>['buildTaskRow'],
  { id, token, stage, done, queuePosition }: TaskState,
  run: RunState,
  output: Output,
) {
  const { skips, enqueue, ends } = stepAfter(stage, run);
  const ids = { runId: run.id, fileId: run.fileId, ownerId: run.ownerId };
  const completed = { ...ids, sequence: run.sequence + 1, stage, output };
  const results = [...done, { stage, artefact: output.artefact, output }];
  const engine = output['engine'] as { provider: string; model: string } | undefined;
  return {
    task: { id, token, stage },
    /** As it was read when this acceptance was built. */
    run: { id: run.id, sequence: run.sequence, status: run.status, warnings: run.warnings },
    artefact: output.artefact,
    output,
    engineSeconds: Number(output['engine_seconds'] ?? 0),
    // Null for stages that do not report it.
    audioSeconds: stage === 'prepare' ? Number(output['duration']) : null,
    engine: engine ? `${engine.provider} ${engine.model}` : null,
    skips,
    nextTask: enqueue && buildTaskRow(enqueue.stage, run, queuePosition, results, enqueue.context),
    /** The warnings the run ends with; null when the run continues. */
    endsWith: ends && ends.warnings,
    events: [
      toEventRow(transcriptionEvents.stageCompleted, completed as DataOf<typeof transcriptionEvents.stageCompleted>),
      ...(ends ? [toEventRow(transcriptionEvents.runCompleted, { ...ids, ...ends })] : []),
    ],
  };
}

function toEventRow<E extends EventDef>({ subject }: E, data: DataOf<E>) {
  return { subject, data };
}
