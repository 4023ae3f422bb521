import { stages, transcriptionEvents, type DataOf, type EventDef, type Stage } from '@overtone/contracts';
import type { Outbox } from '@overtone/database';
import { insertMessages, type Statements } from '../database.ts';
import { stepAfter } from '../runs/runs.ts';
import { enqueueParts, type createEnqueueStore } from './enqueue.store.ts';
import type { RunState, TaskState } from './task-state.store.ts';

export type Output = { artefact: string | null } & Record<string, unknown>;
/** All effects of an accepted result, written in one statement. */
type Acceptance = ReturnType<typeof buildAcceptance>;

const timingColumns: Record<Stage, { wall: string; engine: string }> = {
  prepare: { wall: 'prepare_s', engine: 'prepare_engine_s' },
  transcribe: { wall: 'transcribe_s', engine: 'transcribe_engine_s' },
  diarize: { wall: 'diarize_s', engine: 'diarize_engine_s' },
  assemble: { wall: 'assemble_s', engine: 'assemble_engine_s' },
  index: { wall: 'index_s', engine: 'index_engine_s' },
};

const completeAttempt = `
    update task_attempt a set outcome = 'completed', ended_at = now() from ended
    where a.task_id = $1 and a.token = $2 and a.outcome = 'running'`;

const acceptStatements = Object.fromEntries(
  stages.map((stage) => [stage, { name: `accept-${stage}`, text: statementFor(stage) }]),
) as Record<Stage, { name: string; text: string }>;

/** A task outside a run has no next stage. */
const standalone = {
  name: 'accept-standalone',
  text: `
  with ended as (${completeTask(`where t.uuid = $1 and t.token = $2 and t.status = 'in_progress' and t.run_id is null`)}
  ), attempt as (${completeAttempt}
  )
  select uuid from ended`,
};

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

/** Accepts task results in one round trip and one commit. @returns false when nothing was changed. */
export function createAcceptStore({ statements, outbox }: { statements: Statements; outbox: Pick<Outbox, 'headers'> }) {
  return {
    accept: async ({ task, run, ...attempt }: Acceptance): Promise<boolean> => {
      const { rowCount } = await statements.commit({
        ...acceptStatements[task.stage],
        values: [
          task.id,
          task.token,
          run.id,
          run.sequence,
          run.status,
          run.warnings,
          attempt.artefact,
          JSON.stringify(attempt.output),
          attempt.engineSeconds,
          attempt.audioSeconds,
          attempt.engine,
          attempt.skips,
          attempt.nextTask && JSON.stringify(attempt.nextTask),
          attempt.endsWith !== null,
          attempt.endsWith,
          JSON.stringify(outbox.headers()),
          JSON.stringify(attempt.events),
        ],
      });
      return rowCount === 1;
    },
    acceptStandalone: async ({ id, token }: { id: string; token: number }): Promise<boolean> =>
      (await statements.commit({ ...standalone, values: [id, token] })).rowCount === 1,
  };
}

function toEventRow<E extends EventDef>({ subject }: E, data: DataOf<E>) {
  return { subject, data };
}

/**
 * Changes nothing unless the task is still claimed under this token and the run is unchanged since it was read. Rows are
 * locked in the order run, task, as everywhere.
 */
function statementFor(stage: Stage): string {
  const { wall, engine } = timingColumns[stage];
  return `
  with locked_run as (
    select uuid from run where uuid = $3 and sequence = $4 and status = $5 and warnings = $6::text[] for update
  ), ended as (${completeTask(`from locked_run where t.uuid = $1 and t.token = $2 and t.status = 'in_progress' and t.run_id = locked_run.uuid`)}
  ), attempt as (${completeAttempt}
  ), advanced_run as (
    update run r set sequence = r.sequence + 1, audio_duration_s = coalesce($10, r.audio_duration_s),
      status = case when $14 then 'completed' else r.status end,
      waiting_for = case when $14 then null else r.waiting_for end,
      warnings = case when $14 then $15::text[] else r.warnings end,
      completed_at = case when $14 then coalesce(r.completed_at, now()) else r.completed_at end
    from ended where r.uuid = $3
  ), completed_stage as (
    update stage s set status = 'completed', artefact = $7, output = $8::jsonb, engine_seconds = $9, completed_at = now()
    from ended where s.run_id = $3 and s.stage = '${stage}'
  ), timing as (
    update file_pipeline_timing f set
      ${wall} = extract(epoch from now() - e.claimed_at), ${engine} = $9,
      queue_s = queue_s + greatest(0, extract(epoch from e.claimed_at - e.published_at)),
      engine_s = engine_s + $9, retry_count = retry_count + e.failures,
      audio_duration_s = coalesce($10, f.audio_duration_s), engine = coalesce($11, f.engine),
      total_s = case when $14 and f.completed_at is null then extract(epoch from now() - file_opened_at) else total_s end,
      completed_at = case when $14 then coalesce(f.completed_at, now()) else f.completed_at end
    from ended e where f.run_id = $3
  ), skipped_stages as (
    update stage s set status = 'cancelled' from ended where s.run_id = $3 and s.stage = any($12::text[])
  ), published as (${insertMessages({
    subject: `e.event ->> 'subject'`,
    data: `e.event -> 'data'`,
    headers: '$16::jsonb',
    from: 'ended, jsonb_array_elements($17::jsonb) with ordinality as e (event, place) order by e.place',
  })}
  ), ${enqueueParts({ row: '$13::jsonb', headers: '$16::jsonb', from: 'ended' })}
  select uuid from ended`;
}

function completeTask(more: string): string {
  return `
    update task t set status = 'completed', completed_at = now() ${more}
    returning t.uuid, coalesce(t.claimed_at, now()) as claimed_at,
              coalesce(t.published_at, t.created_at) as published_at, t.failures`;
}
