import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { createDatabase as createTestDatabase } from '@overtone/testkit';
import { cleanUpAfterFile } from '@overtone/testkit/cleanup';
import { Pool } from 'pg';
import { createStatements } from '../database.ts';
import { createAcceptStore } from './accept.store.ts';
import { createClaimStore } from './claim.store.ts';
import { createRequeueStore } from './requeue.store.ts';

const tables = ['run', 'stage', 'task', 'task_attempt', 'file_pipeline_timing'];
/** Has at most one row per queue. */
const small = 'queue_pause';

const own = await createTestDatabase();
cleanUpAfterFile(own.drop);
// One connection, whose prepared plans are kept, as in the dispatcher.
const pool = new Pool({ connectionString: own.url, max: 1, idleTimeoutMillis: 0 });
cleanUpAfterFile(() => pool.end());
await pool.query('set plan_cache_mode = force_generic_plan');
// Only the tests analyze these tables, so that the statistics are deterministic.
for (const table of tables) await pool.query(`alter table ${table} set (autovacuum_enabled = false)`);
beforeEach(async () => {
  await pool.query(`truncate ${tables.join(', ')}`);
  await pool.query('deallocate all');
});

/** Inserts index tasks, waiting or claimed, each in its own run. */
function insertIndexTasks(count: number, status: 'pending' | 'in_progress') {
  return pool.query(
    `with runs as (
       insert into run (uuid, file_id, owner_id, object_key, content_type, options, opened_by, ordered_at)
       select gen_random_uuid(), gen_random_uuid(), gen_random_uuid(), 'x', 'audio/mpeg', '{}', gen_random_uuid(), now()
       from generate_series(1, $1) returning uuid, file_id, owner_id
     ), stages as (
       insert into stage (run_id, stage) select uuid, 'index' from runs
     ), timings as (
       insert into file_pipeline_timing (run_id, file_id, user_id, file_opened_at)
       select uuid, file_id, owner_id, now() from runs
     ), tasks as (
       insert into task (uuid, run_id, file_id, owner_id, stage, subject, queue, input, status, token, max_failures,
                         backoff_ms, published_at, priority, rank, cost_s)
       select gen_random_uuid(), uuid, file_id, owner_id, 'index', 'job.embedding.search.index', 'embedding', '{}', $2, 1,
              5, 2000, now(), 1, 60, 60 from runs returning uuid, status
     )
     insert into task_attempt (task_id, token, attempt, worker)
     select uuid, 1, 1, 'w' from tasks where status = 'in_progress'`,
    [count, status],
  );
}

const outbox = { headers: () => ({}) };

function claimOf(lane: 'normal' | 'express') {
  return createClaimStore({ statements: createStatements({ pool, wake: () => {} }), outbox }).claimNext({
    durable: 'cpu-media',
    workerId: 'w',
    claimId: randomUUID(),
    lane,
    subjects: ['job.cpu.media.prepare'],
  });
}

/** Runs the statements that end a task on one that is not claimed. */
async function endings() {
  const statements = createStatements({ pool, wake: () => {} });
  const { accept, acceptStandalone } = createAcceptStore({ statements, outbox });
  const task = { id: randomUUID(), token: 1 };
  await accept({
    task: { ...task, stage: 'index' },
    run: { id: randomUUID(), sequence: 0, status: 'running', warnings: [] },
    artefact: null,
    output: { artefact: null },
    engineSeconds: 0,
    audioSeconds: null,
    engine: null,
    skips: [],
    nextTask: null,
    endsWith: null,
    events: [],
  });
  await acceptStandalone(task);
  await createRequeueStore({ statements, outbox }).requeue({ ...task, outcome: 'released', keepsPosition: false });
}

/** The tables that prepared statements scan sequentially. */
async function readInFull(): Promise<string[]> {
  const { rows } = await pool.query<{ name: string; parameters: number }>(
    'select name, cardinality(parameter_types) as parameters from pg_prepared_statements where not from_sql order by name',
  );
  const found: string[] = [];
  for (const { name, parameters } of rows) {
    const values = Array.from({ length: parameters }, () => 'null').join(', ');
    const plan = await pool.query<{ 'QUERY PLAN': string }>(`explain execute "${name}" (${values})`);
    for (const line of plan.rows) {
      const table = /Seq Scan on (\w+)/.exec(line['QUERY PLAN'])?.[1];
      if (table !== undefined && table !== small) found.push(`${name}: ${table}`);
    }
  }
  expect(rows.length).toBeGreaterThan(0);
  return found;
}

describe('performance contract: a plan prepared on a nearly empty table', () => {
  it('ends a task through index scans, also when the table has grown', async () => {
    await insertIndexTasks(30, 'in_progress');
    await endings();
    expect(await readInFull()).toEqual([]);
  });
});

describe('performance contract: with many tasks waiting on other durables', () => {
  it.each(['normal', 'express'] as const)('a %s claim without a match reads none of them', async (lane) => {
    await insertIndexTasks(3_000, 'pending');
    await pool.query(`analyze ${tables.join(', ')}`);
    expect(await claimOf(lane)).toMatchObject({ task: null, waiting: false });
    expect(await readInFull()).toEqual([]);
  });
});
