import { chmod, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { operationsRunEvents } from '@overtone/contracts';
import { waitFor } from '@overtone/testkit';
import { stopAfterFile } from '@overtone/testkit/cleanup';
import { createWorld, type OperationsClient } from '../../test/world.ts';

const world = await stopAfterFile(createWorld());
const folder = join(world.folder, 'backups');
/** A folder with a pg_dump that never ends. */
const slowPrograms = join(world.folder, 'slow');
await mkdir(slowPrograms);
for (const name of ['pg_dump', 'pg_restore']) {
  await writeFile(join(slowPrograms, name), '#!/bin/sh\nwhile echo begun; do sleep 0.2; done\n');
  await chmod(join(slowPrograms, name), 0o755);
}
const first = await world.start();
await first.ask('PUT', '/backup/settings', { destination: folder });
await first.stop();
beforeEach(() => world.sql('with runs as (delete from backup_run) delete from operations_outbox'));

/** Makes the schedule due since a time in the past. */
async function dueSince(time: string): Promise<void> {
  await world.sql(
    `insert into operations_settings (key, value, updated_at) values ('backup.enabled', 'true', $1)
     on conflict (key) do update set value = 'true', updated_at = $1`,
    [time],
  );
}

async function switchOff(): Promise<void> {
  await world.sql(`delete from operations_settings where key = 'backup.enabled'`);
}

type Row = { status: string; error_code: string | null; trigger: string; attempt: number; scheduled_for: Date | null };
async function rows(): Promise<Row[]> {
  return await world.sql<Row>(
    'select status, error_code, trigger, attempt, scheduled_for from backup_run order by queued_at, attempt',
  );
}

/** The runs that administrators are notified of. */
async function failedEvents(): Promise<unknown[]> {
  const { subject } = operationsRunEvents.failed;
  const events = await world.sql<{ data: unknown }>('select data from operations_outbox where subject = $1', [subject]);
  return events.map(({ data }) => data);
}

async function untilRunning(client: Pick<OperationsClient, 'runs'>): Promise<void> {
  await waitFor(async () => (await client.runs('backup')).some(({ status }) => status === 'running'));
}

/** Ends the lease of a killed process now, as 15 seconds do. */
async function expireLease(): Promise<void> {
  await world.sql(`update backup_run set lease_until = now() - interval '1 second' where status = 'running'`);
}

describe('a scheduled run', () => {
  it('is made once for any number of missed times, whatever the number of replicas', async () => {
    await dueSince('2026-01-01T00:00:00Z');
    const replicas = await Promise.all([world.start(), world.start()]);
    await waitFor(async () => (await rows()).some(({ status }) => status === 'success'));
    // Two more checks of the schedule by both replicas find nothing to do.
    const { body } = await replicas[0].ask('GET', '/backup/status');
    expect(Date.parse(String(body['next_due']))).toBeGreaterThan(Date.now());
    await Promise.all(replicas.map((replica) => replica.stop()));
    expect(await rows()).toMatchObject([
      { status: 'success', trigger: 'schedule', attempt: 1, scheduled_for: new Date('2026-01-01T03:00:00Z') },
    ]);
  });

  it('is not made for times that passed before the schedule was switched on again', async () => {
    await world.sql(
      `insert into backup_run (trigger, status, scheduled_for, queued_at)
       values ('schedule', 'success', '2026-01-01T03:00:00Z', '2026-01-01T03:00:00Z')`,
    );
    await dueSince(new Date().toISOString());
    const service = await world.start();
    // The first check of the schedule has ended then.
    await service.stop();
    expect(await rows()).toHaveLength(1);
  });

  it('is made although its process was killed after the window was claimed and before the job was enqueued', async () => {
    await switchOff();
    await world.sql(`insert into backup_run (trigger, scheduled_for) values ('schedule', '2026-02-01T03:00:00Z')`);
    const service = await world.start();
    await waitFor(async () => (await rows()).some(({ status }) => status === 'success'));
    await service.stop();
    expect(await rows()).toHaveLength(1);
  });

  it('is closed with the reason and repeated when its process is killed', async () => {
    await switchOff();
    await world.sql(`insert into backup_run (trigger, scheduled_for) values ('schedule', '2026-02-01T03:00:00Z')`);
    const killed = await world.startProcess({ PG_BIN_DIR: slowPrograms });
    await untilRunning(killed);
    await killed.kill();
    await expireLease();
    const service = await world.start();
    await waitFor(async () => (await rows()).some(({ status }) => status === 'success'));
    await service.stop();
    expect(await rows()).toMatchObject([
      { status: 'failed', error_code: 'interrupted', attempt: 1 },
      { status: 'success', error_code: null, attempt: 2, scheduled_for: new Date('2026-02-01T03:00:00Z') },
    ]);
    expect(await failedEvents()).toEqual([]);
    expect(
      (await readdir(folder)).filter((name) => !/\.(dump|manifest\.json|partial|overtone-store)$/.test(name)),
    ).toEqual([]);
  });

  it('that ends its process each time is given up after three attempts', async () => {
    await switchOff();
    await world.sql(
      `insert into backup_run (trigger, scheduled_for, attempt, status, lease_until)
       values ('schedule', '2026-02-01T03:00:00Z', 3, 'running', now() - interval '1 minute')`,
    );
    const service = await world.start();
    await waitFor(async () => (await rows())[0]?.status === 'failed');
    await service.stop();
    expect(await rows()).toMatchObject([{ error_code: 'interrupted', attempt: 3 }]);
    expect(await failedEvents()).toEqual([{ kind: 'backup', runId: expect.any(String) }]);
  });

  it('is handed over when the service stops during it', async () => {
    await switchOff();
    await world.sql(`insert into backup_run (trigger, scheduled_for) values ('schedule', '2026-02-01T03:00:00Z')`);
    const first = await world.start({ PG_BIN_DIR: slowPrograms });
    await untilRunning(first);
    await first.stop();
    expect(await rows()).toMatchObject([{ error_code: 'interrupted' }, { status: 'queued', attempt: 2 }]);
    const second = await world.start();
    await waitFor(async () => (await rows())[1]?.status === 'success');
    await second.stop();
  });
});

describe('a manual run', () => {
  it('is closed with the reason when its process was killed, and the next one is made', async () => {
    await switchOff();
    const killed = await world.startProcess({ PG_BIN_DIR: slowPrograms });
    await killed.ask('POST', '/backup/run');
    await untilRunning(killed);
    await killed.kill();
    await expireLease();
    const service = await world.start();
    await waitFor(async () => (await rows())[0]?.status === 'failed');
    expect(await service.run('backup')).toMatchObject({ status: 'success' });
    await service.stop();
    expect(await rows()).toMatchObject([{ error_code: 'interrupted' }, { status: 'success' }]);
  });

  it('whose process was frozen past its lease changes nothing afterwards', async () => {
    await switchOff();
    const frozen = await world.startProcess({ PG_BIN_DIR: slowPrograms });
    await frozen.ask('POST', '/backup/run');
    await untilRunning(frozen);
    process.kill(frozen.pid, 'SIGSTOP');
    await expireLease();
    const service = await world.start();
    await waitFor(async () => (await rows())[0]?.status === 'failed');
    const closed = await world.sql('select * from backup_run');
    process.kill(frozen.pid, 'SIGCONT');
    // The thawed process renews its lease in vain and ends its dump.
    const children = `/proc/${frozen.pid}/task/${frozen.pid}/children`;
    await waitFor(async () => (await readFile(children, 'utf8')).trim() === '');
    await frozen.kill('SIGTERM');
    expect(await world.sql('select * from backup_run')).toEqual(closed);
    expect(await service.run('backup')).toMatchObject({ status: 'success' });
    await service.stop();
  });
});
