import { spawn, execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { startFileServer, type Fault } from '../test/file-server.ts';
import { createOnnxModel } from '../test/onnx.ts';
import type { CatalogueEntry } from './catalogue.ts';
import { readJson } from './files.ts';
import { listInstalled } from './installed.ts';
import { pullModel, type PullOptions } from './pull.ts';
import { removeModel } from './remove.ts';
import { readTasks } from './task-status.ts';
import { verificationFault } from './verification.ts';

const content = createOnnxModel(2_000_000);
const quick = { idleMs: 10_000, backoffMs: 5, attempts: 3, reserveBytes: 0 };
/** For a silence that the test itself ends. */
const patient = { ...quick, idleMs: 120_000 };
const pullMain = new URL('../test/pull.main.ts', import.meta.url);
let cacheDir = '';
const servers: Awaited<ReturnType<typeof startFileServer>>[] = [];

beforeEach(async () => {
  cacheDir = await mkdtemp(join(tmpdir(), 'pull-'));
});
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()));
  await rm(cacheDir, { recursive: true, force: true });
});

async function serve(fault?: Fault, file = content) {
  const server = await startFileServer(file, fault);
  servers.push(server);
  return server;
}

function entryFor(sources: string[], file = content, more: Partial<CatalogueEntry> = {}): CatalogueEntry {
  const sha256 = createHash('sha256').update(file).digest('hex');
  return {
    name: 'tiny-vad',
    title: 'Tiny',
    kind: 'vad',
    family: 'silero-vad',
    languages: [],
    licence: { name: 'MIT', url: 'https://example.org/licence', acceptance: false },
    purpose: 'Tests',
    memory_mib: 1,
    cpu_real_time_factor: null,
    downloads: [{ name: 'model.onnx', bytes: file.length, sha256, sources: sources.map((url) => `${url}/model.onnx`) }],
    files: { model: { path: 'model.onnx', bytes: file.length, sha256 } },
    ...more,
  };
}

function pull(entry: CatalogueEntry, more: Partial<PullOptions> = {}) {
  return pullModel({ cacheDir, entry, acceptLicence: false, download: quick, ...more });
}

async function expectInstalled(file = content): Promise<void> {
  const folder = join(cacheDir, 'vad', 'tiny-vad');
  expect(Buffer.compare(await readFile(join(folder, 'model.onnx')), file)).toBe(0);
  expect(await verificationFault(folder, ['model.onnx'], { full: true })).toBeNull();
  expect(await readTasks(cacheDir)).toMatchObject([{ state: 'done' }]);
}

async function expectNothingInstalled(): Promise<void> {
  expect(await listInstalled(cacheDir)).toEqual([]);
}

describe('a pull with a fault', () => {
  it('continues after a cut connection with the rest of the file only', async () => {
    const server = await serve((_, count) => (count === 1 ? { cutAfter: 700_000 } : undefined));
    await pull(entryFor([server.url]));
    await expectInstalled();
    expect(server.seen[1]).toMatchObject({ range: expect.stringMatching(/^bytes=\d+-$/), ifRange: expect.any(String) });
  });

  // 1 GB: OT_TEST_PULL_BYTES=1000000000.
  it('transfers at most 5 % more than the file through ten cuts', async () => {
    const bytes = Number(process.env['OT_TEST_PULL_BYTES'] ?? 32 * 1024 * 1024);
    const file = createOnnxModel(bytes);
    const server = await serve((_, count) => (count <= 10 ? { cutAfter: Math.floor(bytes / 11) } : undefined), file);
    await pull(entryFor([server.url], file));
    await expectInstalled(file);
    expect(server.seen.length).toBeGreaterThan(10);
    expect(server.sent()).toBeLessThanOrEqual(1.05 * file.length);
  });

  it('gives up a source that never sends more, and says how far it came', async () => {
    const server = await serve(() => ({ cutAfter: 0 }));
    await expect(pull(entryFor([server.url]))).rejects.toMatchObject({
      code: 'download_failed',
      message: expect.stringMatching(/connection ended/),
    });
    await expectNothingInstalled();
    expect(server.seen).toHaveLength(3);
  });

  it('rejects a file with another hash and keeps none of it', async () => {
    const other = Buffer.from(content);
    other[1_000_000] = other[1_000_000]! ^ 1;
    const server = await serve(() => ({ content: other }));
    await expect(pull(entryFor([server.url]))).rejects.toMatchObject({ code: 'hash_mismatch' });
    await expectNothingInstalled();
    expect(await readTasks(cacheDir)).toMatchObject([{ state: 'failed', error_code: 'hash_mismatch' }]);
    expect((await stat(join(cacheDir, '.pulls', 'tiny-vad', 'model.onnx.partial'))).size).toBe(0);
  });

  it('begins again when the file changed between two ranges', async () => {
    const old = createOnnxModel(1_999_999);
    const server = await serve((_, count) =>
      count === 1
        ? { content: Buffer.concat([old, Buffer.from('x')]), etag: '"old"', cutAfter: 900_000 }
        : { etag: '"new"' },
    );
    await pull(entryFor([server.url]));
    await expectInstalled();
  });

  it('begins again when the file changed and the server ignores If-Range', async () => {
    const server = await serve((_, count) =>
      count === 1
        ? { content: Buffer.alloc(content.length, 7), etag: '"old"', cutAfter: 900_000 }
        : { etag: '"new"', ignoreIfRange: true },
    );
    await pull(entryFor([server.url]));
    await expectInstalled();
    expect(server.seen).toHaveLength(3);
  });

  it.each([403, 404, 410])('tries the next source after an answer %i', async (status) => {
    const [refusing, good] = [await serve(() => ({ status })), await serve()];
    await pull(entryFor([refusing.url, good.url]));
    await expectInstalled();
    expect(refusing.seen).toHaveLength(1);
  });

  it.each([403, 404])('names the answer %i when no source has the file', async (status) => {
    const server = await serve(() => ({ status }));
    await expect(pull(entryFor([server.url]))).rejects.toMatchObject({
      code: 'download_failed',
      message: expect.stringContaining(`answered ${status}`),
    });
    await expectNothingInstalled();
  });

  it.each(['127.0.0.2', '127.2', '2130706434', '0x7f.2', '[::ffff:127.0.0.2]', '169.254.169.254'])(
    'sends nothing to a refused address that a source redirects to: %s',
    async (host) => {
      let arrivals = 0;
      const trap = createServer((socket) => {
        arrivals += 1;
        socket.destroy();
      });
      await new Promise<void>((resolve) => trap.listen(0, '127.0.0.2', resolve));
      const { port } = trap.address() as AddressInfo;
      const server = await serve(() => ({ status: 302, location: `http://${host}:${port}/model.onnx` }));
      await expect(pull(entryFor([server.url]))).rejects.toMatchObject({
        code: 'download_failed',
        message: expect.stringMatching(/refused.*private network/),
      });
      await new Promise((resolve) => trap.close(resolve));
      expect([arrivals, server.seen.length]).toEqual([0, 1]);
      await expectNothingInstalled();
    },
  );

  it.each(['file:///etc/passwd', 'gopher://127.0.0.1/1', 'http://a:b@127.0.0.1/x', 'http://[broken/', '/model.onnx'])(
    'gives up a source that redirects to %s',
    async (location) => {
      const server = await serve(() => ({ status: 307, location }));
      await expect(pull(entryFor([server.url]))).rejects.toMatchObject({ code: 'download_failed' });
      await expectNothingInstalled();
    },
  );

  it('follows a redirect on the same server, and to another one in an allowed range', async () => {
    const other = await serve();
    const server = await serve(({ path }) =>
      path === '/moved' ? { status: 302, location: `${other.url}/model.onnx` } : { status: 301, location: '/moved' },
    );
    await expect(pull(entryFor([server.url]))).rejects.toMatchObject({ code: 'download_failed' });
    await pull(entryFor([server.url]), { allowedRanges: '127.0.0.1' });
    await expectInstalled();
    expect(server.seen.map(({ path }) => path)).toEqual(['/model.onnx', '/moved', '/model.onnx', '/moved']);
  });

  it('asks for the whole file after an answer 416', async () => {
    const server = await serve((_, count) =>
      count === 1 ? { cutAfter: 500_000 } : count === 2 ? { status: 416 } : undefined,
    );
    await pull(entryFor([server.url]));
    await expectInstalled();
    expect(server.seen[2]).toMatchObject({ range: null });
  });

  it('gives up a source that answers 416 to a request without a range', async () => {
    const server = await serve(() => ({ status: 416 }));
    await expect(pull(entryFor([server.url]))).rejects.toMatchObject({ message: expect.stringContaining('416') });
  });

  it('reads the whole file from a server without ranges', async () => {
    const server = await serve((_, count) => ({ ignoreRange: true, ...(count === 1 ? { cutAfter: 400_000 } : {}) }));
    await pull(entryFor([server.url]));
    await expectInstalled();
  });

  it('rejects a file that is shorter than in the catalogue', async () => {
    const server = await serve(() => ({ content: content.subarray(0, 1_500_000) }));
    await expect(pull(entryFor([server.url]))).rejects.toMatchObject({
      message: expect.stringContaining(`1500000 bytes, the one of the catalogue ${content.length}`),
    });
    await expectNothingInstalled();
  });

  it('continues after a server was silent for too long', async () => {
    const server = await serve((_, count) => (count === 1 ? { silentAfter: 600_000 } : undefined));
    await pull(entryFor([server.url]), { download: { ...quick, idleMs: 2_000 } });
    await expectInstalled();
    expect(server.seen[1]?.range).not.toBeNull();
  });

  it('retries a server that is overloaded', async () => {
    const server = await serve((_, count) => (count <= 2 ? { status: 503 } : undefined));
    await pull(entryFor([server.url]));
    await expectInstalled();
  });

  it('ends with disk_full, and continues once there is space', async () => {
    const disk = join(cacheDir, 'disk');
    await mkdir(disk);
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', disk]);
    try {
      const server = await serve();
      const entry = entryFor([server.url]);
      // Before anything is sent: the free space is known.
      await expect(pull(entry, { cacheDir: disk })).rejects.toMatchObject({ code: 'disk_full' });
      expect(server.seen).toEqual([]);
      // Another program takes the space while the file is received.
      execFileSync('mount', ['-o', 'remount,size=8m', disk]);
      const taken = Promise.withResolvers<void>();
      const filler = await serve((_, count) =>
        count === 1 ? { silentAfter: 300_000, until: taken.promise } : undefined,
      );
      const filled = pull(entryFor([filler.url]), { cacheDir: disk, download: patient });
      const failure = expect(filled).rejects.toMatchObject({ code: 'disk_full' });
      const partial = join(disk, '.pulls', 'tiny-vad', 'model.onnx.partial');
      while ((await sizeOf(partial)) < 300_000) await sleep(20);
      execFileSync('mount', ['-o', 'remount,size=1m', disk]);
      taken.resolve();
      await failure;
      expect(await listInstalled(disk)).toEqual([]);
      execFileSync('mount', ['-o', 'remount,size=8m', disk]);
      await pull(entry, { cacheDir: disk });
      expect(await listInstalled(disk)).toMatchObject([{ fault: null }]);
    } finally {
      execFileSync('umount', ['--lazy', disk]);
    }
  });

  it('refuses a second pull into the folder while one runs', async () => {
    const refused = Promise.withResolvers<void>();
    const server = await serve((_, count) =>
      count === 1 ? { silentAfter: 600_000, until: refused.promise } : undefined,
    );
    const first = pull(entryFor([server.url]), { download: patient });
    while (server.seen.length === 0) await sleep(20);
    await expect(pull(entryFor([server.url]))).rejects.toMatchObject({ code: 'pull_running' });
    refused.resolve();
    await first;
    await expectInstalled();
  });

  it('continues a pull whose process was killed, without its bytes again', async () => {
    const server = await serve((_, count) => (count === 1 ? { silentAfter: 1_200_000 } : undefined));
    const entry = entryFor([server.url]);
    const entryFile = join(cacheDir, 'entry.json');
    await writeFile(entryFile, JSON.stringify(entry));
    const child = spawn(process.execPath, [fileURLToPath(pullMain), cacheDir, entryFile]);
    const ended = new Promise((resolve) => child.once('close', resolve));
    const state = join(cacheDir, '.pulls', 'tiny-vad', 'model.onnx.partial.json');
    // Only the bytes that the stored state names are not asked for again.
    while ((await storedBytes(state)) < 1_200_000) await sleep(20);
    child.kill('SIGKILL');
    await ended;
    await expectNothingInstalled();
    await pull(entry);
    await expectInstalled();
    expect(server.sent()).toBeLessThanOrEqual(content.length * 1.05);
  });

  it('discards a partial file that was changed on the disk', async () => {
    const server = await serve((_, count) => (count <= 3 ? { cutAfter: count === 1 ? 800_000 : 0 } : undefined));
    await expect(pull(entryFor([server.url]), { download: { ...quick, attempts: 2 } })).rejects.toThrow();
    const partial = join(cacheDir, '.pulls', 'tiny-vad', 'model.onnx.partial');
    const bytes = await readFile(partial);
    bytes[100] = bytes[100]! ^ 1;
    await writeFile(partial, bytes);
    await pull(entryFor([server.url]));
    await expectInstalled();
    expect(server.seen.at(-1)?.range).toBeNull();
  });
});

describe('a pull', () => {
  it('asks the mirror of the operator first', async () => {
    const [mirror, source] = [await serve(), await serve()];
    await pull(entryFor([source.url]), { mirror: `${mirror.url}/models/` });
    await expectInstalled();
    expect(mirror.seen).toMatchObject([{ path: '/models/tiny-vad/model.onnx' }]);
    expect(source.seen).toEqual([]);
  });

  it('continues at another source with what the first one sent', async () => {
    const first = await serve((_, count) => (count === 1 ? { cutAfter: 1_500_000 } : { status: 404 }));
    const second = await serve();
    await pull(entryFor([first.url, second.url]));
    await expectInstalled();
    expect(second.sent()).toBeLessThan(600_000);
  });

  it('needs the acceptance of a licence that asks for it, and records it', async () => {
    const server = await serve();
    const licence = { name: 'CC-BY-NC-4.0', url: 'https://example.org/licence', acceptance: true };
    const entry = entryFor([server.url], content, { licence });
    await expect(pull(entry)).rejects.toMatchObject({ code: 'licence_required' });
    expect(server.seen).toEqual([]);
    await pull(entry, { acceptLicence: true });
    const record = await readFile(join(cacheDir, 'vad', 'tiny-vad', 'verified.json'), 'utf8');
    expect(JSON.parse(record)).toMatchObject({ licence: { name: 'CC-BY-NC-4.0', accepted_at: expect.any(String) } });
  });

  it('takes the files of a model out of an archive, and nothing else of it', async () => {
    const packed = join(cacheDir, 'packed');
    await mkdir(join(packed, 'inner'), { recursive: true });
    await writeFile(join(packed, 'inner', 'silero.onnx'), content);
    await writeFile(join(packed, 'evil'), 'x');
    const archive = join(cacheDir, 'a.tar.gz');
    execFileSync('tar', ['-czPf', archive, '--transform', 's,^evil,../../evil,', '-C', packed, 'inner', 'evil']);
    const file = await readFile(archive);
    const server = await serve(undefined, file);
    const entry = entryFor([server.url]);
    const sha256 = createHash('sha256').update(file).digest('hex');
    const download = { name: 'a.tar.gz', bytes: file.length, sha256, sources: [`${server.url}/a.tar.gz`] };
    await pull({ ...entry, downloads: [{ ...download, extract: { 'model.onnx': 'inner/silero.onnx' } }] });
    await expectInstalled();
    const installed = ['NOTICE.txt', 'manifest.json', 'model.onnx', 'verified.json'];
    expect(await readdir(join(cacheDir, 'vad', 'tiny-vad'))).toEqual(installed);
    expect(existsSync(join(dirname(cacheDir), 'evil'))).toBe(false);
  });

  it('replaces an installed model that was changed', async () => {
    const server = await serve();
    await pull(entryFor([server.url]));
    expect(await pull(entryFor([server.url]))).toBe('present');
    await writeFile(join(cacheDir, 'vad', 'tiny-vad', 'model.onnx'), 'changed');
    expect(await listInstalled(cacheDir)).toMatchObject([{ fault: expect.stringContaining('7 bytes') }]);
    expect(await pull(entryFor([server.url]))).toBe('installed');
    await expectInstalled();
  });

  it('is stopped by the removal of its model, which deletes what it downloaded', async () => {
    const server = await serve(() => ({ silentAfter: 600_000 }));
    const pulled = pull(entryFor([server.url]), { download: { ...quick, idleMs: 60_000 } });
    const failure = expect(pulled).rejects.toMatchObject({ code: 'cancelled' });
    const isRunning = async () => (await readTasks(cacheDir)).some(({ state }) => state === 'running');
    for (let waited = 0; waited < 600 && !(await isRunning()); waited++) await sleep(50);
    await removeModel(cacheDir, 'tiny-vad');
    await failure;
    await expectNothingInstalled();
    expect(existsSync(join(cacheDir, '.pulls', 'tiny-vad'))).toBe(false);
  });
});

/** The received bytes that the state of a partial file names. */
async function storedBytes(path: string): Promise<number> {
  return ((await readJson(path)) as { bytes: number } | undefined)?.bytes ?? 0;
}

async function sizeOf(path: string): Promise<number> {
  return (await stat(path).catch(() => undefined))?.size ?? 0;
}
