import { jobDurable, runOptions, stages, type Stage } from '@overtone/contracts';
import type { Statements } from '../database.ts';
import { jobOf, standingColumns, type RunFacts, type StageResult, type Standing } from '../orders/orders.ts';
import { after } from '../runs/runs.ts';

/** A run as far as the end of one of its tasks has to know it. */
export type RunState = RunFacts & { sequence: number; status: string; warnings: string[] };
/** A task, and all that is needed to say what its end leads to. */
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
  /** Stages of the run that are done. */
  done: StageResult[];
  /** How the queue of the stage that follows stands. */
  standing: Standing;
};

/** Which durable the stage that follows waits on, by stage and by whether speakers are to be told apart. */
const followers = stages.flatMap((stage) =>
  [true, false].flatMap((diarize) => {
    const next = after(stage, { diarize });
    return next.kind === 'order' ? [{ stage, diarize, durable: jobDurable(jobOf(next.stage)) }] : [];
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
    ${standingColumns({ durable: 'next.durable', owner: 'r.owner_id', priority: 'r.priority' })}
  from task t left join run r on r.uuid = t.run_id
  left join unnest($2::text[], $3::boolean[], $4::text[]) as next (stage, diarize, durable)
    on next.stage = t.stage and next.diarize = (r.options ->> 'diarize')::boolean
  where t.uuid = $1`,
};

type Row = Omit<TaskState, 'run' | 'done' | 'standing'> &
  Standing &
  Omit<RunFacts, 'id'> & {
    runId: string | null;
    sequence: number;
    runStatus: string;
    warnings: string[];
    done: StageResult[] | null;
  };

/** Reads a task with its run, unlocked: whoever changes something of what was read looks that it still stands. */
export const createTaskStateStore = ({ statements }: { statements: Statements }) => ({
  read: async (taskId: string): Promise<TaskState | undefined> => {
    const { rows } = await statements.read<Row>({
      ...statement,
      values: [taskId, followers.map((f) => f.stage), followers.map((f) => f.diarize), followers.map((f) => f.durable)],
    });
    const [row] = rows;
    if (!row) return undefined;
    const { runId, fileId, ownerId, objectKey, contentType, options, priority, sequence, runStatus, warnings } = row;
    const { head, own, done, ...task } = row;
    const facts = { fileId, ownerId, objectKey, contentType, priority, sequence, status: runStatus, warnings };
    const run = runId === null ? null : { id: runId, ...facts, options: runOptions.parse(options) };
    return { ...task, run, done: done ?? [], standing: { head, own } };
  },
});
export type TaskStateStore = ReturnType<typeof createTaskStateStore>;
