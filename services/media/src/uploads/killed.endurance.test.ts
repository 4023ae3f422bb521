import { describe, expect, it } from '@jest/globals';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readdir } from 'node:fs/promises';
import { request } from 'node:http';
import { join } from 'node:path';
import { assertionHeader } from '@overtone/service-kit';
import { createObjectStore } from '@overtone/object-store';
import { freePort } from '@overtone/testkit';
import { cleanUpAfterFile } from '@overtone/testkit/cleanup';
import { newUser, startMedia, waitFor, wav } from '../../test/start-media.ts';
import { isMissing } from '../../test/runs.ts';
import { createDatabaseClient } from '../../test/client.ts';
import { createTusClient, idOf, tusChunkType, tusVersion } from '../../test/tus.ts';
import { createOrphans } from './orphans.service.ts';

/** A second process of the service that shares database, broker and folder with the test's. */
let child: ChildProcess;
let base: string;

async function start(): Promise<void> {
  const [api, internal] = [await freePort(), await freePort()];
  base = `http://127.0.0.1:${api}`;
  child = spawn(process.execPath, ['--no-warnings', join(import.meta.dirname, '../main.ts')], {
    env: { ...media.environment, API_PORT: String(api), INTERNAL_PORT: String(internal) },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  await waitFor(async () => (await fetch(`http://127.0.0.1:${internal}/health/ready`)).ok);
}

async function kill(): Promise<void> {
  child.kill('SIGKILL');
  await once(child, 'exit');
}

function temporary(): Promise<string[]> {
  return readdir(join(media.folder, 'tmp'));
}

const media = await startMedia();
await start();
cleanUpAfterFile(kill);

function slowly(method: string, path: string, headers: Record<string, string>, first: Buffer) {
  const sending = request(base + path, { method, headers });
  sending.on('error', () => undefined);
  sending.write(first);
  return sending;
}

describe('a process killed during an upload', () => {
  it('leaves nothing of a multipart upload after the next start', async () => {
    const ada = newUser();
    const head =
      '--b\r\nContent-Disposition: form-data; name="file"; filename="a.wav"\r\nContent-Type: audio/wav\r\n\r\n';
    const headers = {
      [assertionHeader]: media.assertion(ada),
      'content-type': 'multipart/form-data; boundary=b',
      'content-length': '90000000',
    };
    slowly('POST', '/api/files', headers, Buffer.concat([Buffer.from(head), wav(1, 400_000)]));
    await waitFor(async () => (await temporary()).length === 1);
    await kill();
    await start();
    expect(await temporary()).toEqual([]);
    expect(await media.query('select * from media_file where user_id = $1', ada.userId)).toEqual([]);
    expect((await media.upload(ada, wav(1, 400_000))).status).toBe(201);
  });

  it('keeps the acknowledged parts of a resumable upload, which the next process continues', async () => {
    const ada = newUser();
    const bytes = wav(2, 400_000);
    const [first, second] = [bytes.subarray(0, 300_000), bytes.subarray(300_000)];
    // An assertion is short-lived, and a start takes longer than that on a busy machine.
    const headers = () => ({ [assertionHeader]: media.assertion(ada) });
    const tus = createTusClient((_, method, path, init) =>
      fetch(base + path, { ...init, method, headers: { ...headers(), ...(init?.headers as Record<string, string>) } }),
    );
    const path = await tus.create(ada, bytes.length);
    expect((await tus.send(ada, path, 0, first)).status).toBe(204);
    const length = { 'upload-offset': String(first.length), 'content-length': String(second.length) };
    slowly('PATCH', path, { ...headers(), ...tusVersion, ...tusChunkType, ...length }, second.subarray(0, 100_000));
    await waitFor(async () => (await temporary()).length === 1);
    await kill();
    await start();
    expect(await tus.offset(ada, path)).toBe(first.length);
    expect((await tus.send(ada, path, first.length, second)).status).toBe(204);
    const content = await media.call(ada, 'GET', `/api/files/${idOf(path)}/content`);
    expect(Buffer.from(await content.arrayBuffer()).equals(bytes)).toBe(true);
  });
});

describe('a recording without a row', () => {
  it('is removed when it is old enough, while known files stay', async () => {
    const { body } = await media.upload(newUser(), wav(3));
    const objects = createObjectStore({ OBJECT_STORE_DIR: media.folder, S3_REGION: 'x' });
    const lost = crypto.randomUUID();
    await objects.put(`files/${lost}/original`, 'x');
    const { db, close } = createDatabaseClient(media.environment['DATABASE_URL'] ?? '');
    const { signal } = new AbortController();
    expect(await createOrphans({ db, objects, olderThanMs: 60_000 }).removeAll(signal)).toBe(0);
    expect(await createOrphans({ db, objects, olderThanMs: 0 }).removeAll(signal)).toBe(1);
    await close();
    expect(await isMissing(objects, `files/${lost}/original`)).toBe(true);
    expect(await isMissing(objects, `files/${body.uuid}/original`)).toBe(false);
  });
});
