import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { jobDurable, stageJobs, type Stage } from '@overtone/contracts';
import { createDatabase, createOutbox, type Database } from '@overtone/database';
import { createMetrics, runInFlow } from '@overtone/service-kit';
import { createDatabase as createTestDatabase, type TestDatabase } from '@overtone/testkit';
import { log, uploadedFile } from '../../test/harness.ts';
import { outputs } from '../../test/workers.ts';
import { createStatements } from '../database.ts';
import { PrismaClient } from '../generated/client.ts';
import { createOrders } from '../orders/orders.store.ts';
import { createRuns, type Runs } from '../runs/runs.service.ts';
import { createTiming } from '../timing/timing.store.ts';
import { createAcceptStore } from './accept.store.ts';
import { createClaimStore } from './claim.store.ts';
import { createClaims, type Claims } from './claims.service.ts';
import { createPutBackStore } from './put-back.store.ts';
import { createTaskStateStore } from './task-state.store.ts';

const name = 'transcription-dispatcher';
let own: TestDatabase;
let database: Database<PrismaClient>;
let runs: Runs;
let claims: Claims;
let woken = 0;
/** What somebody else does between the reading of a task and the end of it. */
let meanwhile: (() => Promise<unknown>) | undefined;
let file: ReturnType<typeof uploadedFile>;

beforeAll(async () => {
  own = await createTestDatabase();
  const env = { DATABASE_URL: own.urlFor('transcription_dispatcher'), DB_POOL_SIZE: 1, DB_MAX_OVERFLOW: 4 };
  database = createDatabase({ env, name, metrics: createMetrics(), log }, (adapter) => new PrismaClient({ adapter }));
  const { db, pool } = database;
  const outbox = createOutbox(name);
  const statements = createStatements({ pool, wake: () => (woken += 1) });
  const orders = createOrders({ outbox, expressMaxSeconds: 300 });
  runs = createRuns({ db, outbox, orders, timing: createTiming({ db }), bus: { say: () => {} } });
  const state = createTaskStateStore({ statements });
  claims = createClaims({
    db,
    outbox,
    orders,
    runs,
    next: createClaimStore({ statements, outbox }),
    state: {
      read: async (id) => {
        const read = await state.read(id);
        await meanwhile?.();
        return read;
      },
    },
    accepting: createAcceptStore({ statements, outbox }),
    back: createPutBackStore({ statements, outbox }),
    log,
  });
});
afterAll(async () => {
  await database.part.stop();
  await own.drop();
});
beforeEach(async () => {
  await database.db.run.deleteMany();
  await database.pool.query('delete from transcription_dispatcher_outbox');
  file = uploadedFile();
  await runs.uploaded(file, { id: randomUUID(), time: new Date() });
});

/** How many statements something takes. */
const counted = async <T>(work: () => Promise<T>): Promise<{ answer: T; statements: number }> => {
  const flow = { requestId: 'test', route: 'test', userId: null, dbQueries: 0 };
  const answer = await runInFlow(flow, work);
  return { answer, statements: flow.dbQueries };
};
const take = async (stage: Stage) => {
  const { subject } = stageJobs[stage];
  const durable = jobDurable(stageJobs[stage]);
  const claim = { claimId: randomUUID(), durable, workerId: 'w', lane: 'normal' as const, subjects: [subject] };
  const { answer, statements } = await counted(() => claims.claim(claim));
  if (answer.outcome !== 'claimed') throw new Error(answer.outcome);
  return { held: { taskId: answer.taskId, token: answer.token }, statements };
};
const complete = (stage: Stage, held: { taskId: string; token: number }) =>
  counted(() => claims.complete({ ...held, output: outputs[stage](held.token) }));
const once = (work: () => Promise<unknown>): void => {
  meanwhile = () => {
    meanwhile = undefined;
    return work();
  };
};
const subjects = async () =>
  (
    await database.pool.query<{ subject: string }>('select subject from transcription_dispatcher_outbox order by id')
  ).rows.map((r) => r.subject);

describe('a stage', () => {
  test('is claimed in one statement and ends in two, with the order of the next one', async () => {
    for (const stage of ['prepare', 'transcribe', 'diarize', 'assemble'] as const) {
      const { held, statements } = await take(stage);
      expect([stage, statements]).toEqual([stage, 1]);
      expect([stage, await complete(stage, held)]).toEqual([stage, { answer: { outcome: 'accepted' }, statements: 2 }]);
    }
    const run = await database.db.run.findFirstOrThrow({ where: { fileId: file.fileId } });
    await runs.transcriptStored({
      runId: run.id,
      fileId: file.fileId,
      ownerId: file.ownerId,
      transcriptVersion: 1,
      provisional: false,
    });
    const { held } = await take('index');
    expect(await complete('index', held)).toEqual({ answer: { outcome: 'accepted' }, statements: 2 });
    expect(await database.db.run.findFirstOrThrow({ where: { fileId: file.fileId } })).toMatchObject({
      status: 'completed',
      sequence: 5,
    });
  });

  test('is told of, and the next one ordered, in the commit that makes it true', async () => {
    const { held } = await take('prepare');
    const [before, earlier] = [woken, await subjects()];
    await complete('prepare', held);
    expect(woken).toBe(before + 1);
    expect((await subjects()).slice(earlier.length).sort()).toEqual([
      'evt.transcription.stage.completed.v1',
      'job.gpu.transcription.transcribe',
    ]);
  });

  test('that fails and is to be tried again ends in two statements, one that is released in one', async () => {
    const { held } = await take('prepare');
    const failed = { ...held, code: 'engine_crashed', message: 'no', retryable: true };
    expect(await counted(() => claims.fail(failed))).toEqual({ answer: { outcome: 'retry' }, statements: 2 });
    await database.pool.query('update task set next_attempt_at = null');
    const again = await take('prepare');
    expect(await counted(() => claims.release(again.held))).toEqual({
      answer: { outcome: 'released' },
      statements: 1,
    });
  });

  test('whose run was changed since it was read is judged anew', async () => {
    const { held } = await take('prepare');
    once(() => database.pool.query(`update run set sequence = 7, warnings = '{late}'`));
    expect((await complete('prepare', held)).answer).toEqual({ outcome: 'accepted' });
    expect(await database.db.run.findFirstOrThrow()).toMatchObject({ sequence: 8, warnings: ['late'] });
    const { rows } = await database.pool.query<{ sequence: number }>(
      `select (data ->> 'sequence')::integer as sequence from transcription_dispatcher_outbox
       where subject = 'evt.transcription.stage.completed.v1'`,
    );
    expect(rows).toEqual([{ sequence: 8 }]);
  });

  test('whose run was cancelled since it was read changes nothing', async () => {
    const { held } = await take('prepare');
    once(() => runs.cancel(file, { id: randomUUID(), time: new Date() }));
    expect((await complete('prepare', held)).answer).toEqual({ outcome: 'stale' });
    const stages = await database.db.stageRow.findMany({ where: { status: 'completed' } });
    expect(stages).toEqual([]);
    expect(await database.db.task.count()).toBe(1);
  });

  test('that others change again and again is left to be asked for later', async () => {
    const { held } = await take('prepare');
    meanwhile = () => database.pool.query('update run set sequence = sequence + 1');
    await expect(claims.complete({ ...held, output: outputs.prepare(held.token) })).rejects.toThrow('others');
    meanwhile = undefined;
    expect((await complete('prepare', held)).answer).toEqual({ outcome: 'accepted' });
  });
});
