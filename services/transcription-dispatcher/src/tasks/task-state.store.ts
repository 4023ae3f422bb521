import { jobDurable, runOptions, stages, type Stage } from '@overtone/contracts';
import type { Statements } from '../database.ts';
import { nextStep, type RunFacts, type StageResult } from '../runs/runs.ts';
import { queuePositionColumns } from './enqueue.store.ts';
import { jobOf } from './job-input.ts';
import type { QueuePosition } from './rank.ts';

/** The run's columns that the end of one of its tasks depends on. */
export type RunState = RunFacts & { sequence: number; status: string; warnings: string[] };
/** A task with everything that its end depends on. */
export type TaskState = {
  id: string;
  subject: string;
  stage: Stage;
  status: string;
  token: number;
  failures: number;
  maxFailures: number;
  backoffMs: number;
  run: RunState | null;
  /** Results of the run's completed stages. */
  done: StageResult[];
  /** Where a task of the next stage would be queued. */
  queuePosition: QueuePosition;
};

/** The durable of the next stage, by stage and by whether the run diarizes. */
const followers = stages.flatMap((stage) =>
  [true, false].flatMap((diarize) => {
    const next = nextStep(stage, { diarize });
    return next.kind === 'enqueue' ? [{ stage, diarize, durable: jobDurable(jobOf(next.stage)) }] : [];
  }),
);

const statement = {
  name: 'task-state',
  text: `
  select t.uuid as id, t.subject, t.stage, t.status, t.token, t.failures, t.max_failures as "maxFailures",
    t.backoff_ms as "backoffMs", t.run_id as "runId", r.file_id as "fileId", r.owner_id as "ownerId",
    r.object_key as "objectKey", r.content_type as "contentType", r.options, r.priority, r.sequence,
    r.status as "runStatus", r.warnings,
    (select jsonb_agg(jsonb_build_object('stage', s.stage, 'artefact', s.artefact, 'output', s.output))
     from stage s where s.run_id = t.run_id and s.status = 'completed') as done,
    ${queuePositionColumns({ durable: 'next.durable', owner: 'r.owner_id', priority: 'r.priority' })}
  from task t left join run r on r.uuid = t.run_id
  left join unnest($2::text[], $3::boolean[], $4::text[]) as next (stage, diarize, durable)
    on next.stage = t.stage and next.diarize = (r.options ->> 'diarize')::boolean
  where t.uuid = $1`,
};

const openTask = { name: 'open-task', text: `select 1 from task where status in ('pending', 'in_progress') limit 1` };

type Row = Omit<TaskState, 'run' | 'done' | 'queuePosition'> &
  QueuePosition &
  Omit<RunState, 'id' | 'status'> & { runId: string | null; runStatus: string; done: StageResult[] | null };

/** Reads a task with its run without locks: a write that depends on it must check that nothing has changed. */
export function createTaskStateStore({ statements }: { statements: Statements }) {
  return {
    /** Now, while any task waits or runs: its worker may be lost, its queue paused, its time limit exceeded. */
    nextCheck: async (): Promise<Date | null> => {
      const { rows } = await statements.read(openTask);
      return rows.length > 0 ? new Date() : null;
    },

    readState: async (taskId: string): Promise<TaskState | undefined> => {
      const { rows } = await statements.read<Row>({
        ...statement,
        values: [
          taskId,
          followers.map((follower) => follower.stage),
          followers.map((follower) => follower.diarize),
          followers.map((follower) => follower.durable),
        ],
      });
      const [row] = rows;
      if (!row) return undefined;
      const { runId, fileId, ownerId, objectKey, contentType, options, priority, sequence, runStatus, warnings } = row;
      const { head, own, done, ...task } = row;
      const facts = { fileId, ownerId, objectKey, contentType, priority, sequence, status: runStatus, warnings };
      const run = runId === null ? null : { id: runId, ...facts, options: runOptions.parse(options) };
      return { ...task, run, done: done ?? [], queuePosition: { head, own } };
    },
  };
}
