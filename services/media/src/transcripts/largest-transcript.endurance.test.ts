import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { mediaRpc, type FoundPlace } from '@overtone/contracts';
import { exportFormats } from '@overtone/contracts/export-formats';
import { assertionHeader } from '@overtone/service-kit';
import { freePort } from '@overtone/testkit';
import { cleanUpAfterFile } from '@overtone/testkit/cleanup';
import { newUser, startMedia, waitFor } from '../../test/start-media.ts';

/** As the supervisor and the images start media: `memoryFlags` of packages/cli/src/supervisor/plan.ts. */
const memoryFlags = ['--max-semi-space-size=1', '--max-old-space-size=384', '--heap-growing-percent=120'];
const maxWords = 400_000;
const wordsPerPassage = 100;

const media = await startMedia();
const ada = newUser();
const search = await media.connectAs('search-indexer');
const [api, internal] = [await freePort(), await freePort()];
let exited = false;
const child: ChildProcess = spawn(
  process.execPath,
  ['--no-warnings', ...memoryFlags, join(import.meta.dirname, '../main.ts')],
  {
    env: { ...media.environment, API_PORT: String(api), INTERNAL_PORT: String(internal) },
    stdio: ['ignore', 'ignore', 'inherit'],
  },
);
child.on('exit', () => (exited = true));
cleanUpAfterFile(async () => {
  if (exited) return;
  child.kill('SIGKILL');
  await once(child, 'exit');
});
await waitFor(async () => (await fetch(`http://127.0.0.1:${internal}/health/ready`)).ok);

type Answer = { status: number; body: () => Record<string, unknown> };
async function call(method: string, path: string, body?: unknown): Promise<Answer> {
  const response = await fetch(`http://127.0.0.1:${api}${path}`, {
    method,
    headers: {
      [assertionHeader]: media.assertion(ada),
      ...(body === undefined || body instanceof FormData ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: body instanceof FormData ? body : JSON.stringify(body) }),
  });
  const content = Buffer.from(await response.arrayBuffer());
  return {
    status: response.status,
    body: () => JSON.parse(content.toString()) as Record<string, unknown>,
  };
}

/** A transcript of the most words, every one with a time. */
function largest(word: (index: number) => string): FormData {
  const segments = Array.from({ length: maxWords / wordsPerPassage }, (_, passage) => {
    const words = Array.from({ length: wordsPerPassage }, (_, i) => {
      const start = passage * 10 + i * 0.1;
      return { word: word(passage * wordsPerPassage + i), start, end: start + 0.1 };
    });
    return { start: passage * 10, end: passage * 10 + 10, text: words.map((one) => one.word).join(' '), words };
  });
  const form = new FormData();
  form.set('file', new Blob([JSON.stringify({ segments })]), 'talk.json');
  return form;
}

/** Resident memory of media and of the processes that it started, in MiB. */
function memoryMib(): number {
  const children = readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, 'utf8').trim().split(' ');
  const sizes = [child.pid, ...children.filter((pid) => pid !== '')].map((pid) => {
    try {
      return Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0);
    } catch {
      // It has ended.
      return 0;
    }
  });
  return sizes.reduce((sum, size) => sum + size, 0) / 1024;
}

/** What the container of media may use; its processes share it. */
function limitMib(): number {
  const manifest = readFileSync(join(import.meta.dirname, '../../../../k8s/base/media.yaml'), 'utf8');
  const [, size, unit] = /limits: \{ memory: (\d+)(Mi|Gi) \}/.exec(manifest) ?? [];
  return Number(size) * (unit === 'Gi' ? 1024 : 1);
}

/** The found places as a replacement names them. */
function placesOf(found: Record<string, unknown>) {
  const [{ places }] = found['files'] as [{ places: FoundPlace[] }];
  const segments = Map.groupBy(places, ({ segment_uuid }) => segment_uuid);
  return [...segments].map(([uuid, all]) => ({
    uuid,
    version: all[0]!.version,
    starts: all.map(({ start }) => start),
  }));
}

describe('the largest allowed transcript', () => {
  it('is read, exported, searched, changed, compared and undone within the memory of media', async () => {
    const words = ['the', 'quarterly', 'report', 'of', 'marmalade', 'was', 'late'];
    let peak = 0;
    const watch = setInterval(() => void (peak = Math.max(peak, memoryMib())), 50);
    cleanUpAfterFile(async () => clearInterval(watch));
    const steps: { name: string; status: number; peak: number }[] = [];
    const step = async (name: string, method: string, path: string, body?: unknown) => {
      peak = 0;
      const answer = await call(method, path, body);
      steps.push({ name, status: answer.status, peak: Math.round(peak) });
      return answer;
    };
    const content = largest((i) => words[i % words.length]!);
    await step('preview', 'POST', '/api/transcripts/import/preview', content);
    const imported = await step('import', 'POST', '/api/transcripts/import', content);
    const uuid = String(imported.body()['uuid']);
    const path = `/api/files/${uuid}`;
    const { file } = await search.request(mediaRpc.transcriptPage, { fileId: uuid, offset: 0, limit: 1000 });
    expect(file).toMatchObject({ fileId: uuid });
    await step('file', 'GET', path);
    await step('passages', 'GET', `${path}/segments?page_size=100&page=40`);
    for (const format of Object.keys(exportFormats)) {
      await step(`export as ${format}`, 'GET', `${path}/export?format=${format}`);
      await step(`preview of ${format}`, 'GET', `${path}/export/preview?format=${format}`);
    }
    await step('archive', 'GET', `/api/transcripts/export?format=json&file_uuids=${uuid}`);
    for (const format of ['srt', 'webvtt', 'txt', 'json'])
      await step(`subtitles as ${format}`, 'GET', `${path}/subtitles?subtitle_format=${format}`);
    await step('check of subtitles', 'GET', `${path}/subtitles/validate`);
    const version = await step('version', 'POST', `${path}/transcript/versions`, { name: 'First' });
    const text = { find: 'marmalade', replacement: 'jam' };
    const found = await step('find', 'POST', '/api/transcripts/find', { ...text, file_uuids: [uuid] });
    const replacement = randomUUID();
    const files = [{ file_uuid: uuid, segments: placesOf(found.body()) }];
    await step('replace', 'POST', '/api/transcripts/replace', { ...text, uuid: replacement, files });
    const version_uuid = String(version.body()['uuid']);
    await step('differences', 'GET', `${path}/transcript/differences?version_uuid=${version_uuid}`);
    await step('undo of a replacement', 'POST', `/api/transcripts/replace/${replacement}/undo`, { file_uuids: [uuid] });
    await step('differences', 'GET', `${path}/transcript/differences`);
    await step('restore', 'POST', `${path}/transcript/restore`, { uuid: randomUUID(), version_uuid });
    await step('corrections', 'GET', `${path}/transcript/operations?limit=100`);
    const other = largest((i) => words[(i + 1) % words.length]!);
    const replaced = await step('import onto', 'POST', `${path}/transcript/import`, other);
    const { uuid: undo } = replaced.body()['undo'] as { uuid: string };
    await step('undo of an import', 'POST', `${path}/undo/${undo}`);
    await step('redaction', 'GET', `${path}/redaction`);
    await step('delete', 'DELETE', `${path}?permanent=true`);
    const limit = limitMib();
    expect(exited).toBe(false);
    expect(steps.filter(({ status }) => status >= 300)).toEqual([]);
    expect(steps.filter((one) => one.peak > 0.9 * limit)).toEqual([]);
  }, 900_000);
});
