import { transcriptionEvents, type DataOf, type EventDef, type Stage } from '@overtone/contracts';
import { stepAfter } from '../runs/runs.ts';
import type { createEnqueueStore, TaskRow } from './enqueue.store.ts';
import type { RunState, TaskState } from './task-state.store.ts';

export type Output = { artefact: string | null } & Record<string, unknown>;
/** All effects of an accepted result, written in one statement. */
export type Acceptance = {
  task: { id: string; token: number; stage: Stage };
  /** The run as it was read when this acceptance was built. */
  run: Pick<RunState, 'id' | 'sequence' | 'status' | 'warnings'>;
  artefact: string | null;
  output: unknown;
  engineSeconds: number;
  /** Seconds of audio and the engine that produced the words; null for stages that do not report them. */
  audioSeconds: number | null;
  engine: string | null;
  skips: Stage[];
  nextTask: TaskRow | null;
  /** The warnings the run ends with; null when the run continues. */
  endsWith: string[] | null;
  events: { subject: string; data: unknown }[];
};

/** Builds the effects of a stage's result on its run from the run's current state. */
export function buildAcceptance(
  buildTaskRow: ReturnType<typeof createEnqueueStore>['buildTaskRow'],
  { id, token, stage, done, queuePosition }: TaskState,
  run: RunState,
  output: Output,
): Acceptance {
  const { skips, enqueue, ends } = stepAfter(stage, run);
  const ids = { runId: run.id, fileId: run.fileId, ownerId: run.ownerId };
  const completed = { ...ids, sequence: run.sequence + 1, stage, output };
  const results = [...done, { stage, artefact: output.artefact, output }];
  const engine = output['engine'] as { provider: string; model: string } | undefined;
  return {
    task: { id, token, stage },
    run,
    artefact: output.artefact,
    output,
    engineSeconds: Number(output['engine_seconds'] ?? 0),
    audioSeconds: stage === 'prepare' ? Number(output['duration']) : null,
    engine: engine ? `${engine.provider} ${engine.model}` : null,
    skips,
    nextTask: enqueue && buildTaskRow(enqueue.stage, run, queuePosition, results, enqueue.context),
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
