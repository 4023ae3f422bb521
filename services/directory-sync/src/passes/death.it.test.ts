import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { sweepRpc, type RequestOf, type SweepChange } from '@overtone/contracts';
import { createDatabase as connectDatabase } from '@overtone/database';
import { createLog, createMetrics, unavailable, type Bus } from '@overtone/service-kit';
import { createDatabase, waitFor, type TestDatabase } from '@overtone/testkit';
import { z } from 'zod';
import { rulesFor } from '../../test/rules.ts';
import { changed, columnsOf, doneOf, member } from '../../test/world.ts';
import type { Db } from '../database.ts';
import { directorySyncEnv } from '../env.ts';
import { PrismaClient } from '../generated/client.ts';
import type { Account } from '../plan/plan.ts';
import { createTelemetry } from '../telemetry.ts';
import { createPasses, type SnapshotOf } from './passes.service.ts';

let database: TestDatabase;
let db: Db;
let close: () => Promise<unknown>;
const log = createLog('directory-sync', { LOG_LEVEL: 'fatal', LOG_FORMAT: 'json' });
beforeAll(async () => {
  database = await createDatabase();
  const env = z.object(directorySyncEnv).parse({
    API_PORT: 0,
    INTERNAL_PORT: 0,
    NATS_URL: 'nats://127.0.0.1:1',
    DATABASE_URL: database.urlFor('directory_sync'),
    ASSERTION_PUBLIC_KEY: 'none',
  });
  const made = connectDatabase(
    { env, name: 'directory-sync', metrics: createMetrics(), log },
    (adapter) => new PrismaClient({ adapter }),
  );
  db = made.db;
  close = () => Promise.resolve(made.part.stop());
});
afterAll(async () => {
  await close();
  await database.drop();
});

const leavers = 3;
/** More changes than fit into one batch. */
const members = [...Array(620).keys()].map((i) => member(i + 1, {}, { admin: i < leavers ? 'no' : 'yes' }));
const people = new Map(members.slice(leavers).map(({ person }) => [person.id, person]));

/** Identity as far as the sweep knows it: what it was told once is not done again. */
const createIdentity = () => {
  let accounts: Account[] = members.map((m) => m.account);
  const applied: { passId: string; change: SweepChange }[] = [];
  const after = <T extends { userId: string }>(list: T[], id: string | null, limit: number): T[] =>
    list
      .filter((one) => id === null || one.userId > id)
      .sort((a, b) => (a.userId < b.userId ? -1 : 1))
      .slice(0, limit);
  const apply = ({ passId, changes }: RequestOf<typeof sweepRpc.apply>) => {
    const results = changes.map((change) => {
      const asked = applied.some((a) => a.passId === passId && a.change.userId === change.userId);
      const account = accounts.find((a) => a.userId === change.userId);
      const asExpected = account?.active && account.role === change.expected.role;
      if (!asked && asExpected) applied.push({ passId, change });
      return {
        userId: change.userId,
        outcome: asked || asExpected ? ('applied' as const) : ('changed_meanwhile' as const),
        sessionsRevoked: 0,
      };
    });
    accounts = accounts.map((a) =>
      changed(
        a,
        applied.map(({ change }) => change),
      ),
    );
    return { results };
  };
  const answers: Record<string, (request: never) => unknown> = {
    [sweepRpc.rules.subject]: () => rulesFor({}),
    [sweepRpc.accounts.subject]: (r: RequestOf<typeof sweepRpc.accounts>) => columnsOf(after(accounts, r.after, 200)),
    [sweepRpc.apply.subject]: apply,
    [sweepRpc.done.subject]: (r: RequestOf<typeof sweepRpc.done>) => ({
      done: after(
        applied.filter((a) => a.passId === r.passId).map((a) => doneOf(a.change)),
        r.after,
        200,
      ),
    }),
  };
  const ask = (def: { subject: string }, request: unknown): Promise<unknown> => {
    const answer = answers[def.subject];
    return answer
      ? Promise.resolve(answer(request as never))
      : Promise.reject(unavailable('service_unavailable', def.subject));
  };
  return { bus: { ask } as unknown as Pick<Bus, 'ask'>, applied };
};

/** A process that dies at a step: nothing after it happens, and of the step itself all or nothing. */
const mortal = (diesAt: number, afterwards: boolean) => {
  let steps = 0;
  const gone = new AbortController();
  const death = () => {
    const error = new Error('the process is gone');
    gone.abort(error);
    return error;
  };
  const step = async <T>(work: () => PromiseLike<T>): Promise<T> => {
    steps += 1;
    if (steps > diesAt || (steps === diesAt && !afterwards)) throw death();
    const done = await work();
    if (steps === diesAt) throw death();
    return done;
  };
  const within = <T extends object>(target: T): T =>
    new Proxy(target, {
      get: (inner, name) => {
        const value: unknown = Reflect.get(inner, name);
        if (typeof value === 'function')
          return (...given: unknown[]) => step(() => Reflect.apply(value, inner, given) as PromiseLike<unknown>);
        return typeof value === 'object' && value !== null ? within(value) : value;
      },
    });
  return { step, within, steps: () => steps, stop: gone.signal };
};
type Mortal = ReturnType<typeof mortal>;

const snapshotOf =
  ({ step }: Mortal): SnapshotOf =>
  () =>
  async () => {
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

type Order = { passId: string; trigger: 'manual'; dryRun: boolean; approvedPass: null };
const orderOf = (): Order => ({ passId: randomUUID(), trigger: 'manual', dryRun: false, approvedPass: null });
const run = async (
  life: Mortal,
  identity: Pick<ReturnType<typeof createIdentity>, 'bus'>,
  order: Order,
  last = false,
) => {
  const passes = createPasses({
    db: life.within(db),
    bus: life.within(identity.bus),
    snapshotOf: snapshotOf(life),
    telemetry: createTelemetry(createMetrics(), () => Promise.resolve([])),
    log,
    holder: randomUUID(),
  });
  return await passes.run(order, { stop: life.stop, last });
};
const immortal = () => mortal(Number.POSITIVE_INFINITY, false);
const begin = async () => {
  await db.systemSetting.deleteMany();
  for (const [name, value] of Object.entries({ enabled: true, dry_run: false }))
    await db.systemSetting.create({ data: { key: `directory_sync.${name}`, value } });
};
/** Time passes until nobody holds the lease of the dead any more. */
const expire = () => db.$executeRaw`update directory_lease set until = now()`;

const told = async (passId: string) => (await db.directoryPass.findUnique({ where: { id: passId } }))?.status;
const check = async (identity: ReturnType<typeof createIdentity>, orders: Order[], where: string) => {
  const ids = identity.applied.map((a) => a.change.userId);
  expect([where, ids.length]).toEqual([where, members.length]);
  expect([where, new Set(ids).size]).toEqual([where, members.length]);
  const disabled = identity.applied.filter((a) => a.change.disable).map((a) => a.change.userId);
  expect([where, disabled.sort()]).toEqual([where, members.slice(0, leavers).map((m) => m.account.userId)]);
  expect([where, await db.directoryPass.count({ where: { finishedAt: null } })]).toEqual([where, 0]);
  // Each decision stands once, with the pass that made it or took it over.
  const passIds = orders.map((o) => o.passId);
  expect([where, await db.directoryDecision.count({ where: { passId: { in: passIds } } })]).toEqual([
    where,
    members.length,
  ]);
};

describe('pass whose process crashes at any step', () => {
  it.each([
    ['is done to its end by the next try of the same order', true],
    ['is told as failed by the next order, which does the rest', false],
  ])('%s: nobody is moved twice, nobody is left out', async (_how, same) => {
    await begin();
    const whole = immortal();
    const undisturbed = createIdentity();
    const order = orderOf();
    expect(await run(whole, undisturbed, order)).toMatchObject({ status: 'ok', disabled: leavers });
    await check(undisturbed, [order], 'undisturbed');
    const steps = whole.steps();
    expect(steps).toBeGreaterThan(12);
    for (let diesAt = 1; diesAt <= steps; diesAt++)
      for (const afterwards of [false, true]) {
        const where = `step ${diesAt} ${afterwards ? 'done' : 'not done'}`;
        const identity = createIdentity();
        const first = orderOf();
        await run(mortal(diesAt, afterwards), identity, first).catch(() => null);
        await expire();
        const next = same ? first : orderOf();
        await run(immortal(), identity, next);
        await check(identity, [first, next], where);
        const began = await told(first.passId);
        if (same) expect([where, began]).toEqual([where, 'ok']);
        else expect([undefined, 'failed', 'ok']).toContain(began);
      }
  });
});

describe('sync job with failing attempts', () => {
  it('waits while a running or crashed holder has the lease, and then completes', async () => {
    await begin();
    await db.$executeRaw`update directory_lease set until = now() + interval '1 day'`;
    const [life, identity, order] = [immortal(), createIdentity(), orderOf()];
    const running = run(life, identity, order);
    // It has looked once, seen the holder, and looks again.
    await Promise.race([running, waitFor(() => life.steps() > 1)]);
    expect(identity.applied).toEqual([]);
    await expire();
    expect(await running).toMatchObject({ status: 'ok', disabled: leavers });
    await check(identity, [order], 'after the wait');
  });

  it('is reported as failed by its last attempt, with the changes of all attempts', async () => {
    await begin();
    const [identity, order] = [createIdentity(), orderOf()];
    const ask = (def: { subject: string }, request: unknown): unknown =>
      def.subject === sweepRpc.apply.subject && identity.applied.length > 0
        ? Promise.reject(unavailable('service_unavailable', 'Identity is away'))
        : identity.bus.ask(def as never, request as never);
    const half = { bus: { ask } as unknown as Pick<Bus, 'ask'> };
    await expect(run(immortal(), half, order)).rejects.toMatchObject({ code: 'service_unavailable' });
    expect(await told(order.passId)).toBe('running');
    expect(await run(immortal(), half, order, true)).toMatchObject({
      status: 'failed',
      error: 'Identity is away',
      disabled: leavers,
      reconciled: 500 - leavers,
    });
    expect(await told(order.passId)).toBe('failed');
  });
});
