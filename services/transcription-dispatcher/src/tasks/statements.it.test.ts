import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { jobDurable, stageJobs, type Stage } from '@overtone/contracts';
import { createDatabase, createOutbox } from '@overtone/database';
import { createMetrics, runInFlow } from '@overtone/service-kit';
import { createDatabase as createTestDatabase } from '@overtone/testkit';
import { cleanUpAfterFile } from '@overtone/testkit/cleanup';
import { log, uploadedFile } from '../../test/harness.ts';
import { outputs } from '../../test/workers.ts';
import { createStatements } from '../database.ts';
import { PrismaClient } from '../generated/client.ts';
import { createOutcomes } from '../runs/outcomes.service.ts';
import { createCancellation, createRuns } from '../runs/runs.service.ts';
import { runsStore } from '../runs/runs.store.ts';
import { createTiming } from '../runs/timing.store.ts';
import { createClaims } from './claims.service.ts';
import { createFailures } from './failures.service.ts';
import { createTaskStore } from './tasks.store.ts';

const name = 'transcription-dispatcher';
let woken = 0;
/** A concurrent change between the read of a task and its end. */
let concurrentChange: (() => Promise<unknown>) | undefined;
let file: ReturnType<typeof uploadedFile>;

const own = await createTestDatabase();
cleanUpAfterFile(own.drop);
const env = { DATABASE_URL: own.urlFor('transcription_dispatcher'), DB_POOL_SIZE: 1, DB_MAX_OVERFLOW: 4 };
const database = createDatabase({ env, name, metrics: createMetrics(), log }, (options) => new PrismaClient(options));
cleanUpAfterFile(() => database.part.stop());
const { db, pool } = database;
const outbox = createOutbox(name);
const statements = createStatements({ pool, wake: () => (woken += 1) });
const tasks = createTaskStore({ db, statements, outbox, expressMaxSeconds: 300 });
const deps = { db, outbox, tasks, timing: createTiming({ db }), bus: { publishLive: () => {} }, log };
const runs = { ...createRuns(deps), ...createCancellation(deps) };
const runsOfTasks = { ...runsStore, ...createOutcomes(deps) };
const claims = createClaims({
  tasks: {
    ...tasks,
    readState: async (id) => {
      const read = await tasks.readState(id);
      await concurrentChange?.();
      return read;
    },
  },
  runs: runsOfTasks,
  failures: createFailures({ db, tasks, runs: runsOfTasks }),
  log,
});
beforeEach(async () => {
  await database.db.run.deleteMany();
  await database.pool.query('delete from transcription_dispatcher_outbox');
  file = uploadedFile();
  await runs.openFirst(file, { id: randomUUID(), time: new Date() });
});

/** Runs `work` and counts its statements. */
async function countStatements<T>(work: () => Promise<T>): Promise<{ reply: T; statements: number }> {
  const flow = { requestId: 'test', route: 'test', userId: null, dbQueries: 0 };
  const reply = await runInFlow(flow, work);
  return { reply, statements: flow.dbQueries };
}

async function claimTask(stage: Stage) {
  const { subject } = stageJobs[stage];
  const durable = jobDurable(stageJobs[stage]);
  const claim = { claimId: randomUUID(), durable, workerId: 'w', lane: 'normal' as const, subjects: [subject] };
  const { reply, statements } = await countStatements(() => claims.claim(claim));
  if (reply.outcome !== 'claimed') throw new Error(reply.outcome);
  return { claimed: { taskId: reply.taskId, token: reply.token }, statements };
}

function complete(stage: Stage, claimed: { taskId: string; token: number }) {
  return countStatements(() => claims.complete({ ...claimed, output: outputs[stage](claimed.token) }));
}

function changeOnce(work: () => Promise<unknown>): void {
  concurrentChange = () => {
    concurrentChange = undefined;
    return work();
  };
}

async function subjects() {
  return (
    await database.pool.query<{ subject: string }>('select subject from transcription_dispatcher_outbox order by id')
  ).rows.map((row) => row.subject);
}

describe('a stage', () => {
  it('performance contract: is claimed in one statement and completed in two, including the next task', async () => {
    for (const stage of ['prepare', 'transcribe', 'diarize', 'assemble'] as const) {
      const { claimed, statements } = await claimTask(stage);
      expect([stage, statements]).toEqual([stage, 1]);
      expect([stage, await complete(stage, claimed)]).toEqual([
        stage,
        { reply: { outcome: 'accepted' }, statements: 2 },
      ]);
    }
    const run = await database.db.run.findFirstOrThrow({ where: { fileId: file.fileId } });
    await runs.enqueueIndex({
      runId: run.id,
      fileId: file.fileId,
      ownerId: file.ownerId,
      transcriptVersion: 1,
      provisional: false,
    });
    const { claimed } = await claimTask('index');
    expect(await complete('index', claimed)).toEqual({ reply: { outcome: 'accepted' }, statements: 2 });
    expect(await database.db.run.findFirstOrThrow({ where: { fileId: file.fileId } })).toMatchObject({
      status: 'completed',
      sequence: 5,
    });
  });

  it('publishes its event and enqueues the next stage in the commit of its result', async () => {
    const { claimed } = await claimTask('prepare');
    const [before, earlier] = [woken, await subjects()];
    await complete('prepare', claimed);
    expect(woken).toBe(before + 1);
    expect((await subjects()).slice(earlier.length).sort()).toEqual([
      'evt.transcription.stage.completed.v1',
      'job.gpu.transcription.transcribe',
    ]);
  });

  it('performance contract: is requeued in two statements after a failure and in one after a release', async () => {
    const { claimed } = await claimTask('prepare');
    const failed = { ...claimed, code: 'engine_crashed', message: 'no', retryable: true };
    expect(await countStatements(() => claims.fail(failed))).toEqual({ reply: { outcome: 'retry' }, statements: 2 });
    await database.pool.query('update task set next_attempt_at = null');
    const again = await claimTask('prepare');
    expect(await countStatements(() => claims.release(again.claimed))).toEqual({
      reply: { outcome: 'released' },
      statements: 1,
    });
  });

  it('is evaluated again when its run was changed since it was read', async () => {
    const { claimed } = await claimTask('prepare');
    changeOnce(() => database.pool.query(`update run set sequence = 7, warnings = '{late}'`));
    expect((await complete('prepare', claimed)).reply).toEqual({ outcome: 'accepted' });
    expect(await database.db.run.findFirstOrThrow()).toMatchObject({ sequence: 8, warnings: ['late'] });
    const { rows } = await database.pool.query<{ sequence: number }>(
      `select (data ->> 'sequence')::integer as sequence from transcription_dispatcher_outbox
       where subject = 'evt.transcription.stage.completed.v1'`,
    );
    expect(rows).toEqual([{ sequence: 8 }]);
  });

  it('changes nothing when its run was cancelled since it was read', async () => {
    const { claimed } = await claimTask('prepare');
    changeOnce(() => runs.cancel(file, { id: randomUUID(), time: new Date() }));
    expect((await complete('prepare', claimed)).reply).toEqual({ outcome: 'stale' });
    const stages = await database.db.stageRow.findMany({ where: { status: 'completed' } });
    expect(stages).toEqual([]);
    expect(await database.db.task.count()).toBe(1);
  });

  it('fails with unavailable when concurrent changes never stop', async () => {
    const { claimed } = await claimTask('prepare');
    concurrentChange = () => database.pool.query('update run set sequence = sequence + 1');
    await expect(claims.complete({ ...claimed, output: outputs.prepare(claimed.token) })).rejects.toThrow(
      'other requests',
    );
    concurrentChange = undefined;
    expect((await complete('prepare', claimed)).reply).toEqual({ outcome: 'accepted' });
  });
});
