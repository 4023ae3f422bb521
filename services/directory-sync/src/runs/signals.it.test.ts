import { beforeEach, describe, expect, it } from '@jest/globals';
import { stopAfterFile } from '@overtone/testkit/cleanup';
import { createWorld, member } from '../../test/world.ts';

const world = await stopAfterFile(createWorld());

const members = [1, 2, 3].map((number) => member(number));
beforeEach(async () => {
  await world.sql(`delete from system_settings where key like 'directory_sync.%'`);
  await world.sql('delete from directory_pass');
  world.identity.accounts = members.map(({ account }) => account);
  Object.assign(world.directory, { people: members.map(({ person }) => person), fault: null });
  await world.ask('PUT', '', { enabled: true, dry_run: false });
  // Otherwise the settings that a test makes older are due, and the schedule starts a sync run of its own.
  await world.sql(
    `insert into system_settings (key, value, updated_by) values ('directory_sync.last_run_at', to_jsonb($1::text), 'scheduler')`,
    [new Date().toISOString()],
  );
});

function valueIn(text: string, name: string): number | undefined {
  const found = text.split('\n').find((line) => line.startsWith(`directory_sync_${name} `));
  return found === undefined ? undefined : Number(found.split(' ').at(-1));
}

async function signal(name: string): Promise<number | undefined> {
  return valueIn(await world.metrics(), name);
}

function daysAgo(days: number) {
  return new Date(Date.now() - days * 86_400_000);
}

function age(table: string, column: string, days: number, where = '') {
  return world.sql(`update ${table} set ${column} = $1 ${where}`, [daysAgo(days)]);
}

describe('the metrics of the directory sync', () => {
  it('report the last sync run: seen, candidates, disabled, requests, duration, outcome', async () => {
    world.directory.people = members.slice(1).map(({ person }) => person);
    await world.run();
    const text = await world.metrics();
    const values = ['last_seen', 'last_candidates', 'last_disabled', 'last_ldap_requests'].map((name) =>
      valueIn(text, name),
    );
    expect(values).toEqual([2, 1, 1, 3]);
    expect(valueIn(text, 'last_duration_seconds')).toBeGreaterThanOrEqual(0);
    expect(valueIn(text, 'last_outcome{outcome="ok"}')).toBe(1);
    expect(valueIn(text, 'last_outcome{outcome="directory_unavailable"}')).toBe(0);
    expect(valueIn(text, 'passes_total{outcome="ok",dry_run="false"}')).toBe(1);
    expect(valueIn(text, 'ldap_requests_total')).toBe(3);
  });

  it('are equal in a replica that has made no sync run, as after a restart', async () => {
    await world.run();
    const other = await world.start();
    const text = await other.metrics();
    await other.stop();
    expect(valueIn(text, 'last_good_timestamp_seconds')).toBe(await signal('last_good_timestamp_seconds'));
    expect(valueIn(text, 'last_seen')).toBe(3);
    expect(valueIn(text, 'last_outcome{outcome="ok"}')).toBe(1);
    expect(valueIn(text, 'passes_total{outcome="ok",dry_run="false"}')).toBe(0);
  });

  it('report the age since the last successful sync run, independent of failed sync runs', async () => {
    await world.run();
    await age('directory_pass', 'finished_at', 3);
    await age('system_settings', 'updated_at', 9);
    world.directory.fault = 'The server ended a chain of pages';
    await world.run();
    const text = await world.metrics();
    expect(valueIn(text, 'age_seconds')).toBeGreaterThan(2.9 * 86_400);
    expect(valueIn(text, 'age_seconds')).toBeLessThan(3.5 * 86_400);
    expect(valueIn(text, 'runs_missed')).toBeGreaterThanOrEqual(3);
    expect(valueIn(text, 'last_outcome{outcome="directory_unavailable"}')).toBe(1);
  });

  it('report the age since the directory sync was enabled before the first successful sync run, and 0 while it is disabled', async () => {
    expect(await signal('last_good_timestamp_seconds')).toBeUndefined();
    await age('system_settings', 'updated_at', 2, `where key = 'directory_sync.enabled'`);
    expect(await signal('age_seconds')).toBeGreaterThan(1.9 * 86_400);
    expect(await signal('runs_missed')).toBeGreaterThanOrEqual(2);
    await world.ask('PUT', '', { enabled: false });
    expect([await signal('enabled'), await signal('age_seconds'), await signal('runs_missed')]).toEqual([0, 0, 0]);
  });

  it('count a dry run as a successful sync run only when the directory sync is set to dry runs', async () => {
    await world.run({ dry_run: true });
    expect(await signal('last_good_timestamp_seconds')).toBeUndefined();
    await world.ask('PUT', '', { dry_run: true });
    expect(await signal('last_good_timestamp_seconds')).toBeGreaterThan(0);
  });
});
