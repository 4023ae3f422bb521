import { beforeEach, describe, expect, it } from '@jest/globals';
import { directorySyncEvents } from '@overtone/contracts';
import { stopAfterFile } from '@overtone/testkit/cleanup';
import { createWorld, member } from '../../test/world.ts';

const world = await stopAfterFile(createWorld());

// Two leave the directory; among fewer than 20 a percentage is no limit.
const members = Array.from({ length: 20 }, (_, i) => member(i + 1));
beforeEach(async () => {
  await world.sql(`delete from system_settings where key like 'directory_sync.%'`);
  world.identity.accounts = members.map(({ account }) => account);
  world.directory.people = members.slice(2).map(({ person }) => person);
  await world.ask('PUT', '', { enabled: true, dry_run: false });
});

async function reportOf({ pass_uuid: id }: Record<string, unknown>) {
  return (await world.ask('GET', `/passes/${String(id)}`)).body;
}

async function summaryOf({ pass_uuid: id }: Record<string, unknown>) {
  return ((await world.ask('GET', '/passes')).body['items'] as Record<string, unknown>[]).find(
    (run) => run['pass_uuid'] === id,
  );
}

async function last() {
  return (await world.ask('GET')).body['last_result'];
}

function post(run: Record<string, unknown>, what: string, body?: object) {
  return world.ask('POST', `/passes/${String(run['pass_uuid'])}${what}`, body);
}

/** The records for the audit trail about a sync run. */
async function recordsOf({ pass_uuid: id }: Record<string, unknown>) {
  const rows = await world.sql<{ data: Record<string, unknown> }>(
    `select data from directory_sync_outbox where data->'details'->>'run' = $1 order by id`,
    [id],
  );
  return rows.map(({ data: { action, actorId, details } }) => ({ action, actorId, details }));
}

async function heldEvents() {
  const rows = await world.sql<{ data: object }>('select data from directory_sync_outbox where subject = $1', [
    directorySyncEvents.runHeld.subject,
  ]);
  return rows.map(({ data }) => data);
}

/** The record of a run that a person started. */
function started({ pass_uuid: run }: Record<string, unknown>) {
  return { action: 'directory_sync_started', actorId: expect.any(String), details: { run, mode: 'run' } };
}

describe('report of a sync run after later changes', () => {
  it('contains the number and the list of undone accounts', async () => {
    await world.ask('PUT', '', { max_disable_percent: null });
    const run = await world.run();
    expect(await reportOf(run)).toMatchObject({ disabled: 2, undone: 0 });
    await post(run, '/undo');
    const [restored, disabled] = members.map(({ account }) => account.userId);
    const report = await reportOf(run);
    expect(report).toMatchObject({ disabled: 2, undone: 1 });
    expect(report['actions']).toMatchObject([
      { user_uuid: restored, outcome: 'undone', applied: false },
      { user_uuid: disabled, outcome: 'disabled', applied: true },
    ]);
    expect(await summaryOf(run)).toMatchObject({ undone: 1 });
    expect(await last()).toMatchObject({ undone: 1 });
  });

  it('contains the time of the approval', async () => {
    await world.ask('PUT', '', { max_disable_percent: 5 });
    const held = await world.run();
    expect(held['error']).toBe('2 of 20 accounts would be disabled, and a sync run may disable 5 % at most.');
    expect(await reportOf(held)).toMatchObject({ status: 'held', approved_at: null });
    expect(await heldEvents()).toEqual([{ runId: held['pass_uuid'] }]);
    const { body } = await post(held, '/approve', { set_digest: held['set_digest'] });
    expect(await reportOf(held)).toMatchObject({ status: 'held', approved_at: expect.any(String) });
    await world.report(String(body['task_id']));
  });

  it('is no event for administrators when a dry run would be held', async () => {
    await world.ask('PUT', '', { max_disable_percent: 5, dry_run: true });
    const before = await heldEvents();
    expect(await world.run()).toMatchObject({ status: 'held', dry_run: true });
    expect(await heldEvents()).toEqual(before);
  });

  it('does not replace the last result when the sync run is not the last', async () => {
    const run = await world.run();
    world.identity.accounts = [];
    const later = await world.run();
    await post(run, '/undo');
    expect(await last()).toMatchObject({ pass_uuid: later['pass_uuid'], undone: 0 });
  });
});

describe('the audit trail', () => {
  it('has a record of a start and of an approval, and none of a rejected one', async () => {
    await world.ask('PUT', '', { max_disable_percent: 5 });
    const held = await world.run();
    expect((await post(held, '/approve', { set_digest: 'other' })).status).toBe(409);
    expect(await recordsOf(held)).toEqual([started(held)]);
    const { body } = await post(held, '/approve', { set_digest: held['set_digest'] });
    expect(await recordsOf(held)).toEqual([
      started(held),
      {
        action: 'directory_sync_approved',
        actorId: expect.any(String),
        details: { run: held['pass_uuid'], set: held['set_digest'] },
      },
    ]);
    await world.report(String(body['task_id']));
  });

  it('has a record of each undo with the number of accounts that were enabled', async () => {
    await world.ask('PUT', '', { max_disable_percent: null });
    const run = await world.run();
    await post(run, '/undo');
    expect(await recordsOf(run)).toEqual([
      started(run),
      {
        action: 'directory_sync_undone',
        actorId: expect.any(String),
        details: { run: run['pass_uuid'], restored: 1, left: 1 },
      },
    ]);
  });
});
