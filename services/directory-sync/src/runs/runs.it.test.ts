import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { directoryJobs } from '@overtone/contracts';
import { waitFor } from '@overtone/testkit';
import { DiscardPolicy } from 'nats';
import { stopAfterFile } from '@overtone/testkit/cleanup';
import { createWorld, member } from '../../test/world.ts';

const world = await stopAfterFile(createWorld());

const members = [1, 2, 3, 4, 5].map((number) => member(number));
/** With them a percentage is a limit. */
const fifteen = Array.from({ length: 15 }, (_, i) => member(i + 6));
let others: typeof members = [];
beforeEach(async () => {
  await world.sql(`delete from system_settings where key like 'directory_sync.%'`);
  others = [];
  world.identity.accounts = members.map((one) => one.account);
  Object.assign(world.identity, { applied: [], failingBatch: null });
  Object.assign(world.directory, {
    people: members.map((one) => one.person),
    fault: null,
    recheckResults: new Map(),
    duringSnapshot: async () => {},
  });
  await world.ask('PUT', '', { enabled: true, dry_run: false });
});

function removeFromDirectory(...which: number[]) {
  const removed = which.map((number) => members[number - 1]?.person);
  world.directory.people = [...members, ...others].map(({ person }) => person).filter((one) => !removed.includes(one));
}

function userId(value: number) {
  return members[value - 1]?.account.userId as string;
}

function disabled() {
  return world.identity.applied.flatMap(({ changes }) =>
    changes.filter((change) => change.disable).map((change) => change.userId),
  );
}

async function countRows(table: string) {
  return (await world.sql<{ n: string }>(`select count(*) as n from ${table}`))[0]?.n;
}

function outcomes(report: Record<string, unknown>) {
  return (report['actions'] as { user_uuid: string; outcome: string }[]).map((action) => [
    action.user_uuid,
    action.outcome,
  ]);
}

describe('a sync run', () => {
  it('disables accounts that left the directory, and reports each with its reason', async () => {
    removeFromDirectory(2);
    const report = await world.run();
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

  it('sends identity no changes when there are none', async () => {
    expect(await world.run()).toMatchObject({ status: 'ok', candidates: 0, reconciled: 0 });
    expect(world.identity.applied).toEqual([]);
  });

  it('aborts with directory_unavailable and disables no account when the directory does not respond', async () => {
    removeFromDirectory(1, 2, 3);
    world.directory.fault = 'The server ended a chain of pages';
    const report = await world.run();
    expect(report).toMatchObject({ status: 'directory_unavailable', error: world.directory.fault, disabled: 0 });
    expect(world.identity.applied).toEqual([]);
  });

  it('disables no account when the directory contains none of the known accounts', async () => {
    world.directory.people = [member(99).person];
    expect(await world.run()).toMatchObject({ status: 'directory_unavailable', disabled: 0 });
    expect(world.identity.applied).toEqual([]);
  });

  it('disables no account when the groups of one account cannot be read', async () => {
    removeFromDirectory(1);
    world.directory.people = world.directory.people.map((person, i) =>
      i === 0 ? { ...person, admitted: 'unknown' } : person,
    );
    expect(await world.run()).toMatchObject({ status: 'directory_unavailable' });
    expect(world.identity.applied).toEqual([]);
  });

  it('rechecks every account before it is disabled, and keeps those that the recheck finds', async () => {
    removeFromDirectory(1, 2);
    world.directory.recheckResults.set(userId(1), member(1).person);
    const report = await world.run();
    expect(outcomes(report)).toEqual([
      [userId(1), 'replication_pending'],
      [userId(2), 'disabled'],
    ]);
    expect(disabled()).toEqual([userId(2)]);
  });

  it('disables at most max_disables_per_run and defers the rest', async () => {
    await world.ask('PUT', '', { max_disables_per_run: 2, max_disable_percent: null });
    removeFromDirectory(1, 2, 3, 4);
    const report = await world.run();
    expect(report).toMatchObject({ disabled: 2, deferred: 2, capped: true });
    expect(disabled()).toEqual([userId(1), userId(2)]);
  });

  it('writes only its report in a dry run', async () => {
    removeFromDirectory(2, 3);
    const dry = await world.run({ dry_run: true });
    expect(dry).toMatchObject({ dry_run: true, would_disable: 2, disabled: 0 });
    expect(world.identity.applied).toEqual([]);
    const real = await world.run();
    const reasonsOf = (report: Record<string, unknown>) =>
      (report['actions'] as { user_uuid: string; reason: string }[]).map((action) => [action.user_uuid, action.reason]);
    expect(reasonsOf(real)).toEqual(reasonsOf(dry));
  });

  it('reports the accounts to disable without a change when dry_run is set', async () => {
    await world.ask('PUT', '', { dry_run: true });
    removeFromDirectory(2);
    expect(await world.run()).toMatchObject({ status: 'ok', dry_run: true, would_disable: 1, disabled: 0 });
    expect((await world.ask('GET')).body['last_result']).toMatchObject({ would_disable: 1 });
    expect(world.identity.applied).toEqual([]);
  });

  it('reports `disabled` when the directory sync is switched off, except in a dry run', async () => {
    await world.ask('PUT', '', { enabled: false });
    removeFromDirectory(2);
    expect(await world.run()).toMatchObject({ status: 'disabled', candidates: 0 });
    expect(await world.run({ dry_run: true })).toMatchObject({ status: 'ok', would_disable: 1 });
  });

  it('lists accounts that returned to the directory without enabling them', async () => {
    world.identity.accounts = members.map(({ account }, i) =>
      i === 0 ? { ...account, active: false, disabledBy: 'directory' } : account,
    );
    expect((await world.run())['eligible_for_reactivation']).toMatchObject([{ user_uuid: userId(1) }]);
    expect(world.identity.applied).toEqual([]);
  });

  it('runs once when two jobs have the same id', async () => {
    removeFromDirectory(2);
    const first = await world.run();
    const input = { trigger: 'manual', dryRun: false, approvedPass: null, approvedBy: null };
    const again = { taskId: first['pass_uuid'], input };
    await world.nats.jetstream({ timeout: 30_000 }).publish(directoryJobs.run.subject, JSON.stringify(again));
    await waitFor(async () => (await queued()) === 0);
    expect(world.identity.applied).toHaveLength(1);
  });
});

describe('interrupted sync run', () => {
  const many = [...Array(700).keys()].map((i) => member(i + 1, {}, { admin: i < 3 ? 'no' : 'yes' }));
  beforeEach(async () => {
    world.identity.accounts = many.map(({ account }) => account);
    world.directory.people = many.slice(3).map(({ person }) => person);
    await world.ask('PUT', '', { max_disables_per_run: 2 });
  });
  const enqueueInterrupted = async () => {
    world.identity.failingBatch = 1;
    return String((await world.ask('POST', '/run')).body['task_id']);
  };
  const untilInterrupted = () => waitFor(() => world.identity.applied.length === 1);

  it('continues at its next attempt, and reports each change of both attempts once', async () => {
    const id = await enqueueInterrupted();
    await waitFor(async () => (await world.ask('GET', `/passes/${id}`)).status === 200);
    const report = await world.report(id);
    expect(report).toMatchObject({ status: 'ok', disabled: 2, deferred: 1, candidates: 3, reconciled: 697 });
    expect(disabled()).toEqual([userId(1), userId(2)]);
    const changedIds = world.identity.applied.flatMap(({ changes }) => changes.map(({ userId: id }) => id));
    expect(new Set(changedIds).size).toBe(changedIds.length);
    const why = (await world.ask('GET', `/users/${userId(1)}`)).body as unknown as Record<string, unknown>[];
    expect(why[0]).toMatchObject({ pass_uuid: id, decision: 'disabled', reason: 'absent_from_directory' });
    expect((await world.ask('POST', `/passes/${id}/undo`)).body).toMatchObject({ restored: 1, left: [{}] });
  });

  it('reports the disabled accounts even when the directory is unavailable at the next attempt', async () => {
    const id = await enqueueInterrupted();
    await untilInterrupted();
    world.directory.fault = 'The directory is unavailable';
    await waitFor(async () => (await world.ask('GET', `/passes/${id}`)).status === 200);
    expect(await world.report(id)).toMatchObject({ status: 'directory_unavailable', disabled: 2, reconciled: 498 });
    expect(disabled()).toHaveLength(2);
  });

  it('is reported as failed with its changes by a later sync run, which makes the remaining changes', async () => {
    const id = await enqueueInterrupted();
    await untilInterrupted();
    await waitFor(async () => (await world.ask('GET', '/status')).body['running'] === null);
    const later = await world.run();
    expect(await world.report(id)).toMatchObject({ status: 'failed', disabled: 2, reconciled: 498 });
    expect(later).toMatchObject({ status: 'ok', disabled: 1, reconciled: 199 });
    await waitFor(async () => (await queued()) === 0);
    expect(disabled()).toEqual([userId(1), userId(2), userId(3)]);
  });
});

async function queued() {
  return (await (await world.nats.jetstreamManager()).streams.info('JOBS')).state.messages;
}

async function redelivered() {
  return (await (await world.nats.jetstreamManager()).consumers.info('JOBS', 'cpu-directory')).num_redelivered;
}

function releaseLease() {
  return world.sql('update directory_lease set until = now()');
}

describe('the lease', () => {
  it('prevents overlapping sync runs with 409 while one runs', async () => {
    const { promise: gate, resolve: openGate } = Promise.withResolvers<void>();
    world.directory.duringSnapshot = () => gate;
    const id = String((await world.ask('POST', '/run')).body['task_id']);
    await waitFor(async () => (await world.ask('GET', '/status')).body['running'] !== null);
    expect((await world.ask('GET', '/status')).body['running']).toMatchObject({ pass_uuid: id, phase: 'snapshot' });
    const second = await world.ask('POST', '/run');
    expect(second).toMatchObject({ status: 409, body: { code: 'sweep_running' } });
    openGate();
    await world.report(id);
  });

  it('stops a sync run that loses it from applying changes; its job waits for the other holder', async () => {
    removeFromDirectory(2);
    world.directory.duringSnapshot = async () => {
      world.directory.duringSnapshot = async () => {};
      await world.sql(
        `update directory_lease set token = token + 1, holder = 'another', until = now() + interval '1 day'`,
      );
    };
    const id = String((await world.ask('POST', '/run')).body['task_id']);
    // The second delivery of the job finds the lease held by another replica.
    await waitFor(async () => (await redelivered()) === 1);
    expect(world.identity.applied).toEqual([]);
    await releaseLease();
    expect(await world.report(id)).toMatchObject({ status: 'ok', disabled: 1 });
    expect(disabled()).toEqual([userId(2)]);
  });

  it('is acquired from a crashed holder when it expires', async () => {
    await world.sql(`update directory_lease set holder = 'crashed', until = now() + interval '1 day'`);
    expect((await world.ask('POST', '/run')).status).toBe(409);
    await releaseLease();
    expect(await world.run()).toMatchObject({ status: 'ok' });
  });
});

describe('the schedule', () => {
  const enqueueCheck = () => {
    const body = { taskId: randomUUID(), input: { slot: new Date().toISOString() } };
    return world.nats.jetstream({ timeout: 30_000 }).publish(directoryJobs.checkSchedule.subject, JSON.stringify(body));
  };
  const lastRun = async () => (await world.ask('GET')).body['last_run_at'];
  const sinceYesterday = () =>
    world.sql(`update system_settings set updated_at = now() - interval '1 day' where key = 'directory_sync.enabled'`);

  it('enqueues one run and claims its window when it is due', async () => {
    await sinceYesterday();
    await world.ask('PUT', '', { schedule: '* * * * *' });
    const before = await countRows('directory_pass');
    await enqueueCheck();
    await waitFor(async () => (await lastRun()) !== null);
    await waitFor(async () => (await queued()) === 0);
    expect(Number(await countRows('directory_pass'))).toBe(Number(before) + 1);
    await enqueueCheck();
    await waitFor(async () => (await queued()) === 0);
    expect(Number(await countRows('directory_pass'))).toBeLessThanOrEqual(Number(before) + 2);
  });

  it('keeps its window until a due run can be enqueued', async () => {
    await sinceYesterday();
    await world.ask('PUT', '', { schedule: '* * * * *' });
    const before = Number(await countRows('directory_pass'));
    const jsm = await world.nats.jetstreamManager();
    const { config } = await jsm.streams.info('JOBS');
    // The stream has room for one message: the unacknowledged schedule check blocks the run job.
    await jsm.streams.update('JOBS', { ...config, max_msgs: 1, discard: DiscardPolicy.New });
    await enqueueCheck();
    await waitFor(async () => (await redelivered()) === 1);
    expect(await lastRun()).toBeNull();
    await jsm.streams.update('JOBS', config);
    await waitFor(async () => (await lastRun()) !== null);
    await waitFor(async () => (await queued()) === 0);
    expect(Number(await countRows('directory_pass'))).toBe(before + 1);
  });

  it('does not make up for earlier runs when it is enabled again', async () => {
    await world.ask('PUT', '', { schedule: '0 4 * * *' });
    await world.sql(
      `insert into system_settings (key, value) values ('directory_sync.last_run_at', to_jsonb('2026-01-01T04:00:00.000Z'::text))`,
    );
    const before = await countRows('directory_pass');
    await enqueueCheck();
    await waitFor(async () => (await queued()) === 0);
    expect((await world.ask('GET', '/status')).body).toMatchObject({ next_due: false });
    expect(await countRows('directory_pass')).toBe(before);
  });

  it.each([
    ['not due', { schedule: '0 0 1 1 *' }],
    ['disabled', { schedule: '* * * * *', enabled: false }],
  ])('enqueues no run when it is %s', async (_why, settings) => {
    await world.ask('PUT', '', settings);
    await sinceYesterday();
    if (settings.schedule === '0 0 1 1 *')
      await world.sql(`update system_settings set updated_at = now() where key = 'directory_sync.enabled'`);
    const before = await countRows('directory_pass');
    await enqueueCheck();
    await waitFor(async () => (await queued()) === 0);
    expect(await countRows('directory_pass')).toBe(before);
    expect(await lastRun()).toBeNull();
  });
});

describe('a held sync run', () => {
  const executeHeldRun = async (request = {}) => {
    others = fifteen;
    world.identity.accounts = [...members, ...others].map(({ account }) => account);
    removeFromDirectory(1, 2, 3);
    await world.ask('PUT', '', { max_disable_percent: 10 });
    return world.run(request);
  };

  it('holds the whole set above the allowed share', async () => {
    const report = await executeHeldRun();
    expect(report).toMatchObject({ status: 'held', candidates: 3, disabled: 0 });
    expect(outcomes(report)).toEqual([1, 2, 3].map((number) => [userId(number), 'held']));
    expect(world.identity.applied).toEqual([]);
  });

  it('counts and names, as a dry run, the accounts that it would disable', async () => {
    const report = await executeHeldRun({ dry_run: true });
    expect(report).toMatchObject({ status: 'held', dry_run: true, candidates: 3, would_disable: 3, disabled: 0 });
    expect(outcomes(report)).toEqual([1, 2, 3].map((number) => [userId(number), 'held']));
  });

  it('is none among fewer than 20 accounts, whatever the percentage', async () => {
    await world.ask('PUT', '', { max_disable_percent: 1 });
    removeFromDirectory(1, 2, 3);
    expect(await world.run({ dry_run: true })).toMatchObject({ status: 'ok', would_disable: 3 });
    expect(await world.run()).toMatchObject({ status: 'ok', disabled: 3 });
  });

  it('disables, after approval, the accounts of that set that are still absent', async () => {
    const held = await executeHeldRun();
    removeFromDirectory(2, 3, 4);
    const response = await world.ask('POST', `/passes/${String(held['pass_uuid'])}/approve`, {
      set_digest: held['set_digest'],
    });
    expect(response.status).toBe(202);
    const report = await world.report(String(response.body['task_id']));
    expect(outcomes(report)).toEqual([
      [userId(2), 'disabled'],
      [userId(3), 'disabled'],
      [userId(4), 'held'],
    ]);
    expect(disabled()).toEqual([userId(2), userId(3)]);
  });

  it('is approved only by its digest, and only once', async () => {
    const held = await executeHeldRun();
    const approve = (setDigest: unknown) =>
      world.ask('POST', `/passes/${String(held['pass_uuid'])}/approve`, { set_digest: setDigest });
    expect(await approve('0'.repeat(64))).toMatchObject({ status: 409, body: { code: 'sweep_not_held' } });
    const accepted = await approve(held['set_digest']);
    await world.report(String(accepted.body['task_id']));
    expect((await approve(held['set_digest'])).status).toBe(409);
  });
});

describe('review of finished sync runs', () => {
  it('answers 404 for an unknown account', async () => {
    expect((await world.ask('GET', `/users/${randomUUID()}`)).status).toBe(404);
  });

  it('explains why an account was disabled', async () => {
    removeFromDirectory(2);
    const report = await world.run();
    const why = (await world.ask('GET', `/users/${userId(2)}`)).body as unknown as Record<string, unknown>[];
    expect(why[0]).toMatchObject({
      pass_uuid: report['pass_uuid'],
      decision: 'disabled',
      reason: 'absent_from_directory',
      evidence: { directory_id: 'entryUUID:2' },
    });
  });

  it('explains which directory groups changed a role', async () => {
    const claims = { known: true as const, values: ['cn=staff', 'cn=heads'] };
    world.directory.people = members.map(({ person }, i) =>
      i === 2 ? { ...person, admin: 'yes' as const, claims } : person,
    );
    await world.run();
    const why = (await world.ask('GET', `/users/${userId(3)}`)).body as unknown as Record<string, unknown>[];
    expect(why[0]).toMatchObject({ decision: 'applied', evidence: { role: 'admin', groups: 'cn=staff; cn=heads' } });
  });

  it('undoes a sync run, and reports the accounts that stay disabled with the reason', async () => {
    removeFromDirectory(1, 2);
    const report = await world.run();
    const { status, body } = await world.ask('POST', `/passes/${String(report['pass_uuid'])}/undo`);
    expect(status).toBe(200);
    expect(body).toMatchObject({ restored: 1, left: [{ why: 'changed since' }] });
  });

  it('lists sync runs, newest first', async () => {
    await world.run();
    const last = await world.run();
    const { body } = await world.ask('GET', '/passes?page_size=2');
    expect((body['items'] as Record<string, unknown>[])[0]).toMatchObject({ pass_uuid: last['pass_uuid'] });
  });

  it.each([
    ['GET', '', undefined, 404],
    ['POST', '/approve', { set_digest: 'x' }, 409],
    ['POST', '/undo', undefined, 404],
  ])('rejects %s %s for an unknown sync run', async (method, what, body, status) => {
    expect((await world.ask(method, `/passes/${randomUUID()}${what}`, body)).status).toBe(status);
  });
});

describe('the settings', () => {
  it('have the defaults of the specification, and a limit of 20 percent without a stored value', async () => {
    await world.sql(`delete from system_settings where key like 'directory_sync.%'`);
    expect((await world.ask('GET')).body).toEqual({
      enabled: false,
      schedule: '0 4 * * *',
      dry_run: true,
      max_disables_per_run: 10,
      max_disable_percent: 20,
      last_run_at: null,
      last_result: null,
    });
  });

  it('leave a record for the audit trail when they are changed', async () => {
    await world.ask('PUT', '', { schedule: '0 5 * * *', max_disable_percent: null });
    const [row] = await world.sql('select data from directory_sync_outbox order by id desc limit 1');
    expect(row).toMatchObject({
      data: {
        action: 'directory_sync_settings_changed',
        details: {
          changed: 'max_disable_percent, schedule',
          schedule: '0 5 * * *',
          max_disable_percent: 'no limit',
        },
      },
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
  ])('reject %j with status %d and stay unchanged', async (body, status) => {
    const before = (await world.ask('GET')).body;
    expect((await world.ask('PUT', '', body)).status).toBe(status);
    expect((await world.ask('GET')).body).toEqual(before);
  });

  it('return the next five runs', async () => {
    const { body } = await world.ask('GET', '/status');
    expect(body['next_runs']).toHaveLength(5);
    expect(body).toMatchObject({ next_due: false, running: null });
  });

  it('are accessible to a super_admin only', async () => {
    expect((await world.ask('GET', '', undefined, 'admin')).status).toBe(403);
  });
});

describe('a sync run after a restore of the database', () => {
  const restored = async () => await world.sql(`insert into restore_record (backup_name) values ('overtone-1')`);
  const open = async () => (await world.sql('select 1 from restore_record where directory_checked_at is null')).length;

  it('lets directory accounts sign in again when it succeeds', async () => {
    await restored();
    world.directory.fault = 'unreachable';
    expect(await world.run()).not.toMatchObject({ status: 'ok' });
    expect(await open()).toBe(1);
    world.directory.fault = null;
    expect(await world.run()).toMatchObject({ status: 'ok' });
    expect(await open()).toBe(0);
  });

  it('does not do so as a dry run of an enabled directory sync', async () => {
    await restored();
    expect(await world.run({ dry_run: true })).toMatchObject({ status: 'ok', dry_run: true });
    expect(await open()).toBe(1);
    await world.run();
  });
});
