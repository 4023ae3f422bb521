import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { chmod, readdir, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { importRpc, type RequestOf } from '@overtone/contracts';
import { createObjectStore } from '@overtone/object-store';
import { createLog } from '@overtone/service-kit';
import { createOutboundGuard, parseRanges, type ResolveHost } from '@overtone/service-kit/outbound';
import { cleanUpAfterFile, createFolder } from '@overtone/testkit/cleanup';
import { describe, expect, it } from '@jest/globals';
import { recordingPart, sendRecording, startMediaServer, type Answer } from '../../test/media-server.ts';
import { downloadJob } from './download.job.ts';
import type { DownloadLimits } from './http-download.ts';
import { argumentsFor, createPageDownloader } from './page-download.adapter.ts';

const server = await startMediaServer();
/** Stands on an address that no test allows: the requests that arrive here passed the guard. */
const trap = createServer((socket) => {
  arrivals += 1;
  socket.destroy();
});
let arrivals = 0;
trap.listen(0, '127.0.0.2');
await once(trap, 'listening');
const trapPort = (trap.address() as { port: number }).port;
const folder = await createFolder();
const objects = createObjectStore({ OBJECT_STORE_DIR: folder, S3_REGION: 'x' });
const log = createLog('test', { LOG_LEVEL: 'fatal', LOG_FORMAT: 'json' });
cleanUpAfterFile(async () => {
  await server.close();
  await new Promise((resolve) => trap.close(resolve));
});

const fast: Partial<DownloadLimits> = { pauseMs: 5, maxFruitless: 2, silenceMs: 10_000 };
const fileId = '7f0a8a3e-55a4-4f0a-8f0a-3a0a8a3e55a4';
let token = 0;

type Options = {
  limits?: Partial<DownloadLimits>;
  maxBytes?: number;
  resolve?: ResolveHost;
  allowed?: string;
  command?: string;
  stop?: AbortSignal;
  stopAfterReports?: number;
};

/** Runs the job against a fake of media. */
async function runImport(url: string, options: Options = {}) {
  const { allowed = '127.0.0.1', maxBytes = 1e9, command = 'yt-dlp-that-is-missing' } = options;
  const guard = createOutboundGuard({
    allowedRanges: parseRanges(allowed),
    ...(options.resolve ? { resolve: options.resolve } : {}),
  });
  const dispatcher = guard.createDispatcher();
  token += 1;
  const objectKey = `files/${fileId}/import-${token}`;
  let completed: RequestOf<typeof importRpc.completeImport> | undefined;
  let failed: RequestOf<typeof importRpc.failImport> | undefined;
  let reports = 0;
  const request = async ({ subject }: { subject: string }, body: unknown) => {
    if (subject === importRpc.claimImport.subject) return { outcome: 'claimed', token, url, objectKey, maxBytes };
    if (subject === importRpc.importProgress.subject) {
      reports += 1;
      return { outcome: reports > (options.stopAfterReports ?? Infinity) ? 'stop' : 'continue' };
    }
    if (subject === importRpc.completeImport.subject) completed = body as typeof completed;
    else failed = body as typeof failed;
    return { outcome: 'accepted' };
  };
  const pages = createPageDownloader({ command, path: process.env['PATH'] ?? '', workDir: folder, guard });
  const run = downloadJob({
    bus: { request: request as never },
    objects,
    guard,
    dispatcher,
    pages,
    log,
    limits: { ...fast, ...options.limits },
  });
  const signal = options.stop ?? new AbortController().signal;
  const seat = { becomeRemote: () => false, becomeLocal: async () => {} };
  await run({ fileId }, { taskId: fileId, token: 1, attempt: 1, signal, progress: () => {}, seat });
  await dispatcher.destroy();
  const isStored = await objects.head(objectKey).then(
    () => true,
    () => false,
  );
  return { completed, failed, objectKey, isStored };
}

function hashOf(bytes: number): string {
  const hash = createHash('sha256');
  for (let at = 0; at < bytes; at += 1 << 20) hash.update(recordingPart(at, Math.min(1 << 20, bytes - at)));
  return hash.digest('hex');
}

describe('the import of a media address', () => {
  it('stores the recording with its hash, type and name', async () => {
    const url = server.on('/a%20talk.wav?x=1', sendRecording({ bytes: 100_000 }));
    const { completed, failed, isStored } = await runImport(url);
    expect(failed).toBeUndefined();
    expect(completed).toEqual({
      fileId,
      token,
      filename: 'a talk.wav',
      contentType: 'audio/wav',
      bytes: 100_000,
      sha256: hashOf(100_000),
    });
    expect(isStored).toBe(true);
  });

  it('takes the name that the server gives', async () => {
    const url = server.on('/named', (_, res) => {
      res.writeHead(200, { 'content-disposition': "attachment; filename=x.wav; filename*=UTF-8''Gr%C3%B6%C3%9Fe.wav" });
      res.end(recordingPart(0, 9_000));
    });
    expect((await runImport(url)).completed).toMatchObject({ filename: 'Größe.wav' });
  });

  // 2 GB: OT_TEST_DOWNLOAD_BYTES=2147483648.
  const bytes = Number(process.env['OT_TEST_DOWNLOAD_BYTES'] ?? 42_000_000);
  it('receives a recording once and whole over a connection that is cut 20 times', async () => {
    const piece = Math.floor(bytes / 21);
    const url = server.on(
      '/cut.wav',
      sendRecording({ bytes, cutAfter: (connection) => (connection > 20 ? bytes : piece) }),
    );
    const before = server.requests.length;
    const { completed } = await runImport(url, { maxBytes: bytes });
    expect(completed).toMatchObject({ bytes, sha256: hashOf(bytes) });
    const sent = server.requests.slice(before);
    expect(sent).toHaveLength(21);
    expect(sent.slice(1).every(({ range, ifRange }) => range !== undefined && ifRange === '"v1"')).toBe(true);
  }, 600_000);

  it('continues with a server that knows no ranges', async () => {
    const answer = sendRecording({
      bytes: 3_000_000,
      ranges: false,
      cutAfter: (connection) => (connection < 3 ? 1_000_000 : 3e6),
    });
    const { completed } = await runImport(server.on('/no-ranges.wav', answer));
    expect(completed).toMatchObject({ bytes: 3_000_000, sha256: hashOf(3_000_000) });
  });

  it('does not join two versions of a recording', async () => {
    const answer = sendRecording({
      bytes: 3_000_000,
      cutAfter: (connection) => (connection === 1 ? 1_000_000 : 3e6),
      etagOf: (connection) => `"v${connection}"`,
    });
    const { failed, isStored } = await runImport(server.on('/changed.wav', answer));
    expect(failed).toMatchObject({ code: 'source_incomplete', retryable: true });
    expect(isStored).toBe(false);
  });

  it.each([
    ['a weak validator', { etagOf: () => 'W/"v1"' }],
    ['no validator', { etagOf: () => '' }],
  ])('begins again instead of joining parts that may be of two versions: %s', async (_, more) => {
    const path = `/weak-${token}.wav`;
    const answer = sendRecording({
      bytes: 3_000_000,
      cutAfter: (connection) => (connection === 1 ? 1_000_000 : 3e6),
      ...more,
    });
    const url = server.on(path, answer);
    const first = await runImport(url);
    expect(first.failed).toMatchObject({ code: 'source_incomplete', retryable: true });
    expect(first.isStored).toBe(false);
    expect((await runImport(url)).completed).toMatchObject({ bytes: 3_000_000, sha256: hashOf(3_000_000) });
    expect(server.requests.filter((request) => request.path === path).map(({ range }) => range)).toEqual([
      undefined,
      undefined,
    ]);
  });

  it.each([
    ['ends at once when there is no server of that name', 'ENOTFOUND', false],
    ['is attempted again when names cannot be resolved', 'EAI_AGAIN', true],
  ])('%s', async (_, code, retryable) => {
    const resolve = () => Promise.reject(Object.assign(new Error('no address'), { code }));
    const { failed } = await runImport('http://missing.example/a.wav', { resolve });
    expect(failed).toMatchObject({ code: 'host_unreachable', retryable });
  });

  it('follows a redirect to an allowed address', async () => {
    server.on('/target.wav', sendRecording({ bytes: 9_000 }));
    const url = server.on('/moved', (_, res) => void res.writeHead(302, { location: '/target.wav' }).end());
    expect((await runImport(url)).completed).toMatchObject({ bytes: 9_000, filename: 'target.wav' });
  });

  it('stops when media ends the import, and stores nothing', async () => {
    const url = server.on('/stopped.wav', async (_, res) => {
      res.writeHead(200, { 'content-length': 10_000_000 });
      for (let at = 0; !res.destroyed; at += 9_000) {
        res.write(recordingPart(at, 9_000));
        await sleep(20);
      }
    });
    const { completed, failed, isStored } = await runImport(url, { stopAfterReports: 0 });
    expect([completed, failed, isStored]).toEqual([undefined, undefined, false]);
  });

  it('is released when the worker stops', async () => {
    const stop = new AbortController();
    const url = server.on('/drain.wav', async (_, res) => {
      res.writeHead(200, { 'content-length': 10_000_000 }).write(recordingPart(0, 9_000));
      await sleep(50);
      stop.abort(new Error('stopping'));
    });
    const { failed } = await runImport(url, { stop: stop.signal });
    expect(failed).toMatchObject({ released: true });
  });
});

describe('an import that must fail stores nothing', () => {
  const playlist = '#EXTM3U\n#EXT-X-TARGETDURATION:5\n#EXTINF:5,\nfile:///etc/passwd\n';
  const send =
    (type: string, body: string | Buffer, status = 200): Answer =>
    (_, res) =>
      void res.writeHead(status, { 'content-type': type }).end(body);
  const cases: [string, Answer, string, boolean, Options?][] = [
    ['of an HLS playlist', send('application/vnd.apple.mpegurl', playlist), 'upload_not_media', false],
    ['of an HLS playlist that is called a WAV file', send('audio/wav', playlist), 'upload_not_media', false],
    ['of a DASH manifest', send('application/dash+xml', '<?xml version="1.0"?><MPD/>'), 'upload_not_media', false],
    ['of a concat script', send('audio/wav', "ffconcat version 1.0\nfile '/etc/passwd'\n"), 'upload_not_media', false],
    ['of an SDP description', send('audio/wav', 'v=0\no=- 0 0 IN IP4 127.0.0.1\n'), 'upload_not_media', false],
    ['of a picture', send('image/png', Buffer.from('89504e470d0a1a0a', 'hex')), 'upload_not_media', false],
    ['of nothing', send('audio/wav', ''), 'upload_empty', false],
    ['of a page, without yt-dlp', send('text/html; charset=utf-8', '<html>'), 'page_tool_missing', false],
    ['that the server forbids', send('text/plain', 'no', 403), 'source_refused', false],
    ['that was removed (410)', send('text/plain', 'no', 410), 'source_refused', false],
    ['that the server postpones', send('text/plain', 'no', 429), 'source_unreachable', true],
    ['from a broken server', send('text/plain', 'no', 500), 'source_unreachable', true],
    ['that is declared too large', sendRecording({ bytes: 20_000_000 }), 'upload_too_large', false, { maxBytes: 1e6 }],
    [
      'of 10 GB without a length',
      sendRecording({ bytes: 10e9, length: false }),
      'upload_too_large',
      false,
      { maxBytes: 5_000_000 },
    ],
    [
      'that sends bytes endlessly and slowly',
      async (_, res) => {
        res.writeHead(200);
        for (let at = 0; !res.destroyed; at += 1) {
          res.write(recordingPart(at, 1));
          await sleep(5);
        }
      },
      'source_incomplete',
      true,
      { limits: { floor: { bytes: 64_000, everyMs: 300 } } },
    ],
    [
      'from a server that becomes silent',
      (_, res) => void res.writeHead(200, { 'content-length': 9_000 }).write(recordingPart(0, 5_000)),
      'source_incomplete',
      true,
      // Also the limit until the head of the response has arrived.
      { limits: { silenceMs: 3_000, maxFruitless: 1 } },
    ],
    [
      'from a server that only interrupts',
      (_, res) => {
        res.writeHead(200, { 'content-length': 9_000, etag: '"v1"' }).flushHeaders();
        setTimeout(() => res.destroy(), 20);
      },
      'source_incomplete',
      true,
    ],
    [
      'that is forwarded in a circle',
      (req, res) => void res.writeHead(302, { location: req.url }).end(),
      'source_refused',
      false,
    ],
    ['that is forwarded nowhere', (_, res) => void res.writeHead(302).end(), 'source_refused', false],
    [
      'that is forwarded to a file',
      (_, res) => void res.writeHead(302, { location: 'file:///etc/passwd' }).end(),
      'url_refused',
      false,
    ],
  ];
  it.each(cases)('%s', async (name, answer, code, retryable, options = {}) => {
    const url = server.on(`/bad/${encodeURIComponent(name)}`, answer);
    const { completed, failed, isStored } = await runImport(url, options);
    expect(completed).toBeUndefined();
    expect(failed).toMatchObject({ code, retryable, released: false, message: expect.stringMatching(/^[A-Z].*\.$/) });
    expect(isStored).toBe(false);
  });
});

describe('nothing arrives at a refused address', () => {
  const spellings = [
    '127.0.0.2',
    '127.2',
    '2130706434',
    '0x7f.2',
    '0177.0.0.2',
    '[::ffff:127.0.0.2]',
    '127.0.0.2.',
    '127。0。0。2',
  ];

  it.each(spellings)('directly: %s', async (host) => {
    const { failed } = await runImport(`http://${host}:${trapPort}/a.wav`);
    expect(failed).toMatchObject({ code: 'url_refused', retryable: false });
    expect(arrivals).toBe(0);
  });

  it.each(spellings)('by a redirect: %s', async (host) => {
    const location = `http://${host}:${trapPort}/a.wav`;
    const url = server.on('/to-trap', (_, res) => {
      res.setHeader('location', encodeURI(location).replaceAll('%5B', '[').replaceAll('%5D', ']'));
      res.writeHead(307).end();
    });
    expect((await runImport(url)).failed).toMatchObject({ code: 'url_refused' });
    expect(arrivals).toBe(0);
  });

  it('by a name that resolves to it', async () => {
    const resolve: ResolveHost = async () => [{ address: '127.0.0.2', family: 4 }];
    const { failed } = await runImport(`http://media.example:${trapPort}/a.wav`, { resolve });
    expect(failed).toMatchObject({ code: 'url_refused' });
    expect(arrivals).toBe(0);
  });

  it('by a name that changes between two connections of one download', async () => {
    let resolved = 0;
    const resolve: ResolveHost = async () => {
      resolved += 1;
      return [{ address: resolved === 1 ? '127.0.0.1' : '127.0.0.2', family: 4 }];
    };
    server.on('/rebind.wav', sendRecording({ bytes: 2_000_000, cutAfter: () => 500_000 }));
    const { failed, isStored } = await runImport(`http://media.example:${server.port}/rebind.wav`, { resolve });
    expect(failed).toMatchObject({ code: 'url_refused' });
    expect([resolved, arrivals, isStored]).toEqual([2, 0, false]);
  });

  it('connects to the address that was checked, and resolves a name once per connection', async () => {
    let resolved = 0;
    const resolve: ResolveHost = async () => {
      resolved += 1;
      return [{ address: '127.0.0.1', family: 4 }];
    };
    server.on('/pinned.wav', sendRecording({ bytes: 9_000 }));
    expect((await runImport(`http://media.example:${server.port}/pinned.wav`, { resolve })).completed).toBeDefined();
    expect(resolved).toBe(1);
  });
});

describe('the import of a page', () => {
  const page: Answer = (_, res) => void res.writeHead(200, { 'content-type': 'text/html' }).end('<html>');
  /** Obeys the contract of yt-dlp: the options before `--`, the proxy, the folder and the name of the output. */
  const fakeTool = async (name: string, script: string): Promise<string> => {
    const path = join(folder, name);
    await writeFile(path, `#!${process.execPath}\n${script}`);
    await chmod(path, 0o755);
    return path;
  };
  const parse = `
    const http = require('node:http'), fs = require('node:fs'), path = require('node:path');
    const args = process.argv.slice(2), at = args.indexOf('--');
    const option = (name) => args[args.indexOf(name) + 1];
    if (at !== args.length - 2) process.exit(2);
    const proxy = new URL(option('--proxy')), url = args[at + 1];
    const auth = 'Basic ' + Buffer.from(proxy.username + ':' + proxy.password).toString('base64');
    const get = (target, done) => http.get({ host: proxy.hostname, port: proxy.port, path: target,
      headers: { host: new URL(target).host, 'proxy-authorization': auth } }, done);
  `;

  it('stores what yt-dlp finds, through the proxy, without the environment of the worker', async () => {
    const command = await fakeTool(
      'fake-yt-dlp',
      `${parse}
      if (process.env.HOME !== option('--paths') || process.env.NATS_URL || process.env.OT_SECRET) process.exit(3);
      get(url.replace('/page', '/of-page.wav'), (res) => {
        console.log('overtone 100 9000');
        res.pipe(fs.createWriteStream(path.join(option('--paths'), 'A title.wav')));
      });`,
    );
    process.env['OT_SECRET'] = 'secret';
    server.on('/of-page.wav', sendRecording({ bytes: 9_000 }));
    const { completed, failed } = await runImport(server.on('/page', page), { command });
    expect(failed).toBeUndefined();
    expect(completed).toMatchObject({ filename: 'A title.wav', bytes: 9_000, sha256: hashOf(9_000) });
    expect((await readdir(folder)).filter((name) => name.startsWith('overtone-job-'))).toEqual([]);
  });

  it('lets yt-dlp contact no refused address', async () => {
    const command = await fakeTool(
      'escaping-yt-dlp',
      `${parse}
      get('http://127.0.0.2:${trapPort}/a.wav', (res) => {
        const tunnel = http.request({ host: proxy.hostname, port: proxy.port, method: 'CONNECT',
          path: '127.0.0.2:${trapPort}', headers: { 'proxy-authorization': auth } });
        tunnel.on('connect', (answer) => process.exit(answer.statusCode === 403 && res.statusCode === 403 ? 1 : 0));
        tunnel.end();
      });`,
    );
    const { failed } = await runImport(server.on('/escaping', page), { command });
    expect(failed).toMatchObject({ code: 'url_refused' });
    expect(arrivals).toBe(0);
  });

  it('asks users of the proxy for its password', async () => {
    const command = await fakeTool(
      'nosy-yt-dlp',
      `${parse}
      http.get({ host: proxy.hostname, port: proxy.port, path: url }, (res) => process.exit(res.statusCode === 407 ? 1 : 0));`,
    );
    expect((await runImport(server.on('/nosy', page), { command })).failed).toMatchObject({
      code: 'page_without_media',
    });
  });

  it('ends a download that becomes too large', async () => {
    const command = await fakeTool(
      'large-yt-dlp',
      `${parse}
      fs.writeFileSync(path.join(option('--paths'), 'x.part'), Buffer.alloc(3_000_000));
      setInterval(() => {}, 1000);`,
    );
    const { failed } = await runImport(server.on('/large', page), { command, maxBytes: 1_000_000 });
    expect(failed).toMatchObject({ code: 'upload_too_large' });
  });

  it('never takes an address for an option', () => {
    const args = argumentsFor('--exec=id', { folder: '/f', proxy: 'http://p', maxBytes: 1 });
    expect(args.slice(-2)).toEqual(['--', '--exec=id']);
    expect(args).toContain('--ignore-config');
  });
});

const installed = process.env['YT_DLP_COMMAND'] ?? 'yt-dlp';

describe('yt-dlp, as installed', () => {
  it('downloads the recording that a page embeds, through the proxy', async () => {
    const media = server.on(
      '/embedded.mp4',
      (_, res) => void res.writeHead(200, { 'content-type': 'audio/wav' }).end(recordingPart(0, 300_000)),
    );
    const html = `<html><head><title>Town hall</title></head><body><video src="${media}"></video></body></html>`;
    const url = server.on('/town-hall', (_, res) => void res.writeHead(200, { 'content-type': 'text/html' }).end(html));
    const { completed, failed } = await runImport(url, { command: installed });
    expect(failed).toBeUndefined();
    expect(completed).toMatchObject({ bytes: 300_000, sha256: hashOf(300_000) });
  });

  it('finds nothing on a page without a recording, and reaches no refused address', async () => {
    const html = `<html><body><video src="http://127.0.0.2:${trapPort}/a.mp4"></video></body></html>`;
    const empty = server.on(
      '/empty',
      (_, res) => void res.writeHead(200, { 'content-type': 'text/html' }).end('<html></html>'),
    );
    const hostile = server.on(
      '/hostile',
      (_, res) => void res.writeHead(200, { 'content-type': 'text/html' }).end(html),
    );
    expect((await runImport(empty, { command: installed })).failed).toMatchObject({ code: 'page_without_media' });
    expect((await runImport(hostile, { command: installed })).failed).toMatchObject({ code: 'url_refused' });
    expect(arrivals).toBe(0);
  });
});
