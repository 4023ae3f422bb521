import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { chmod, copyFile, mkdir, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import { checkBackup, findPrograms, openDestination, readManifest, replay, writeManifest } from '@overtone/backup';
import { clearRestore } from '@overtone/backup/databases';
import { operationsRunEvents } from '@overtone/contracts';
import { markFolder } from '@overtone/service-kit/folder-marker';
import { settingsByKey } from '@overtone/testkit';
import { cleanUpAfterFile, stopAfterFile } from '@overtone/testkit/cleanup';
import { startS3 } from '@overtone/testkit/s3';
import { adminId, createWorld, encryptionKey } from '../../test/world.ts';

const resealMain = join(import.meta.dirname, '../reseal.main.ts');

const world = await stopAfterFile(createWorld());
const folder = join(world.folder, 'backups');
let service = await world.start();
cleanUpAfterFile(() => service.stop());
const s3 = await stopAfterFile(startS3());

async function change(json: unknown) {
  return await service.ask('PUT', '/backup/settings', json);
}

/** Without the marker of the folder. */
async function storedFiles(): Promise<string[]> {
  return (await readdir(folder)).filter((name) => !name.startsWith('.'));
}

async function settings() {
  return settingsByKey((await service.ask('GET', '/backup/settings')).body);
}

/** A bucket on a server that does not respond. */
function bucketWithout(name?: string) {
  const bucket = {
    destination_type: 's3',
    enabled: true,
    s3_endpoint_url: 'http://127.0.0.1:1',
    s3_bucket: 'backups',
    s3_access_key_id: 'a',
    s3_secret_key: 'b',
  };
  return Object.fromEntries(Object.entries(bucket).filter(([key]) => key !== name));
}

const privateBucket = { ...bucketWithout(), s3_endpoint_url: 'http://127.0.0.2:9000' };
const linkOut = join(world.folder, 'link-out', 'backups');
await symlink('/etc', join(world.folder, 'link-out'));

async function audited(): Promise<unknown[]> {
  const rows = await world.sql<{ data: unknown }>('select data from operations_outbox order by id');
  return rows.map(({ data }) => data);
}

describe('the settings of backups', () => {
  it('have the defaults of the specification', async () => {
    expect(await settings()).toMatchObject({
      enabled: { value: false, source: 'default' },
      schedule: { value: '0 3 * * *' },
      destination_type: { value: 'folder' },
      retention_daily: { value: 7, default_value: 7 },
      retention_weekly: { value: 4 },
      retention_monthly: { value: 12 },
      encrypt: { value: false },
      passphrase: { value: null, is_set: false },
      s3_secret_key: { value: null, is_set: false },
    });
  });

  it.each([
    ['a folder that cannot be created', { destination: '/proc/nothing' }, 'destination_unavailable', 'destination'],
    ['a folder of the system', { destination: '/etc/backups' }, 'destination_unavailable', 'destination'],
    ['a link out of the allowed folders', { destination: linkOut }, 'destination_unavailable', 'destination'],
    ['a server on a private address', privateBucket, 'destination_unavailable', 's3_endpoint_url'],
    ['a folder without its full path', { destination: 'backups' }, 'invalid_body', 'destination'],
    ['a schedule that is no cron expression', { schedule: 'daily' }, 'schedule_invalid', 'schedule'],
    ['a schedule without a destination', { enabled: true }, 'destination_missing', 'destination'],
    ['a bucket without its name', bucketWithout('s3_bucket'), 'destination_missing', 's3_bucket'],
    ['encryption without a passphrase', { encrypt: true }, 'passphrase_required', 'passphrase'],
    ['a number out of its range', { retention_daily: -1 }, 'invalid_body', 'retention_daily'],
    ['a setting that does not exist', { retention_yearly: 1 }, 'invalid_body', ''],
    ['a server that does not respond', bucketWithout(), 'destination_unavailable', 's3_endpoint_url'],
  ])('refuse %s, name the field and stay unchanged', async (_what, changes, code, path) => {
    const before = await settings();
    expect((await change(changes)).body).toMatchObject({ code, errors: [{ path }] });
    expect(await settings()).toEqual(before);
  });

  it('are for a super_admin only', async () => {
    for (const path of ['settings', 'runs', 'backups', 'status'])
      expect(await service.ask('GET', `/backup/${path}`, undefined, 'admin')).toMatchObject({ status: 403 });
    expect(await service.ask('POST', '/backup/run', undefined, 'admin')).toMatchObject({ status: 403 });
  });

  it('refuse a run while no destination is set', async () => {
    expect(await service.ask('POST', '/backup/run')).toMatchObject({
      status: 400,
      body: { code: 'destination_missing' },
    });
  });

  it('are tested without being saved', async () => {
    const before = await settings();
    const tested = await service.ask('POST', '/backup/test', { destination: folder });
    expect(tested).toMatchObject({ status: 200, body: { ok: true, destination: folder, error_code: null } });
    const failed = await service.ask('POST', '/backup/test', { destination: '/proc/nothing' });
    expect(failed).toMatchObject({ status: 200, body: { ok: false, error_code: 'destination_unavailable' } });
    expect(await settings()).toEqual(before);
    await expect(readdir(folder)).rejects.toThrow('ENOENT');
  });

  it.each(['backup', 'media-mirror'])('of %s refuse to test a folder without its full path', async (panel) => {
    expect(await service.ask('POST', `/${panel}/test`, { destination: 'nonsense' })).toMatchObject({
      status: 422,
      body: { code: 'invalid_body', errors: [{ path: 'destination', message: expect.stringContaining('full path') }] },
    });
  });

  it.each(['backup', 'media-mirror'])('of %s remove the folders that a test created, and no others', async (panel) => {
    const existing = join(world.folder, `tested-${panel}`);
    await mkdir(existing);
    for (const destination of [existing, join(existing, 'new', 'deep')])
      expect(await service.ask('POST', `/${panel}/test`, { destination })).toMatchObject({ body: { ok: true } });
    expect(await readdir(existing)).toEqual([]);
  });

  it.each(['backup', 'media-mirror'])(
    'of %s say that a folder is new, and on which disk it would be',
    async (panel) => {
      const disk = (await stat(world.folder)).dev === (await stat('/')).dev ? 'system_disk' : 'other_disk';
      const test = async (destination: string) => (await service.ask('POST', `/${panel}/test`, { destination })).body;
      const existing = join(world.folder, `is-there-${panel}`);
      await mkdir(existing);
      expect(await test(existing)).toMatchObject({ ok: true, creates_folder_on: null });
      expect(await test(join(existing, 'not', 'yet'))).toMatchObject({ ok: true, creates_folder_on: disk });
      expect(await test('/dev/shm/overtone-test/not-yet')).toMatchObject({ ok: true, creates_folder_on: 'other_disk' });
    },
  );

  it('never show a secret, and store it sealed', async () => {
    const secret = 'a passphrase of the test';
    const { body } = await change({ passphrase: secret });
    expect(settingsByKey(body)['passphrase']).toMatchObject({ value: null, is_set: true, source: 'stored' });
    const rows = await world.sql('select value::text from operations_settings');
    expect(JSON.stringify([rows, await audited()])).not.toContain(secret);
    const cleared = settingsByKey((await change({ passphrase: null })).body);
    expect(cleared['passphrase']).toMatchObject({ is_set: false });
  });
});

describe('the panels', () => {
  it('write nothing to the destinations when they are read, and report one that was removed', async () => {
    const [backups, mirror] = [join(world.folder, 'panel-backups'), join(world.folder, 'panel-mirror')];
    await change({ destination: backups });
    await service.ask('PUT', '/media-mirror/settings', { destination: mirror });
    const changedAt = async () =>
      await Promise.all([backups, mirror].map(async (path) => (await stat(path, { bigint: true })).ctimeNs));
    const before = await changedAt();
    for (const path of ['/backup/status', '/backup/backups', '/media-mirror/status'])
      expect(await service.ask('GET', path)).toMatchObject({ status: 200, body: { destination_status: { ok: true } } });
    expect(await changedAt()).toEqual(before);
    for (const path of [backups, mirror]) await rm(path, { recursive: true });
    for (const path of ['/backup/status', '/backup/backups', '/media-mirror/status'])
      expect((await service.ask('GET', path)).body).toMatchObject({
        destination_status: {
          ok: false,
          error_code: 'destination_unavailable',
          error: expect.stringMatching(/is not there/),
        },
      });
  });
});

describe('a backup', () => {
  it('appears in the folder of the settings and in the list of runs', async () => {
    expect(await change({ destination: folder })).toMatchObject({ status: 200 });
    const started = await service.ask('POST', '/backup/run');
    expect(started).toMatchObject({ status: 202, body: { status: 'queued' } });
    const run = await service.ended('backup', String(started.body['run_id']));
    expect(run).toMatchObject({ status: 'success', trigger: 'manual', destination: folder, error_code: null });
    const name = String(run['name']);
    expect((await storedFiles()).sort()).toEqual([`${name}.dump`, `${name}.manifest.json`]);
    const { body } = await service.ask('GET', '/backup/backups');
    expect(body).toMatchObject({
      backups: [{ name, filename: `${name}.dump`, size_bytes: run['size_bytes'], encrypted: false }],
      unreadable: [],
      destination_status: { ok: true, destination: folder },
    });
  });

  it('by a role that may only read is complete: every table is replayed with its content', async () => {
    const [name] = (await storedFiles()).map((file) => file.split('.')[0]!);
    const destination = openDestination({ folder });
    const adminUrl = new URL(world.databaseUrl);
    const target = { adminUrl: Object.assign(adminUrl, { pathname: '/postgres' }).href, database: 'from_service' };
    // It verifies rows and content of every table against the manifest.
    const manifest = await checkBackup(destination, name!);
    await replay({ ...target, manifest, destination, programs: findPrograms()! });
    await clearRestore(target);
    const tables = await world.sql<{ name: string }>(
      `select tablename as name from pg_tables where schemaname = 'public' order by tablename collate "C"`,
    );
    expect(manifest.tables.map((table) => table.name)).toEqual(tables.map((table) => table.name));
  });

  it('and a change of the settings are recorded for the audit trail', async () => {
    const [changed, requested] = (await audited()).slice(-2);
    expect(changed).toMatchObject({
      action: 'backup_settings_changed',
      actorId: adminId,
      details: { changed: 'destination', destination: folder },
    });
    expect(requested).toMatchObject({ action: 'backup_run', details: { run: expect.any(String) } });
  });

  it('that is damaged at the destination is named as unreadable', async () => {
    await writeFile(join(folder, 'broken.manifest.json'), '{}');
    const { body } = await service.ask('GET', '/backup/backups');
    expect(body['unreadable']).toEqual(['broken.manifest.json']);
    await rm(join(folder, 'broken.manifest.json'));
  });

  it('that fails says why, leaves nothing behind, and the next one is made', async () => {
    await rm(folder, { recursive: true });
    await writeFile(folder, 'a file where the folder was');
    const failed = await service.run('backup');
    expect(failed).toMatchObject({ status: 'failed', error_code: 'destination_unavailable', name: null });
    expect(failed['error']).toContain(folder);
    const { subject } = operationsRunEvents.failed;
    const events = await world.sql<{ data: object }>('select data from operations_outbox where subject = $1', [
      subject,
    ]);
    expect(events).toEqual([{ data: { kind: 'backup', runId: failed.uuid } }]);
    const { body } = await service.ask('GET', '/backup/status');
    expect(body).toMatchObject({
      last_run: { status: 'failed' },
      last_success: { status: 'success' },
      destination_status: { ok: false, error_code: 'destination_unavailable' },
    });
    await rm(folder);
    expect(await service.run('backup')).toMatchObject({ status: 'failed', error_code: 'destination_unavailable' });
    // A disk that is not mounted must not be replaced by a folder on another one.
    await expect(stat(folder)).rejects.toThrow('ENOENT');
    await mkdir(folder);
    const empty = await service.run('backup');
    expect(empty).toMatchObject({ status: 'failed', error: expect.stringContaining('is its disk mounted?') });
    expect(await readdir(folder)).toEqual([]);
    await markFolder(folder);
    expect(await service.run('backup')).toMatchObject({ status: 'success' });
  });

  it('is refused while another one is queued or running', async () => {
    const answers = await Promise.all([1, 2, 3].map(() => service.ask('POST', '/backup/run')));
    const accepted = answers.filter(({ status }) => status === 202);
    expect(accepted).toHaveLength(1);
    expect(answers.filter(({ body }) => body['code'] === 'backup_running')).toHaveLength(2);
    await service.ended('backup', String(accepted[0]!.body['run_id']));
  });

  it('replaces those that the retention does not keep', async () => {
    await change({ retention_daily: 1, retention_weekly: 0, retention_monthly: 0 });
    const run = await service.run('backup');
    expect(await storedFiles()).toHaveLength(2);
    expect((await storedFiles()).join()).toContain(String(run['name']));
  });
});

describe('a retention', () => {
  it('keeps a backup of as many days, weeks and months as its settings say', async () => {
    const plant = async (days: number) => {
      const [newest = ''] = (await readdir(folder)).filter((file) => file.endsWith('.manifest.json'));
      const manifest = readManifest(await readFile(join(folder, newest), 'utf8'));
      const createdAt = new Date(Date.now() - days * 86_400_000).toISOString();
      const stamp = `${createdAt.slice(0, 19).replaceAll(/[-:]/g, '')}Z`;
      const name = manifest.name.replace(/\d{8}T\d{6}Z/, stamp);
      const planted = { ...manifest, name, created_at: createdAt, dump: { ...manifest.dump, file: `${name}.dump` } };
      await copyFile(join(folder, manifest.dump.file), join(folder, `${name}.dump`));
      await writeFile(join(folder, `${name}.manifest.json`), writeManifest(planted, encryptionKey));
      return name;
    };
    const none = { retention_daily: 0, retention_weekly: 0, retention_monthly: 0 };
    for (const kept of ['retention_daily', 'retention_weekly', 'retention_monthly']) {
      // Of three days, weeks and months; the newest one is made by the run.
      const [older, oldest] = [await plant(40), await plant(80)];
      await change({ ...none, [kept]: 2 });
      await service.run('backup');
      const files = (await readdir(folder)).join(' ');
      expect([kept, files.includes(older), files.includes(oldest)]).toEqual([kept, true, false]);
      await change({ ...none, [kept]: 1 });
      await service.run('backup');
      expect([kept, (await storedFiles()).length]).toEqual([kept, 2]);
    }
  });
});

describe('a backup in a bucket', () => {
  it.each([
    ['backup', '/archive/nightly/', { s3_prefix: 'nightly' }],
    ['media-mirror', '/archive/', {}],
  ])('and the %s settings are sent to the server as they are set', async (panel, path, prefix) => {
    const received: { url: string; authorization: string }[] = [];
    const server = createServer((request, response) => {
      received.push({ url: request.url ?? '', authorization: request.headers.authorization ?? '' });
      response.writeHead(403).end();
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const tested = await service.ask('POST', `/${panel}/test`, {
      destination_type: 's3',
      s3_endpoint_url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      s3_bucket: 'archive',
      s3_region: 'eu-north-7',
      s3_access_key_id: 'key-id',
      s3_secret_key: 'secret of the test',
      ...prefix,
    });
    server.close();
    expect(tested.body).toMatchObject({ ok: false, destination: expect.stringMatching(/^s3:\/\/archive/) });
    expect(received[0]?.url).toContain(path);
    expect(received[0]?.authorization).toMatch(/Credential=key-id\/\d{8}\/eu-north-7\/s3\//);
  });

  it.each(['backup', 'media-mirror'])('never shows text of the server in the %s test', async (panel) => {
    const server = createServer((_request, response) => {
      response.writeHead(500, { 'content-type': 'application/xml' });
      response.end('<Error><Code>Internal</Code><Message>internal-text</Message></Error>');
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const { body } = await service.ask('POST', `/${panel}/test`, { ...bucketWithout(), s3_endpoint_url: url });
    server.close();
    expect(body).toMatchObject({ ok: false });
    expect(JSON.stringify(body)).not.toMatch(/internal-text/i);
  });

  it('is encrypted with the passphrase of the settings, and contains the keys', async () => {
    const { status } = await change({
      destination_type: 's3',
      s3_endpoint_url: s3.url,
      s3_bucket: s3.bucket,
      s3_prefix: 'nightly/overtone',
      s3_access_key_id: s3.accessKeyId,
      s3_secret_key: s3.secretAccessKey,
      encrypt: true,
      passphrase: 'correct horse battery staple',
    });
    expect(status).toBe(200);
    const run = await service.run('backup');
    expect(run).toMatchObject({ status: 'success', destination: `s3://${s3.bucket}/nightly/overtone` });
    const { body } = await service.ask('GET', '/backup/backups');
    expect(body).toMatchObject({
      backups: [{ name: run['name'], filename: `${String(run['name'])}.dump.age`, encrypted: true }],
    });
  });

  it('sends the secret key to the server that it was entered for only', async () => {
    const other = { s3_endpoint_url: 'http://127.0.0.1:2' };
    expect(await change(other)).toMatchObject({ status: 400, body: { code: 'secret_required' } });
    expect(await service.ask('POST', '/backup/test', other)).toMatchObject({ body: { code: 'secret_required' } });
    await change({ destination_type: 'folder', encrypt: false });
  });
});

describe('pg_dump', () => {
  it('that is missing is reported by the status, which names the data folder, and by the run', async () => {
    const other = await world.start({ PG_BIN_DIR: '/nowhere', OT_DATA_FOLDER: '/srv/overtone' });
    await service.stop();
    expect((await other.ask('GET', '/backup/status')).body).toMatchObject({
      pg_dump_available: false,
      data_folder: '/srv/overtone',
    });
    expect((await other.ask('GET', '/media-mirror/status')).body).toMatchObject({ data_folder: '/srv/overtone' });
    expect(await other.run('backup')).toMatchObject({ status: 'failed', error_code: 'program_missing' });
    await other.stop();
    service = await world.start();
    expect((await service.ask('GET', '/backup/status')).body).toMatchObject({
      pg_dump_available: true,
      data_folder: null,
    });
  });

  it('that ends early leaves no backup, and the run contains its message', async () => {
    const programs = join(world.folder, 'programs');
    await mkdir(programs);
    for (const name of ['pg_dump', 'pg_restore']) {
      await writeFile(
        join(programs, name),
        '#!/bin/sh\nhead -c 100000 /dev/urandom\necho "out of shared memory" >&2\nexit 1\n',
      );
      await chmod(join(programs, name), 0o755);
    }
    await service.stop();
    const other = await world.start({ PG_BIN_DIR: programs });
    const before = await readdir(folder);
    expect(await other.run('backup')).toMatchObject({
      status: 'failed',
      error_code: 'dump_failed',
      error: expect.stringContaining('out of shared memory'),
    });
    expect(await readdir(folder)).toEqual(before);
    await other.stop();
    service = await world.start();
  });
});

describe('a disk that becomes full', () => {
  it('fails the backup with a code and leaves no part of it', async () => {
    await world.sql(
      `insert into system_settings (key, value)
       select 'full.' || n, to_jsonb((select string_agg(md5(random()::text || n || i), '') from generate_series(1, 64) i))
       from generate_series(1, 1000) n`,
    );
    await service.stop();
    const before = await readdir(folder);
    const limited = await world.startProcess({}, 'ulimit -f 512');
    const run = await limited.run('backup');
    expect(run).toMatchObject({ status: 'failed', error_code: 'destination_full' });
    expect(await readdir(folder)).toEqual(before);
    await limited.kill('SIGTERM');
    service = await world.start();
    expect(await service.run('backup')).toMatchObject({ status: 'success' });
  });
});

describe('the metrics of backups', () => {
  const valueOf = (text: string, name: string) =>
    Number(
      text
        .split('\n')
        .find((line) => line.startsWith(`${name} `))
        ?.split(' ')[1],
    );

  it('are read from the stored runs', async () => {
    await service.stop();
    service = await world.start();
    const text = await service.metrics();
    expect(valueOf(text, 'backup_last_status')).toBe(1);
    expect(Date.now() / 1000 - valueOf(text, 'backup_last_success_timestamp_seconds')).toBeLessThan(300);
    expect(valueOf(text, 'backup_overdue_seconds')).toBe(0);
    const counted = await world.sql<{ status: string; count: number }>(
      `select status, count(*)::int as count from backup_run group by status`,
    );
    for (const { status, count } of counted) expect(valueOf(text, `backup_runs_total{result="${status}"}`)).toBe(count);
  });

  it('count the time since a scheduled backup that no success has followed', async () => {
    await service.stop();
    await world.sql(`update backup_run set finished_at = finished_at - interval '3 hours'`);
    await world.sql(
      `insert into operations_settings (key, value, updated_at)
       select key, value::jsonb, now() - interval '1 day'
       from (values ('backup.enabled', 'true'), ('backup.schedule', '"0 * * * *"')) as hourly (key, value)
       on conflict (key) do update set value = excluded.value, updated_at = excluded.updated_at`,
    );
    // While a run is in progress, the schedule starts no other one.
    await world.sql(`insert into backup_run (trigger, status, lease_until) values ('manual', 'running', 'infinity')`);
    service = await world.start();
    const overdue = valueOf(await service.metrics(), 'backup_overdue_seconds');
    expect(overdue).toBeGreaterThanOrEqual(2 * 3600);
    expect(overdue).toBeLessThan(3 * 3600 + 600);
    await change({ enabled: false });
    await world.sql(`delete from backup_run where status = 'running'`);
  });
});

describe('the encryption key', () => {
  it('is changed by sealing the secrets again', async () => {
    await change({ passphrase: 'kept through the change' });
    const fresh = Buffer.alloc(32, 8).toString('base64');
    await service.stop();
    const environment = { ...world.variables(), ENCRYPTION_KEY: `${fresh},${encryptionKey}` };
    const { stdout } = await promisify(execFile)(process.execPath, ['--no-warnings', resealMain], { env: environment });
    expect(JSON.parse(stdout)).toMatchObject({ unreadable: [] });
    service = await world.start({ ENCRYPTION_KEY: fresh });
    expect((await settings())['passphrase']).toMatchObject({ is_set: true });
  });
});
