import { beforeAll, describe, expect, it } from '@jest/globals';
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { setImmediate as turn, setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { waitFor } from '@overtone/testkit';
import { cleanUpAfterFile, createFolder, stopAfterFile } from '@overtone/testkit/cleanup';
import { startS3 } from '@overtone/testkit/s3';
import { createObjectStore } from './env.ts';
import { createS3Store } from './s3.adapter.ts';
import type { ObjectStore } from './object-store.ts';

async function keysOf(store: ObjectStore, prefix: string): Promise<string[]> {
  const keys: string[] = [];
  for await (const { key } of store.list(prefix)) keys.push(key);
  return keys;
}

async function read(store: ObjectStore, key: string): Promise<Buffer> {
  return buffer((await store.get(key)).stream);
}

const stores: Record<string, ObjectStore> = {};

const folder = await createFolder();
const server = await stopAfterFile(startS3());
cleanUpAfterFile(() => {
  for (const store of Object.values(stores)) store.close();
});
stores['folder'] = createObjectStore({ OBJECT_STORE_DIR: folder, S3_REGION: 'us-east-1' });
stores['s3'] = createS3Store({
  ...server,
  endpoint: server.url,
  region: 'us-east-1',
  // A busy machine may be silent for longer than a store may be.
  answerWithinMs: 120_000,
});

describe.each(['folder', 's3'])('object store (%s)', (name) => {
  let store: ObjectStore;
  beforeAll(() => {
    store = stores[name] as ObjectStore;
  });

  it('returns an object as it was written, with its size and content type', async () => {
    const put = await store.put('a/b.wav', Buffer.from('hello'), { contentType: 'audio/wav' });
    expect(put.bytes).toBe(5);
    const found = await store.get('a/b.wav');
    expect(found).toMatchObject({ bytes: 5, contentType: 'audio/wav' });
    expect((await buffer(found.stream)).toString()).toBe('hello');
    expect(await store.head('a/b.wav')).toMatchObject({
      key: 'a/b.wav',
      bytes: 5,
      contentType: 'audio/wav',
      etag: put.etag,
    });
  });

  it('writes a stream of several parts byte for byte', async () => {
    const big = randomBytes(20 * 1024 * 1024 + 17);
    const chunks = function* (): Iterable<Buffer> {
      for (let at = 0; at < big.length; at += 100_000) yield big.subarray(at, at + 100_000);
    };
    const put = await store.put('big/object', Readable.from(chunks(), { objectMode: false }));
    expect(put.bytes).toBe(big.length);
    expect((await read(store, 'big/object')).equals(big)).toBe(true);
  });

  it('stores an empty object', async () => {
    expect((await store.put('empty', '')).bytes).toBe(0);
    const found = await store.get('empty');
    expect(found).toMatchObject({ bytes: 0 });
    expect((await buffer(found.stream)).length).toBe(0);
  });

  it('replaces an object as a whole', async () => {
    await store.put('replace', 'a much longer first version', { contentType: 'text/plain' });
    await store.put('replace', 'second', { contentType: 'text/css' });
    expect((await read(store, 'replace')).toString()).toBe('second');
    expect((await store.head('replace')).contentType).toBe('text/css');
  });

  it.each([
    [{ start: 0, end: 1 }, '01'],
    [{ start: 2, end: 4 }, '234'],
    [{ start: 7 }, '789'],
    [{ start: 5, end: 500 }, '56789'],
  ])('reads the range %j', async (range, text) => {
    await store.put('range', '0123456789');
    const found = await store.get('range', { range });
    expect(found).toMatchObject({ bytes: text.length });
    expect((await buffer(found.stream)).toString()).toBe(text);
  });

  it.each([{ start: 10 }, { start: 400, end: 500 }, { start: 5, end: 4 }, { start: -1 }])(
    'refuses the range %j of ten bytes',
    async (range) => {
      await store.put('range', '0123456789');
      await expect(store.get('range', { range })).rejects.toMatchObject({
        kind: 'invalid',
        code: 'range_not_satisfiable',
      });
    },
  );

  it.each(['get', 'head'] as const)('reports not_found for %s of a missing object', async (verb) => {
    await expect(store[verb]('missing/object')).rejects.toMatchObject({ kind: 'not_found', code: 'not_found' });
  });

  it.each([
    '',
    '/etc/passwd',
    '../up',
    'a/../../up',
    'a//b',
    'a/',
    './a',
    'a\\b',
    'a\0b',
    'a b',
    '.hidden',
    'x'.repeat(600),
  ])('refuses the key %j', async (key) => {
    await expect(store.put(key, 'x')).rejects.toMatchObject({ kind: 'invalid', code: 'invalid_request' });
    await expect(store.get(key)).rejects.toMatchObject({ kind: 'invalid', code: 'invalid_request' });
  });

  it('lists a folder in the order of its keys, without folders whose names start alike', async () => {
    for (const key of ['l/2/b', 'l/2/a', 'l/10/a', 'l/2-x', 'lx/1']) await store.put(key, 'x');
    expect((await keysOf(store, 'l/')).sort()).toEqual(['l/10/a', 'l/2-x', 'l/2/a', 'l/2/b']);
    expect(await keysOf(store, 'l/2/')).toEqual(['l/2/a', 'l/2/b']);
    expect(await keysOf(store, 'nothing/')).toEqual([]);
  });

  it('deletes one object and a prefix, and accepts a second deletion', async () => {
    for (const key of ['d/1', 'd/2/x', 'd/2/y', 'd2']) await store.put(key, 'x', { contentType: 'text/plain' });
    await store.delete('d/1');
    await store.delete('d/1');
    expect(await store.deletePrefix('d/')).toBe(2);
    expect(await store.deletePrefix('d/')).toBe(0);
    expect((await store.head('d2')).bytes).toBe(1);
  });

  it.each([1000, 9 * 1024 * 1024])(
    "leaves nothing behind when the sender fails after %d bytes, and passes on the sender's error",
    async (bytes) => {
      const failing = async function* (): AsyncIterable<Buffer> {
        for (let sent = 0; sent < bytes; sent += 1000) yield Buffer.alloc(1000);
        throw Object.assign(new Error('client went away'), { code: 'ECONNRESET' });
      };
      await expect(store.put('aborted/object', failing())).rejects.toThrow('client went away');
      expect(await keysOf(store, 'aborted/')).toEqual([]);
    },
  );

  it('passes every byte to the observer, and leaves nothing behind when the observer throws', async () => {
    const bytes = randomBytes(9 * 1024 * 1024 + 1);
    const chunks = function* (): Iterable<Buffer> {
      for (let at = 0; at < bytes.length; at += 65_536) yield bytes.subarray(at, at + 65_536);
    };
    const hash = createHash('sha256');
    await store.put('seen/whole', Readable.from(chunks()), { see: (chunk) => void hash.update(chunk) });
    expect(hash.digest('hex')).toBe(createHash('sha256').update(bytes).digest('hex'));
    let seen = 0;
    const refuse = (chunk: Uint8Array): void => {
      seen += chunk.length;
      if (seen > 8 * 1024 * 1024) throw new Error('that is enough');
    };
    await expect(store.put('seen/half', Readable.from(chunks()), { see: refuse })).rejects.toThrow('that is enough');
    expect(await keysOf(store, 'seen/')).toEqual(['seen/whole']);
  });

  it('leaves nothing behind when a write is aborted', async () => {
    const stop = new AbortController();
    const endless = async function* (): AsyncIterable<Buffer> {
      for (let name = 0; ; name += 1) {
        if (name === 30) stop.abort(new Error('aborted'));
        yield Buffer.alloc(512 * 1024);
      }
    };
    await expect(store.put('stopped/object', endless(), { signal: stop.signal })).rejects.toThrow('aborted');
    expect(await keysOf(store, 'stopped/')).toEqual([]);
  });

  it.each(['before', 'after'])(
    'raises no unhandled error when it is aborted %s it opens an object that has no reader yet',
    async (when) => {
      await store.put('unread', randomBytes(4 * 1024 * 1024));
      const stop = new AbortController();
      if (when === 'before') stop.abort(new Error('aborted'));
      const opened = await store.get('unread', { signal: stop.signal }).catch(() => undefined);
      stop.abort(new Error('aborted'));
      while (opened && !opened.stream.closed) await turn();
      // An `error` event without a listener ends the process.
      if (opened) expect(opened.stream.listenerCount('error')).toBeGreaterThan(0);
      if (opened) await expect(buffer(opened.stream)).rejects.toThrow();
      await store.delete('unread');
    },
  );

  it('uses a bounded amount of memory for a long stream', async () => {
    const chunk = Buffer.alloc(64 * 1024, 7);
    // Only memory that is still referenced counts, not garbage that is not collected yet.
    setFlagsFromString('--expose-gc');
    const collect = runInNewContext('gc') as () => void;
    collect();
    let peak = 0;
    const before = process.memoryUsage().arrayBuffers;
    const long = async function* (): AsyncIterable<Buffer> {
      for (let name = 0; name < 4096; name += 1) {
        if (name % 512 === 511) {
          collect();
          peak = Math.max(peak, process.memoryUsage().arrayBuffers - before);
        }
        yield Buffer.from(chunk);
      }
    };
    expect((await store.put('long', long())).bytes).toBe(256 * 1024 * 1024);
    expect(peak / 1024 / 1024).toBeLessThan(120);
    await store.delete('long');
  });

  it('answers a ping and has nothing to clean up', async () => {
    await store.ping(AbortSignal.timeout(30_000));
    expect(await store.removeLeftovers()).toBe(0);
  });
});

describe('S3 store that cannot be used', () => {
  const options = {
    bucket: 'overtone-test',
    region: 'us-east-1',
    accessKeyId: 'S3RVER',
    secretAccessKey: 'S3RVER',
    maxAttempts: 1,
  };
  it.each([
    ['no server listens', () => ({ ...options, endpoint: 'http://127.0.0.1:9' })],
    ['the key is unknown', () => ({ ...options, endpoint: server.url, accessKeyId: 'stranger' })],
    ['the bucket is missing', () => ({ ...options, endpoint: server.url, bucket: 'no-such-bucket' })],
  ])('says unavailable when %s', async (_, make) => {
    const store = createS3Store(make());
    await expect(store.put('a', 'x')).rejects.toMatchObject({ kind: 'unavailable' });
    await expect(store.get('a')).rejects.toMatchObject({ kind: 'unavailable' });
    await expect(store.ping()).rejects.toMatchObject({ kind: 'unavailable' });
    store.close();
  });
});

/** Runs `work` with a store whose server behaves as the given server does. */
async function servedBy(
  httpServer: Server,
  options: { answerWithinMs: number },
  work: (store: ObjectStore) => Promise<void>,
): Promise<void> {
  await new Promise<void>((resolve) => httpServer.listen(0, '127.0.0.1', resolve));
  const { port } = httpServer.address() as AddressInfo;
  const keys = { accessKeyId: 'a', secretAccessKey: 'b', region: 'us-east-1', bucket: 'overtone-test' };
  const store = createS3Store({ ...keys, endpoint: `http://127.0.0.1:${port}`, maxAttempts: 2, ...options });
  try {
    await work(store);
  } finally {
    store.close();
    httpServer.closeAllConnections();
    await new Promise((resolve) => httpServer.close(resolve));
  }
}

it('sends the ping of a readiness check once, whatever the server answers', async () => {
  const asked: (string | undefined)[] = [];
  const failing = createServer(({ method }, res) => {
    asked.push(method);
    res.writeHead(503).end();
  });
  await servedBy(failing, { answerWithinMs: 10_000 }, async (store) => {
    await expect(store.ping()).rejects.toMatchObject({ kind: 'unavailable' });
    expect(asked).toEqual(['HEAD']);
    // Other requests are repeated.
    await expect(store.head('a')).rejects.toMatchObject({ kind: 'unavailable' });
    expect(asked).toEqual(['HEAD', 'HEAD', 'HEAD']);
  });
});

describe('unresponsive S3 server', () => {
  /** Answers GET requests with the head and the first bytes of a body, and sends nothing else. */
  const hanging = async (
    withinMs: number,
    work: (store: ObjectStore, server: { goOn: () => void; connections: () => Promise<number> }) => Promise<void>,
  ) => {
    let goOn = (): void => {};
    const frozen = createServer((req, res) => {
      if (req.method !== 'GET') return;
      res.writeHead(200, { 'content-length': 10 });
      res.write('hello');
      goOn = () => void res.end('world');
    });
    const connections = () => new Promise<number>((resolve) => frozen.getConnections((_, name) => resolve(name)));
    await servedBy(frozen, { answerWithinMs: withinMs }, (store) => work(store, { goOn: () => goOn(), connections }));
  };
  const unavailable = { kind: 'unavailable', code: 'storage_unavailable' };

  it('is reported by every operation', () =>
    hanging(200, async (store) => {
      await expect(store.put('a', 'x')).rejects.toMatchObject(unavailable);
      await expect(store.put('a', Buffer.alloc(17 * 1024 * 1024))).rejects.toMatchObject(unavailable);
      await expect(store.head('a')).rejects.toMatchObject(unavailable);
      await expect(store.delete('a')).rejects.toMatchObject(unavailable);
      await expect(store.ping()).rejects.toMatchObject(unavailable);
    }));

  it('gets no immediate retry, and no upload waits for its cleanup', async () => {
    const asked: { what: string; ended: boolean }[] = [];
    const frozen = createServer((req, res) => {
      const url = new URL(req.url ?? '', 'http://s3');
      const what = `${req.method} ${url.searchParams.get('partNumber') ?? [...url.searchParams.keys()].join()}`;
      const entry = { what, ended: false };
      asked.push(entry);
      res.on('close', () => (entry.ended = true));
      if (req.method === 'POST')
        res.end('<InitiateMultipartUploadResult><UploadId>u</UploadId></InitiateMultipartUploadResult>');
    });
    await servedBy(frozen, { answerWithinMs: 1_000 }, async (store) => {
      await expect(store.put('a', Buffer.alloc(17 * 1024 * 1024))).rejects.toMatchObject(unavailable);
      expect(asked.filter(({ what, ended }) => what.startsWith('DELETE') && ended)).toEqual([]);
      const parts = asked.filter(({ what }) => what.startsWith('PUT')).map(({ what }) => what);
      expect(parts).toEqual([...new Set(parts)]);
      await expect(store.head('b')).rejects.toMatchObject(unavailable);
      expect(asked.filter(({ what }) => what.startsWith('HEAD')).length).toBeLessThan(2);
    });
  });

  it('fails a read in the middle of an object', () =>
    hanging(4_000, async (store) => {
      const { stream } = await store.get('a');
      await expect(buffer(stream)).rejects.toMatchObject(unavailable);
    }));

  it('is not assumed when only the reader is slow', () =>
    hanging(4_000, async (store, { goOn }) => {
      const { stream } = await store.get('a');
      // Allowed: the reader pauses for longer than a store may be silent.
      await sleep(6_000);
      goOn();
      expect((await buffer(stream)).toString()).toBe('helloworld');
    }));

  it('is disconnected when the reader stops, before the first byte or after it', () =>
    hanging(3_600_000, async (store, { connections }) => {
      for (const read of [false, true]) {
        const { stream } = await store.get('a');
        if (read) expect((await once(stream, 'data'))[0]).toEqual(Buffer.from('hello'));
        stream.destroy();
        while (!stream.closed) await turn();
      }
      await waitFor(async () => (await connections()) === 0);
    }));
});
