import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { directoryJobs } from '@overtone/contracts';
import { waitFor } from '@overtone/testkit';
import { DiscardPolicy } from 'nats';
import { createWorld, member, type World } from '../../test/world.ts';

let world: World;
beforeAll(async () => {
  world = await createWorld();
});
afterAll(() => world.stop());

const members = [1, 2, 3, 4, 5].map((n) => member(n));
beforeEach(async () => {
  await world.sql(`delete from system_settings where key like 'directory_sync.%'`);
  world.identity.accounts = members.map((m) => m.account);
  Object.assign(world.identity, { applied: [], silentAfter: null });
  Object.assign(world.directory, {
    people: members.map((m) => m.person),
    fault: null,
    secondLook: new Map(),
    meanwhile: async () => {},
  });
  await world.ask('PUT', '', { enabled: true, dry_run: false });
});

const leave = (...which: number[]) => {
  world.directory.people = members.filter((_, i) => !which.includes(i + 1)).map((m) => m.person);
};
const userId = (n: number) => members[n - 1]?.account.userId as string;
const disabled = () => world.identity.applied.flatMap((a) => a.changes.filter((c) => c.disable).map((c) => c.userId));
const counted = async (table: string) => (await world.sql<{ n: string }>(`select count(*) as n from ${table}`))[0]?.n;
const outcomes = (report: Record<string, unknown>) =>
  (report['actions'] as { user_uuid: string; outcome: string }[]).map((a) => [a.user_uuid, a.outcome]);

describe('a pass', () => {
  it('disables whom the directory no longer has, and says who and why', async () => {
    leave(2);
    const report = await world.pass();
    expect(report).toMatchObject({ status: 'ok', checked: 5, seen: 4, candidates: 1, disabled: 1, dry_run: false });
    expect(report['actions']).toMatchObject([
      { user_uuid: userId(2), reason: 'absent_from_directory', applied: true, sessions_revoked: 1 },
    ]);
    expect(report['proof']).toEqual([
      { code: 'pages', evidence: 'closed' },
      { code: 'known', evidence: '4 of our accounts were seen' },
    ]);
    expect(disabled()).toEqual([userId(2)]);
    expect((await world.ask('GET')).body['last_result']).toMatchObject({ pass_uuid: report['pass_uuid'] });
  });

  it('that finds nothing to do asks identity for nothing', async () => {
    expect(await world.pass()).toMatchObject({ status: 'ok', candidates: 0, reconciled: 0 });
    expect(world.identity.applied).toEqual([]);
  });

  it('in which the directory cannot be asked aborts with directory_unavailable, and nobody is disabled', async () => {
    leave(1, 2, 3);
    world.directory.fault = 'The server ended a chain of pages';
    const report = await world.pass();
    expect(report).toMatchObject({ status: 'directory_unavailable', error: world.directory.fault, disabled: 0 });
    expect(world.identity.applied).toEqual([]);
  });

  it('in which none of the known accounts is found disables nobody', async () => {
    world.directory.people = [member(99).person];
    expect(await world.pass()).toMatchObject({ status: 'directory_unavailable', disabled: 0 });
    expect(world.identity.applied).toEqual([]);
  });

  it('with one account whose groups cannot be read disables nobody', async () => {
    leave(1);
    world.directory.people = world.directory.people.map((p, i) => (i === 0 ? { ...p, admitted: 'unknown' } : p));
    expect(await world.pass()).toMatchObject({ status: 'directory_unavailable' });
    expect(world.identity.applied).toEqual([]);
  });

  it('asks once more for everybody it is to disable, and leaves whom it then sees', async () => {
    leave(1, 2);
    world.directory.secondLook.set(userId(1), member(1).person);
    const report = await world.pass();
    expect(outcomes(report)).toEqual([
      [userId(1), 'replication_pending'],
      [userId(2), 'disabled'],
    ]);
    expect(disabled()).toEqual([userId(2)]);
  });

  it('disables at most max_disables_per_run and defers the rest', async () => {
    await world.ask('PUT', '', { max_disables_per_run: 2 });
    leave(1, 2, 3, 4);
    const report = await world.pass();
    expect(report).toMatchObject({ disabled: 2, deferred: 2, capped: true });
    expect(disabled()).toEqual([userId(1), userId(2)]);
  });

  it('dry: reports the same and changes no row but its report', async () => {
    leave(2, 3);
    const dry = await world.pass({ dry_run: true });
    expect(dry).toMatchObject({ dry_run: true, would_disable: 2, disabled: 0 });
    expect(world.identity.applied).toEqual([]);
    const real = await world.pass();
    const told = (report: Record<string, unknown>) =>
      (report['actions'] as { user_uuid: string; reason: string }[]).map((a) => [a.user_uuid, a.reason]);
    expect(told(real)).toEqual(told(dry));
  });

  it('with dry_run set reports who would be disabled, and leaves them as they are', async () => {
    await world.ask('PUT', '', { dry_run: true });
    leave(2);
    expect(await world.pass()).toMatchObject({ status: 'ok', dry_run: true, would_disable: 1, disabled: 0 });
    expect((await world.ask('GET')).body['last_result']).toMatchObject({ would_disable: 1 });
    expect(world.identity.applied).toEqual([]);
  });

  it('with the sweep switched off does nothing and says disabled; a dry run may be looked at', async () => {
    await world.ask('PUT', '', { enabled: false });
    leave(2);
    expect(await world.pass()).toMatchObject({ status: 'disabled', candidates: 0 });
    expect(await world.pass({ dry_run: true })).toMatchObject({ status: 'ok', would_disable: 1 });
  });

  it('lists accounts that came back, and enables nobody', async () => {
    world.identity.accounts = members.map((m, i) =>
      i === 0 ? { ...m.account, active: false, disabledBy: 'directory' } : m.account,
    );
    expect((await world.pass())['eligible_for_reactivation']).toMatchObject([{ user_uuid: userId(1) }]);
    expect(world.identity.applied).toEqual([]);
  });

  it('ordered twice under one id is one pass', async () => {
    leave(2);
    const first = await world.pass();
    const input = { trigger: 'manual', dryRun: false, approvedPass: null, approvedBy: null };
    const again = { taskId: first['pass_uuid'], input };
    await world.nats.jetstream().publish(directoryJobs.run.subject, JSON.stringify(again));
    await waitFor(async () => (await queued()) === 0);
    expect(world.identity.applied).toHaveLength(1);
  });
});

describe('a pass that is broken off half-way', () => {
  const many = [...Array(700).keys()].map((i) => member(i + 1, {}, { admin: i < 3 ? 'no' : 'yes' }));
  beforeEach(async () => {
    world.identity.accounts = many.map((m) => m.account);
    world.directory.people = many.slice(3).map((m) => m.person);
    await world.ask('PUT', '', { max_disables_per_run: 2 });
  });
  const orderBroken = async () => {
    world.identity.silentAfter = 1;
    return String((await world.ask('POST', '/run')).body['task_id']);
  };
  const brokenOff = () => waitFor(() => world.identity.applied.length === 1);

  it('goes on at its next try, and tells everything both tries did, each once', async () => {
    const id = await orderBroken();
    await waitFor(async () => (await world.ask('GET', `/passes/${id}`)).status === 200, { timeoutMs: 120_000 });
    const report = await world.report(id);
    expect(report).toMatchObject({ status: 'ok', disabled: 2, deferred: 1, candidates: 3, reconciled: 697 });
    expect(disabled()).toEqual([userId(1), userId(2)]);
    const told = world.identity.applied.flatMap((a) => a.changes.map((c) => c.userId));
    expect(new Set(told).size).toBe(told.length);
    const why = (await world.ask('GET', `/users/${userId(1)}`)).body as unknown as Record<string, unknown>[];
    expect(why[0]).toMatchObject({ pass_uuid: id, decision: 'disabled', reason: 'absent_from_directory' });
    expect((await world.ask('POST', `/passes/${id}/undo`)).body).toMatchObject({ restored: 1, left: [{}] });
  });

  it('and whose next try finds no directory, still tells whom it disabled', async () => {
    const id = await orderBroken();
    await brokenOff();
    world.directory.fault = 'The directory is gone';
    await waitFor(async () => (await world.ask('GET', `/passes/${id}`)).status === 200, { timeoutMs: 120_000 });
    expect(await world.report(id)).toMatchObject({ status: 'directory_unavailable', disabled: 2, reconciled: 498 });
    expect(disabled()).toHaveLength(2);
  });

  it('and overtaken by a later pass, ends as failed with what it did; the later one does the rest', async () => {
    const id = await orderBroken();
    await brokenOff();
    await waitFor(async () => (await world.ask('GET', '/status')).body['running'] === null);
    const later = await world.pass();
    expect(await world.report(id)).toMatchObject({ status: 'failed', disabled: 2, reconciled: 498 });
    expect(later).toMatchObject({ status: 'ok', disabled: 1, reconciled: 199 });
    await waitFor(async () => (await queued()) === 0, { timeoutMs: 120_000 });
    expect(disabled()).toEqual([userId(1), userId(2), userId(3)]);
  });
});

const queued = async () => (await (await world.nats.jetstreamManager()).streams.info('JOBS')).state.messages;
const redelivered = async () =>
  (await (await world.nats.jetstreamManager()).consumers.info('JOBS', 'cpu-directory')).num_redelivered;
const free = () => world.sql('update directory_lease set until = now()');

describe('the lease', () => {
  it('keeps passes from overlapping: 409 while one runs', async () => {
    let go = () => {};
    const gate = new Promise<void>((resolve) => (go = resolve));
    world.directory.meanwhile = () => gate;
    const id = String((await world.ask('POST', '/run')).body['task_id']);
    await waitFor(async () => (await world.ask('GET', '/status')).body['running'] !== null);
    expect((await world.ask('GET', '/status')).body['running']).toMatchObject({ pass_uuid: id, phase: 'snapshot' });
    const second = await world.ask('POST', '/run');
    expect(second).toMatchObject({ status: 409, body: { code: 'sweep_running' } });
    go();
    await world.report(id);
  });

  it('lost while a pass runs, that pass applies nothing, and its order waits for the other holder', async () => {
    leave(2);
    world.directory.meanwhile = async () => {
      world.directory.meanwhile = async () => {};
      await world.sql(
        `update directory_lease set token = token + 1, holder = 'another', until = now() + interval '1 day'`,
      );
    };
    const id = String((await world.ask('POST', '/run')).body['task_id']);
    // Its second try has come, and meets the other holder.
    await waitFor(async () => (await redelivered()) === 1, { timeoutMs: 120_000 });
    expect(world.identity.applied).toEqual([]);
    await free();
    expect(await world.report(id)).toMatchObject({ status: 'ok', disabled: 1 });
    expect(disabled()).toEqual([userId(2)]);
  });

  it('of a dead holder is taken over once it ends', async () => {
    await world.sql(`update directory_lease set holder = 'dead', until = now() + interval '1 day'`);
    expect((await world.ask('POST', '/run')).status).toBe(409);
    await free();
    expect(await world.pass()).toMatchObject({ status: 'ok' });
  });
});

describe('the schedule', () => {
  const check = () => {
    const body = { taskId: randomUUID(), input: { slot: new Date().toISOString() } };
    return world.nats.jetstream().publish(directoryJobs.checkSchedule.subject, JSON.stringify(body));
  };
  const lastRun = async () => (await world.ask('GET')).body['last_run_at'];
  const sinceYesterday = () =>
    world.sql(`update system_settings set updated_at = now() - interval '1 day' where key = 'directory_sync.enabled'`);

  it('due, dispatches one run and claims its window', async () => {
    await sinceYesterday();
    await world.ask('PUT', '', { schedule: '* * * * *' });
    const before = await counted('directory_pass');
    await check();
    await waitFor(async () => (await lastRun()) !== null);
    await waitFor(async () => (await queued()) === 0);
    expect(Number(await counted('directory_pass'))).toBe(Number(before) + 1);
    await check();
    await waitFor(async () => (await queued()) === 0);
    expect(Number(await counted('directory_pass'))).toBeLessThanOrEqual(Number(before) + 2);
  });

  it('due while the run cannot be dispatched, keeps its window until it can', async () => {
    await sinceYesterday();
    await world.ask('PUT', '', { schedule: '* * * * *' });
    const before = Number(await counted('directory_pass'));
    const jsm = await world.nats.jetstreamManager();
    const { config } = await jsm.streams.info('JOBS');
    // The look at the schedule is in the stream until it is done: there is no room for the order beside it.
    await jsm.streams.update('JOBS', { ...config, max_msgs: 1, discard: DiscardPolicy.New });
    await check();
    await waitFor(async () => (await redelivered()) === 1, { timeoutMs: 120_000 });
    expect(await lastRun()).toBeNull();
    await jsm.streams.update('JOBS', config);
    await waitFor(async () => (await lastRun()) !== null, { timeoutMs: 120_000 });
    await waitFor(async () => (await queued()) === 0, { timeoutMs: 120_000 });
    expect(Number(await counted('directory_pass'))).toBe(before + 1);
  });

  it('switched on again after a long time, makes up for nothing that was due before', async () => {
    await world.ask('PUT', '', { schedule: '0 4 * * *' });
    await world.sql(
      `insert into system_settings (key, value) values ('directory_sync.last_run_at', to_jsonb('2026-01-01T04:00:00.000Z'::text))`,
    );
    const before = await counted('directory_pass');
    await check();
    await waitFor(async () => (await queued()) === 0);
    expect((await world.ask('GET', '/status')).body).toMatchObject({ next_due: false });
    expect(await counted('directory_pass')).toBe(before);
  });

  it.each([
    ['not due', { schedule: '0 0 1 1 *' }],
    ['switched off', { schedule: '* * * * *', enabled: false }],
  ])('%s, dispatches nothing', async (_why, settings) => {
    await world.ask('PUT', '', settings);
    await sinceYesterday();
    if (settings.schedule === '0 0 1 1 *')
      await world.sql(`update system_settings set updated_at = now() where key = 'directory_sync.enabled'`);
    const before = await counted('directory_pass');
    await check();
    await waitFor(async () => (await queued()) === 0);
    expect(await counted('directory_pass')).toBe(before);
    expect(await lastRun()).toBeNull();
  });
});

describe('a held pass', () => {
  const hold = async () => {
    await world.ask('PUT', '', { max_disable_percent: 30 });
    leave(1, 2);
    return world.pass();
  };

  it('holds the whole set above the share that is allowed', async () => {
    const report = await hold();
    expect(report).toMatchObject({ status: 'held', candidates: 2, disabled: 0 });
    expect(outcomes(report)).toEqual([
      [userId(1), 'held'],
      [userId(2), 'held'],
    ]);
    expect(world.identity.applied).toEqual([]);
  });

  it('approved, disables of exactly that set whoever is still gone', async () => {
    const held = await hold();
    leave(2, 3);
    const answer = await world.ask('POST', `/passes/${String(held['pass_uuid'])}/approve`, {
      set_digest: held['set_digest'],
    });
    expect(answer.status).toBe(202);
    const report = await world.report(String(answer.body['task_id']));
    expect(outcomes(report)).toEqual([
      [userId(2), 'disabled'],
      [userId(3), 'held'],
    ]);
    expect(disabled()).toEqual([userId(2)]);
  });

  it('is not approved by another digest, and only once', async () => {
    const held = await hold();
    const approve = (setDigest: unknown) =>
      world.ask('POST', `/passes/${String(held['pass_uuid'])}/approve`, { set_digest: setDigest });
    expect(await approve('0'.repeat(64))).toMatchObject({ status: 409, body: { code: 'sweep_not_held' } });
    const good = await approve(held['set_digest']);
    await world.report(String(good.body['task_id']));
    expect((await approve(held['set_digest'])).status).toBe(409);
  });
});

describe('looking back', () => {
  it('answers 404 when there is nobody of that id', async () => {
    expect((await world.ask('GET', `/users/${randomUUID()}`)).status).toBe(404);
  });

  it('tells why somebody was disabled', async () => {
    leave(2);
    const report = await world.pass();
    const why = (await world.ask('GET', `/users/${userId(2)}`)).body as unknown as Record<string, unknown>[];
    expect(why[0]).toMatchObject({
      pass_uuid: report['pass_uuid'],
      decision: 'disabled',
      reason: 'absent_from_directory',
      evidence: { directory_id: 'entryUUID:2' },
    });
  });

  it('tells why a role changed: by which groups of the directory', async () => {
    const claims = { known: true as const, values: ['cn=staff', 'cn=heads'] };
    world.directory.people = members.map((m, i) =>
      i === 2 ? { ...m.person, admin: 'yes' as const, claims } : m.person,
    );
    await world.pass();
    const why = (await world.ask('GET', `/users/${userId(3)}`)).body as unknown as Record<string, unknown>[];
    expect(why[0]).toMatchObject({ decision: 'applied', evidence: { role: 'admin', groups: 'cn=staff; cn=heads' } });
  });

  it('takes a pass back, and says who stayed and why', async () => {
    leave(1, 2);
    const report = await world.pass();
    const { status, body } = await world.ask('POST', `/passes/${String(report['pass_uuid'])}/undo`);
    expect(status).toBe(200);
    expect(body).toMatchObject({ restored: 1, left: [{ why: 'changed since' }] });
  });

  it('lists passes, newest first', async () => {
    await world.pass();
    const last = await world.pass();
    const { body } = await world.ask('GET', '/passes?page_size=2');
    expect((body['items'] as Record<string, unknown>[])[0]).toMatchObject({ pass_uuid: last['pass_uuid'] });
  });

  it.each([
    ['GET', '', undefined, 404],
    ['POST', '/approve', { set_digest: 'x' }, 409],
    ['POST', '/undo', undefined, 404],
  ])('of a pass that is not there, %s %s is refused', async (method, what, body, status) => {
    expect((await world.ask(method, `/passes/${randomUUID()}${what}`, body)).status).toBe(status);
  });
});

describe('the settings', () => {
  it('have the defaults of the specification', async () => {
    await world.sql(`delete from system_settings where key like 'directory_sync.%'`);
    expect((await world.ask('GET')).body).toEqual({
      enabled: false,
      schedule: '0 4 * * *',
      dry_run: true,
      max_disables_per_run: 10,
      max_disable_percent: null,
      last_run_at: null,
      last_result: null,
    });
  });

  it.each([
    [{}, 400],
    [{ schedule: 'daily' }, 400],
    [{ max_disables_per_run: 0 }, 422],
    [{ max_disables_per_run: 100_001 }, 422],
    [{ max_disable_percent: 0 }, 422],
    [{ enabled: 'yes' }, 422],
    [{ unknown: 1 }, 422],
  ])('refuse %j with %d and write nothing', async (body, status) => {
    const before = (await world.ask('GET')).body;
    expect((await world.ask('PUT', '', body)).status).toBe(status);
    expect((await world.ask('GET')).body).toEqual(before);
  });

  it('name the next five times', async () => {
    const { body } = await world.ask('GET', '/status');
    expect(body['next_runs']).toHaveLength(5);
    expect(body).toMatchObject({ next_due: false, running: null });
  });

  it('are for a super_admin only', async () => {
    expect((await world.ask('GET', '', undefined, 'admin')).status).toBe(403);
  });
});
