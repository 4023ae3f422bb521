import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { topology } from '@overtone/contracts';
import { createObjectStore, type ObjectStore } from '@overtone/object-store';
import { parseKeyRing, seal } from '@overtone/service-kit/sealing';
import { createDatabase, startNats, type TestDatabase, type TestServer } from '@overtone/testkit';
import { busUsers } from '@overtone/testkit/bus';
import { startSearchServer } from '@overtone/testkit/elasticsearch';
import { startS3 } from '@overtone/testkit/s3';
import { connect } from 'nats';
import { Client } from 'pg';
import { productFolder } from '../paths.ts';
import { run, type RunResult } from '../setup/run.ts';

// As in a one-off container: no data folder, only the variables that compose.yaml and k8s/base/tools.yaml set.
describe('backup and restore of servers that the environment names', () => {
  const main = join(productFolder, 'packages', 'cli', 'src', 'main.ts');
  const encryptionKey = Buffer.alloc(32, 3).toString('base64');
  let root: string;
  let database: TestDatabase;
  let nats: TestServer;
  let search: TestServer;
  beforeAll(async () => {
    root = mkdtempSync(join(tmpdir(), 'overtone-servers-'));
    [database, nats, search] = await Promise.all([
      createDatabase(),
      startNats({ users: busUsers('secret') }),
      startSearchServer(),
    ]);
    await addFile();
  });
  afterAll(async () => {
    await Promise.all([database.drop(), nats.stop(), search.stop()]);
    rmSync(root, { recursive: true, force: true });
  });

  const environment = (): Record<string, string> => ({
    DATABASE_URL: database.url,
    ENCRYPTION_KEY: encryptionKey,
    NATS_URL: nats.url,
    NATS_USER: 'transcription-dispatcher',
    NATS_PASSWORD: 'secret',
    ELASTICSEARCH_URL: search.url,
    OBJECT_STORE_DIR: join(root, 'objects'),
    OT_BACKUP_PLACE: join(root, 'backups'),
  });
  const overtone = async (args: readonly string[], env: Record<string, string> = {}): Promise<RunResult> =>
    await run(process.execPath, ['--no-warnings', main, ...args], {
      cwd: root,
      // The product's own data folder must not be found.
      env: { OVERTONE_HOME: join(root, 'nothing'), ...environment(), ...env },
    });
  const sql = async (text: string, url = database.url): Promise<Record<string, unknown>[]> => {
    const client = new Client({ connectionString: url });
    await client.connect();
    try {
      return (await client.query<Record<string, unknown>>(text)).rows;
    } finally {
      await client.end();
    }
  };
  let fileCount = 0;
  const addFile = async (): Promise<void> => {
    fileCount += 1;
    await sql(
      `insert into media_file (user_id, filename, title, object_key, content_type, file_size)
       values (gen_random_uuid(), 'a.wav', 'File ${fileCount}', 'files/none/${fileCount}', 'audio/wav', 1)`,
    );
  };
  const titles = async (): Promise<unknown[]> =>
    (await sql('select title from media_file order by title')).map(({ title }) => title);
  /** @returns the path of the dump. */
  const backUp = async (): Promise<string> => {
    const before = new Set(storedFiles());
    const result = await overtone(['backup']);
    expect(result).toMatchObject({ code: 0 });
    const made = storedFiles().find((name) => name.endsWith('.dump') && !before.has(name));
    return join(root, 'backups', made!);
  };
  const storedFiles = (): string[] => {
    try {
      return readdirSync(join(root, 'backups'));
    } catch {
      return [];
    }
  };
  const streams = async (): Promise<string[]> => {
    const connection = await connect({ servers: nats.url, user: 'test', pass: 'secret' });
    const names: string[] = [];
    for await (const name of (await connection.jetstreamManager()).streams.names()) names.push(name);
    await connection.close();
    return names;
  };

  const createIndex = async (name: string): Promise<void> => {
    const headers = { 'content-type': 'application/json' };
    await fetch(`${search.url}/${name}`, { method: 'PUT', body: '{}', headers });
  };
  const indices = async (): Promise<string[]> =>
    Object.keys((await (await fetch(`${search.url}/*`)).json()) as Record<string, unknown>);

  it('lists the backups of OT_BACKUP_PLACE', async () => {
    const file = await backUp();
    const { code, output } = await overtone(['backups']);
    expect([code, output]).toEqual([0, expect.stringContaining(file.split('/').at(-1)!)]);
  });

  it('brings the rows of the backup back, keeps the present in a dump, and deletes the state of bus and index', async () => {
    const file = await backUp();
    const before = await titles();
    await addFile();
    const connection = await connect({ servers: nats.url, user: 'test', pass: 'secret' });
    await (await connection.jetstreamManager()).streams.add({ name: 'EVENTS', subjects: ['evt.>'] });
    await connection.jetstream({ timeout: 30_000 }).views.kv('LEASES');
    await connection.close();
    for (const name of ['overtone-passages-old', 'others']) await createIndex(name);
    expect(await indices()).toEqual(['overtone-passages-old', 'others']);
    const { code, output } = await overtone(['restore', file, '--yes']);
    expect([code, output]).toEqual([0, expect.stringContaining('the backup is in use')]);
    expect(output).toMatch(/start them with {2}docker compose up --detach/);
    expect(await titles()).toEqual(before);
    expect(await streams()).toEqual([]);
    expect(await indices()).toEqual(['others']);
    const safety = storedFiles().find((name) => /^before-restore-.*\.dump$/.test(name))!;
    expect(await overtone(['restore', join(root, 'backups', safety), '--yes', '--no-safety-dump'])).toMatchObject({
      code: 0,
    });
    expect(await titles()).toHaveLength(before.length + 1);
  });

  it('ends sessions and names recordings without an object', async () => {
    const store = createObjectStore({ OBJECT_STORE_DIR: join(root, 'objects'), S3_REGION: '' });
    await store.put('files/none/1', 'a');
    store.close();
    await sql(`insert into "user" (email) values ('a@example.org')`);
    await sql(`insert into refresh_token (session_id, user_id, token_hash, expires_at, absolute_expires_at)
               select gen_random_uuid(), uuid, 'x', now() + interval '1 day', now() + interval '1 day' from "user"`);
    const file = await backUp();
    const { output } = await overtone(['restore', file, '--yes', '--no-safety-dump']);
    expect(output).not.toContain('"File 1" is missing');
    expect(output).toContain('the recording "File 2" is missing in the object store: files/none/2');
    expect(await sql('select revoked_at is null as open from refresh_token')).toEqual([{ open: false }]);
  });

  it.each([
    ['Compose', {}, `docker compose stop ${Object.keys(topology).join(' ')}`],
    [
      'Kubernetes',
      { KUBERNETES_SERVICE_HOST: '10.0.0.1' },
      'kubectl --namespace overtone scale deployment --all --replicas=0',
    ],
  ])('refuses while a service uses the database, and says how it is stopped in %s', async (_where, env, command) => {
    const file = await backUp();
    const before = await titles();
    const service = new Client({ connectionString: database.urlFor('media') });
    await service.connect();
    const { code, output } = await overtone(['restore', file, '--yes'], env);
    await service.end();
    expect([code, output]).toEqual([1, expect.stringContaining('connections: media 1')]);
    expect(output).toContain(command);
    expect(output).toContain('(services_running)');
    expect(await titles()).toEqual(before);
  });

  it.each([
    ['the broker', { NATS_URL: 'nats://127.0.0.1:1' }, '(bus_unavailable)'],
    ['the search server', { ELASTICSEARCH_URL: 'http://127.0.0.1:1' }, '(search_unavailable)'],
    ['the database', { DATABASE_URL: 'postgresql://a:b@127.0.0.1:1/overtone' }, '(database_unavailable)'],
  ])('touches nothing while %s does not respond', async (_what, env, code) => {
    const file = await backUp();
    await addFile();
    const before = await titles();
    expect(await overtone(['restore', file, '--yes'], env)).toMatchObject({
      code: 1,
      output: expect.stringContaining(code),
    });
    expect(await titles()).toEqual(before);
  });

  it('refuses a backup with secrets of another key until ENCRYPTION_KEY contains it', async () => {
    const file = await backUp();
    const other = Buffer.alloc(32, 4).toString('base64');
    const refused = await overtone(['restore', file, '--yes'], { ENCRYPTION_KEY: other });
    expect(refused).toMatchObject({ code: 1, output: expect.stringContaining('(keys_missing)') });
    const both = { ENCRYPTION_KEY: `${other},${encryptionKey}` };
    expect(await overtone(['restore', file, '--yes', '--no-safety-dump'], both)).toMatchObject({ code: 0 });
  });

  it('waits for another restore', async () => {
    const file = await backUp();
    const before = await titles();
    const args = ['restore', file, '--yes', '--no-safety-dump'];
    const results = await Promise.all([overtone(args), overtone(args)]);
    expect(results.map(({ code, output }) => (code === 0 ? 0 : output))).toEqual([0, 0]);
    expect(await titles()).toEqual(before);
  });

  it('names the variables that are missing', async () => {
    const { code, output } = await overtone(['backup'], { ENCRYPTION_KEY: '' });
    expect([code, output]).toEqual([
      1,
      expect.stringContaining('DATABASE_URL of the owner of the database, and ENCRYPTION_KEY'),
    ]);
    const noPlace = await overtone(['backup'], { OT_BACKUP_PLACE: '' });
    expect(noPlace).toMatchObject({ code: 1, output: expect.stringContaining('OT_BACKUP_PLACE') });
  });

  describe('recordings from the media mirror', () => {
    const folderStore = (folder: string) => createObjectStore({ OBJECT_STORE_DIR: folder, S3_REGION: '' });
    const setting = async (name: string, value: unknown): Promise<unknown> =>
      await sql(`insert into operations_settings (key, value) values ('mirror.${name}', '${JSON.stringify(value)}'::jsonb)
                 on conflict (key) do update set value = excluded.value`);
    const contentOf = async (key: string): Promise<string> => {
      const store = folderStore(join(root, 'objects'));
      const found = await text((await store.get(key)).stream);
      store.close();
      return found;
    };
    /** A recording whose object is in the mirror only. @returns its key. */
    const loseRecording = async (mirror: ObjectStore, content: string): Promise<string> => {
      const [row] = await sql(
        `insert into media_file (uuid, user_id, filename, title, object_key, content_type, file_size, file_hash)
         select id, gen_random_uuid(), 'a.wav', 'Lost', 'files/' || id || '/original', 'audio/wav', ${content.length},
           encode(sha256('${content}'), 'hex') from gen_random_uuid() id returning object_key`,
      );
      await mirror.put(String(row!['object_key']), content);
      return String(row!['object_key']);
    };

    it('come back with the restore from the folder that the restored settings name', async () => {
      const mirror = folderStore(join(root, 'mirror'));
      const key = await loseRecording(mirror, 'from a folder');
      await setting('destination', join(root, 'mirror'));
      const file = await backUp();
      const { code, output } = await overtone(['restore', file, '--yes', '--no-safety-dump', '--media-from-mirror']);
      expect([code, output]).toEqual([
        0,
        expect.stringMatching(/1 objects \(0\.0 MiB\) were copied from the media mirror/),
      ]);
      expect(output).not.toContain(`is missing in the object store: ${key}`);
      expect(await contentOf(key)).toBe('from a folder');
      mirror.close();
    });

    it('come back without a restore while services run, from a bucket whose secret key is sealed in the settings', async () => {
      const s3 = await startS3();
      const access = {
        S3_REGION: 'us-east-1',
        S3_ACCESS_KEY_ID: s3.accessKeyId,
        S3_SECRET_ACCESS_KEY: s3.secretAccessKey,
      };
      const mirror = createObjectStore({ S3_ENDPOINT: s3.url, S3_BUCKET: s3.bucket, ...access });
      const key = await loseRecording(mirror, 'from a bucket');
      const { keyId, text: sealed } = seal(parseKeyRing(encryptionKey), 'mirror.s3_secret_key', s3.secretAccessKey);
      await setting('destination_type', 's3');
      await setting('s3_endpoint_url', s3.url);
      await setting('s3_bucket', s3.bucket);
      await setting('s3_access_key_id', s3.accessKeyId);
      await setting('s3_secret_key', { key_id: keyId, text: sealed });
      const service = new Client({ connectionString: database.urlFor('media') });
      await service.connect();
      expect(await overtone(['restore', '--media-from-mirror'])).toMatchObject({ code: 0 });
      await service.end();
      expect(await contentOf(key)).toBe('from a bucket');
      mirror.close();
      await s3.stop();
      await setting('destination_type', 'folder');
    });

    it('with another content are named and not used, with exit code 1', async () => {
      const mirror = folderStore(join(root, 'other-mirror'));
      const key = await loseRecording(mirror, 'the content');
      await mirror.put(key, 'ANOTHER ONE');
      mirror.close();
      const { code, output } = await overtone(['restore', '--mirror', join(root, 'other-mirror')]);
      expect([code, output]).toEqual([1, expect.stringContaining(`has another content, and was not used: ${key}`)]);
    });

    it('need a mirror that is there, and a file or the option', async () => {
      const away = await overtone(['restore', '--mirror', join(root, 'away')]);
      expect(away).toMatchObject({ code: 1, output: expect.stringContaining('away is not there') });
      expect(await overtone(['restore'])).toMatchObject({
        code: 1,
        output: expect.stringContaining('Name a file of a backup'),
      });
    });
  });
});
