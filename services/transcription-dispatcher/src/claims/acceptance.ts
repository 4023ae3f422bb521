import { transcriptionEvents, type DataOf, type EventDef, type Stage } from '@overtone/contracts';
import type { OrderRow, Orders } from '../orders/orders.ts';
import { stepAfter } from '../runs/runs.ts';
import type { RunState, TaskState } from './task-state.store.ts';

export type Output = { artefact: string | null } & Record<string, unknown>;
/** What an accepted result does, all of it written in one statement. */
export type Acceptance = {
  task: { id: string; token: number; stage: Stage };
  /** As it was when all this was made of it. */
  run: Pick<RunState, 'id' | 'sequence' | 'status' | 'warnings'>;
  artefact: string | null;
  output: unknown;
  engineSeconds: number;
  /** Seconds of audio, and the engine that wrote the words, from the stages that know. */
  audioSeconds: number | null;
  engine: string | null;
  skips: Stage[];
  order: OrderRow | null;
  /** The run ends with these warnings. */
  endsWith: string[] | null;
  events: { subject: string; data: unknown }[];
};

/** What the result of a stage does to its run, made from how the run stands. */
export const acceptanceOf = (
  orders: Pick<Orders, 'rowFor'>,
  { id, token, stage, done, standing }: TaskState,
  run: RunState,
  output: Output,
): Acceptance => {
  const { skips, order, ends } = stepAfter(stage, run);
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
    order: order && orders.rowFor(order.stage, run, standing, results, order.notes),
    endsWith: ends && ends.warnings,
    events: [
      said(transcriptionEvents.stageCompleted, completed as DataOf<typeof transcriptionEvents.stageCompleted>),
      ...(ends ? [said(transcriptionEvents.runCompleted, { ...ids, ...ends })] : []),
    ],
  };
};
const said = <E extends EventDef>({ subject }: E, data: DataOf<E>) => ({ subject, data });
