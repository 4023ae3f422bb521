import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { text } from 'node:stream/consumers';
import {
  brotliDecompressSync,
  createBrotliDecompress,
  createGunzip,
  createZstdDecompress,
  gunzipSync,
  zstdDecompressSync,
} from 'node:zlib';
import { afterEach, describe, expect, it } from '@jest/globals';
import { waitFor } from '@overtone/testkit';
import { setUpEdge, type Handler } from '../../test/running-edge.ts';

const { edge } = await setUpEdge({ signInPerMinute: null });
const bearer = edge.signIn().bearer;

function ownIdentity() {
  return edge.handlers.identity.current as Handler;
}
const identity = ownIdentity();
afterEach(() => {
  edge.handlers.media.current = undefined;
  edge.handlers.identity.current = identity;
});

const long = JSON.stringify({ words: 'compressible '.repeat(5_000) });
const decode: Record<string, (bytes: Buffer) => Buffer> = {
  zstd: zstdDecompressSync,
  br: brotliDecompressSync,
  gzip: gunzipSync,
};

const decoderOf: Record<string, () => Duplex> = {
  zstd: createZstdDecompress,
  br: createBrotliDecompress,
  gzip: createGunzip,
};

type Sent = { path?: string; method?: string; accept?: string; headers?: Record<string, string> };

function open(sent: Sent = {}): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const { path = '/api/files', method = 'GET', accept = 'gzip', headers = {} } = sent;
    const all = { ...bearer, ...headers, 'accept-encoding': accept };
    request({ port: edge.port, host: '127.0.0.1', path, method, headers: all }, resolve).on('error', reject).end();
  });
}

async function call(sent: Sent = {}) {
  const res = await open(sent);
  const chunks: Buffer[] = [];
  for await (const chunk of res) chunks.push(chunk as Buffer);
  return { status: res.statusCode, headers: res.headers, body: Buffer.concat(chunks) };
}

/** What media answers with. */
function answers(status: number, headers: Record<string, string>, body: string | Buffer = long): void {
  edge.handlers.media.current = (_req, res) => {
    res.writeHead(status, { 'content-length': Buffer.byteLength(body), ...headers }).end(body);
  };
}

const json = { 'content-type': 'application/json; charset=utf-8' };

describe('compression of answers', () => {
  it.each(['zstd', 'br', 'gzip'])('sends %s to a client that takes it', async (encoding) => {
    answers(200, json);
    const { headers, body } = await call({ accept: encoding });
    expect(headers['content-encoding']).toBe(encoding);
    expect(headers['content-length']).toBeUndefined();
    expect(headers['vary']).toBe('Accept-Encoding');
    expect(body.length).toBeLessThan(long.length / 10);
    expect(decode[encoding]?.(body).toString()).toBe(long);
  });

  it('sends the bytes as they are to a client that takes no coding, and says that others may get one', async () => {
    answers(200, { ...json, vary: 'Origin' });
    const { headers, body } = await call({ accept: 'identity' });
    expect([headers['content-encoding'], headers['vary']]).toEqual([undefined, 'Origin, Accept-Encoding']);
    expect(body.toString()).toBe(long);
  });

  it('makes an entity tag weak, because the bytes are not those that it names', async () => {
    answers(200, { ...json, etag: '"abc"' });
    expect((await call()).headers.etag).toBe('W/"abc"');
    expect((await call({ accept: 'identity' })).headers.etag).toBe('"abc"');
  });

  it.each<[string, number, Record<string, string>, (string | Buffer)?]>([
    ['less than 1 KB', 200, json, '{"a":1}'],
    ['a recording', 200, { 'content-type': 'audio/mpeg' }],
    ['what is served by ranges', 200, { 'content-type': 'text/plain', 'accept-ranges': 'bytes' }],
    ['a range', 206, { 'content-type': 'text/plain', 'content-range': 'bytes 0-9/100' }],
    ['what is encoded already', 200, { ...json, 'content-encoding': 'br' }],
    ['what must not be transformed', 200, { ...json, 'cache-control': 'no-transform' }],
    ['an answer that sets a cookie', 200, { ...json, 'set-cookie': 'a=b' }],
  ])('leaves %s alone', async (_what, status, headers, body = long) => {
    answers(status, headers, body);
    const answer = await call({ accept: 'gzip, br, zstd' });
    expect(answer.headers['content-encoding']).toBe(headers['content-encoding']);
    expect(answer.body.toString()).toBe(String(body));
  });

  it.each(['/api/auth/token', '/api/auth/methods'])(
    'leaves %s alone, where secrets meet reflected input',
    async (path) => {
      edge.handlers.identity.current = (req, res, body) => {
        if (req.url !== path) return identity(req, res, body);
        res.writeHead(200, { ...json, 'content-length': long.length }).end(long);
      };
      const { headers, status } = await call({ path, method: path.endsWith('token') ? 'POST' : 'GET' });
      expect([status, headers['content-encoding']]).toEqual([200, undefined]);
    },
  );

  it('compresses a failure, and sends no body to HEAD', async () => {
    answers(422, { 'content-type': 'application/problem+json' });
    expect(gunzipSync((await call()).body).toString()).toBe(long);
    answers(200, json);
    const head = await call({ path: '/api/files/tus/x', method: 'HEAD' });
    expect(head.body).toHaveLength(0);
  });

  it.each(['gzip', 'br', 'zstd'])('flushes what has arrived of an answer without a length (%s)', async (accept) => {
    let end = (): void => {};
    edge.handlers.media.current = (_req, res) => {
      res.writeHead(200, { 'content-type': 'text/plain' });
      res.write('first');
      end = () => void res.end(' last');
    };
    const res = await open({ accept });
    expect(res.headers['content-encoding']).toBe(accept);
    const decoded = res.pipe(decoderOf[accept]!());
    // The first part comes while the service has not ended its answer.
    expect(String((await once(decoded, 'data'))[0])).toBe('first');
    end();
    expect(await text(decoded)).toBe(' last');
  });

  it('keeps step with a client that reads slowly, and ends with one that leaves', async () => {
    // Random text, so that the compressed answer is too large for the buffers of the system.
    const large = Buffer.from(crypto.getRandomValues(new Uint8Array(60_000)))
      .toString('base64')
      .repeat(1);
    let closed = false;
    edge.handlers.media.current = (_req, res) => {
      res.on('close', () => (closed = true));
      res.writeHead(200, json);
      const more = (): void => void (!res.destroyed && res.write(large, () => setImmediate(more)));
      more();
    };
    const res = await open();
    await once(res, 'readable');
    res.destroy();
    await waitFor(() => closed);
  });
});
