import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { type RequestOf, directorySyncRpc, type DirectoryChange } from '@overtone/contracts';
import { createDatabase as connectDatabase, createOutbox } from '@overtone/database';
import { createLog, createMetrics, unavailable, type Bus } from '@overtone/service-kit';
import { createDatabase, waitFor } from '@overtone/testkit';
import { cleanUpAfterFile } from '@overtone/testkit/cleanup';
import { z } from 'zod';
import { rulesFor } from '../../test/rules.ts';
import { columnsOf, doneOf, member, withChanges } from '../../test/world.ts';
import { directorySyncEnv } from '../env.ts';
import { PrismaClient } from '../generated/client.ts';
import type { Account } from '../plan/plan.ts';
import type { TakeSnapshot } from '../snapshot/snapshot.ts';
import { createTelemetry } from '../telemetry.ts';
import { createSyncRuns } from './runs.ts';

const log = createLog('directory-sync', { LOG_LEVEL: 'fatal', LOG_FORMAT: 'json' });
const database = await createDatabase();
cleanUpAfterFile(database.drop);
const env = z.object(directorySyncEnv).parse({
  API_PORT: 0,
  INTERNAL_PORT: 0,
  NATS_URL: 'nats://127.0.0.1:1',
  DATABASE_URL: database.urlFor('directory_sync'),
  ASSERTION_PUBLIC_KEY: 'none',
});
const { db, part } = connectDatabase(
  { env, name: 'directory-sync', metrics: createMetrics(), log },
  (options) => new PrismaClient(options),
);
cleanUpAfterFile(() => part.stop());

const absentCount = 3;
/** More changes than fit into one batch. */
const members = [...Array(620).keys()].map((i) => member(i + 1, {}, { admin: i < absentCount ? 'no' : 'yes' }));
const people = new Map(members.slice(absentCount).map(({ person }) => [person.id, person]));

/** A fake identity service. A change that is requested twice in one sync run is applied once. */
function createFakeIdentity() {
  let accounts: Account[] = members.map(({ account }) => account);
  const applied: { passId: string; change: DirectoryChange }[] = [];
  const page = <T extends { userId: string }>(list: T[], id: string | null, limit: number): T[] =>
    list
      .filter(({ userId }) => id === null || userId > id)
      .sort((x, y) => (x.userId < y.userId ? -1 : 1))
      .slice(0, limit);
  const apply = ({ passId, changes }: RequestOf<typeof directorySyncRpc.apply>) => {
    const results = changes.map((change) => {
      const wasApplied = applied.some(
        (earlier) => earlier.passId === passId && earlier.change.userId === change.userId,
      );
      const account = accounts.find(({ userId }) => userId === change.userId);
      const asExpected = account?.active && account.role === change.expected.role;
      if (!wasApplied && asExpected) applied.push({ passId, change });
      return {
        userId: change.userId,
        outcome: wasApplied || asExpected ? ('applied' as const) : ('changed_meanwhile' as const),
        sessionsRevoked: 0,
      };
    });
    accounts = accounts.map((account) =>
      withChanges(
        account,
        applied.map(({ change }) => change),
      ),
    );
    return { results };
  };
  const answers: Record<string, (request: never) => unknown> = {
    [directorySyncRpc.rules.subject]: () => rulesFor({}),
    [directorySyncRpc.accounts.subject]: (request: RequestOf<typeof directorySyncRpc.accounts>) =>
      columnsOf(page(accounts, request.after, 200)),
    [directorySyncRpc.apply.subject]: apply,
    [directorySyncRpc.done.subject]: (request: RequestOf<typeof directorySyncRpc.done>) => ({
      done: page(
        applied.filter(({ passId }) => passId === request.passId).map(({ change }) => doneOf(change)),
        request.after,
        200,
      ),
    }),
  };
  const reply = (def: { subject: string }, request: unknown): Promise<unknown> => {
    const answer = answers[def.subject];
    return answer
      ? Promise.resolve(answer(request as never))
      : Promise.reject(unavailable('service_unavailable', def.subject));
  };
  return { bus: { request: reply } as unknown as Pick<Bus, 'request'>, applied };
}

/** A process that crashes at a step, before or after the work of that step. All later steps fail. */
function createCrashingProcess(crashStep: number, afterWork: boolean) {
  let steps = 0;
  const crashed = new AbortController();
  const crash = () => {
    const error = new Error('the process has crashed');
    crashed.abort(error);
    return error;
  };
  const step = async <T>(work: () => PromiseLike<T>): Promise<T> => {
    steps += 1;
    if (steps > crashStep || (steps === crashStep && !afterWork)) throw crash();
    const result = await work();
    if (steps === crashStep) throw crash();
    return result;
  };
  const intercept = <T extends object>(target: T): T =>
    new Proxy(target, {
      get: (inner, name) => {
        const value: unknown = Reflect.get(inner, name);
        if (typeof value === 'function')
          return (...args: unknown[]) => step(() => Reflect.apply(value, inner, args) as PromiseLike<unknown>);
        return typeof value === 'object' && value !== null ? intercept(value) : value;
      },
    });
  return { step, intercept, steps: () => steps, stop: crashed.signal };
}

type CrashingProcess = ReturnType<typeof createCrashingProcess>;

function createTakeSnapshot({ step }: CrashingProcess): TakeSnapshot {
  return async () => {
    await step(() => Promise.resolve());
    return {
      people: { byId: (id) => people.get(id), byLogin: () => undefined },
      seen: people.size,
      proof: [],
      recheck: async function* (accounts) {
        for (const account of accounts) {
          await step(() => Promise.resolve());
          yield people.get(account.directoryId ?? '') ?? null;
        }
      },
      requests: () => 3,
    };
  };
}

type RunRequest = { passId: string; trigger: 'manual'; dryRun: boolean; approvedPass: null };

function createRequest(): RunRequest {
  return {
    passId: randomUUID(),
    trigger: 'manual',
    dryRun: false,
    approvedPass: null,
  };
}

async function run(
  crashing: CrashingProcess,
  identity: Pick<ReturnType<typeof createFakeIdentity>, 'bus'>,
  request: RunRequest,
  isLast = false,
) {
  const runs = createSyncRuns({
    db: crashing.intercept(db),
    outbox: createOutbox('directory-sync'),
    bus: crashing.intercept(identity.bus),
    takeSnapshot: createTakeSnapshot(crashing),
    telemetry: createTelemetry(createMetrics(), () => Promise.resolve([])),
    log,
    holder: randomUUID(),
  });
  return await runs.run(request, { stop: crashing.stop, isLast });
}

function createStableProcess() {
  return createCrashingProcess(Number.POSITIVE_INFINITY, false);
}

async function enableSync() {
  await db.systemSetting.deleteMany();
  for (const [name, value] of Object.entries({ enabled: true, dry_run: false }))
    await db.systemSetting.create({ data: { key: `directory_sync.${name}`, value } });
}

/** Ends the lease of the crashed process. */
function expireLease() {
  return db.$executeRaw`update directory_lease set until = now()`;
}

async function statusOf(passId: string) {
  return (await db.directoryPass.findUnique({ where: { id: passId } }))?.status;
}

async function expectComplete(identity: ReturnType<typeof createFakeIdentity>, requests: RunRequest[], where: string) {
  const ids = identity.applied.map(({ change }) => change.userId);
  expect([where, ids.length]).toEqual([where, members.length]);
  expect([where, new Set(ids).size]).toEqual([where, members.length]);
  const disabled = identity.applied.filter(({ change }) => change.disable).map(({ change }) => change.userId);
  expect([where, disabled.sort()]).toEqual([where, members.slice(0, absentCount).map(({ account }) => account.userId)]);
  expect([where, await db.directoryPass.count({ where: { finishedAt: null } })]).toEqual([where, 0]);
  // Each decision is stored once, with the sync run that made it or that resumed it.
  const runIds = requests.map(({ passId }) => passId);
  expect([where, await db.directoryDecision.count({ where: { passId: { in: runIds } } })]).toEqual([
    where,
    members.length,
  ]);
}

describe('sync run whose process crashes at any step', () => {
  it.each([
    ['is completed by the next attempt of the same job', true],
    ['is reported as failed by the next job, which makes the remaining changes', false],
  ])('%s; each account is changed exactly once', async (_how, isSameJob) => {
    await enableSync();
    const stable = createStableProcess();
    const undisturbed = createFakeIdentity();
    const request = createRequest();
    expect(await run(stable, undisturbed, request)).toMatchObject({ status: 'ok', disabled: absentCount });
    await expectComplete(undisturbed, [request], 'undisturbed');
    const steps = stable.steps();
    expect(steps).toBeGreaterThan(12);
    for (let crashStep = 1; crashStep <= steps; crashStep++)
      for (const afterWork of [false, true]) {
        const where = `${afterWork ? 'after' : 'before'} step ${crashStep}`;
        const identity = createFakeIdentity();
        const first = createRequest();
        await run(createCrashingProcess(crashStep, afterWork), identity, first).catch(() => null);
        await expireLease();
        const next = isSameJob ? first : createRequest();
        await run(createStableProcess(), identity, next);
        await expectComplete(identity, [first, next], where);
        const firstStatus = await statusOf(first.passId);
        if (isSameJob) expect([where, firstStatus]).toEqual([where, 'ok']);
        else expect([undefined, 'failed', 'ok']).toContain(firstStatus);
      }
  });
});

describe('sync job with failing attempts', () => {
  it('waits while a running or crashed holder has the lease, and then completes', async () => {
    await enableSync();
    await db.$executeRaw`update directory_lease set until = now() + interval '1 day'`;
    const [stable, identity, request] = [createStableProcess(), createFakeIdentity(), createRequest()];
    const running = run(stable, identity, request);
    // The second attempt to take the lease shows that the first one failed.
    await Promise.race([running, waitFor(() => stable.steps() > 1)]);
    expect(identity.applied).toEqual([]);
    await expireLease();
    expect(await running).toMatchObject({ status: 'ok', disabled: absentCount });
    await expectComplete(identity, [request], 'after the wait');
  });

  it('is reported as failed by its last attempt, with the changes of all attempts', async () => {
    await enableSync();
    const [identity, request] = [createFakeIdentity(), createRequest()];
    const reply = (def: { subject: string }, body: unknown): unknown =>
      def.subject === directorySyncRpc.apply.subject && identity.applied.length > 0
        ? Promise.reject(unavailable('service_unavailable', 'Identity is unavailable'))
        : identity.bus.request(def as never, body as never);
    const failing = { bus: { request: reply } as unknown as Pick<Bus, 'request'> };
    await expect(run(createStableProcess(), failing, request)).rejects.toMatchObject({ code: 'service_unavailable' });
    expect(await statusOf(request.passId)).toBe('running');
    expect(await run(createStableProcess(), failing, request, true)).toMatchObject({
      status: 'failed',
      error: 'Identity is unavailable',
      disabled: absentCount,
      reconciled: 500 - absentCount,
    });
    expect(await statusOf(request.passId)).toBe('failed');
  });
});
