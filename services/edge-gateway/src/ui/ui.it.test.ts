import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from '@jest/globals';
import { openApi, routes } from '@overtone/contracts';
import { version } from '@overtone/service-kit';
import { createFolder } from '@overtone/testkit/cleanup';
import { setUpEdge, startEdge } from '../../test/running-edge.ts';

const script = `console.log(${JSON.stringify('overtone '.repeat(500))});`;
const dir = await createFolder();
await mkdir(join(dir, 'assets'));
await writeFile(join(dir, 'index.html'), '<!doctype html><title>Overtone</title>');
await writeFile(join(dir, 'assets', 'index-Bx81kQ2a.js'), script);
await writeFile(join(dir, 'assets', 'index-Bx81kQ2a.js.map'), '{}');
await writeFile(join(dir, 'favicon.svg'), '<svg xmlns="http://www.w3.org/2000/svg"/>');
const { backends, edge } = await setUpEdge({ UI_DIR: dir, TRUSTED_PROXIES: '127.0.0.0/8' });

/** Without a client that decompresses. */
function bytes(path: string, encoding: string): Promise<{ encoding: string | undefined; body: Buffer }> {
  return new Promise((resolve) => {
    const headers = { 'accept-encoding': encoding };
    request({ port: edge.port, host: '127.0.0.1', path, headers }, (res) => {
      const chunks: Buffer[] = [];
      res.on('data', (chunk: Buffer) => chunks.push(chunk));
      res.on('end', () => resolve({ encoding: res.headers['content-encoding'], body: Buffer.concat(chunks) }));
    }).end();
  });
}

describe('the UI', () => {
  it.each(['/', '/index.html', '/files/123', '/login?next=/x'])(
    'answers %s with the page, which is never stale',
    async (path) => {
      const { status, text, headers } = await edge.call(path);
      expect([status, text]).toEqual([200, '<!doctype html><title>Overtone</title>']);
      expect(headers.get('cache-control')).toBe('no-cache');
    },
  );

  it('lets browsers keep what never changes', async () => {
    const { headers, text } = await edge.call('/assets/index-Bx81kQ2a.js');
    expect(text).toBe(script);
    expect(headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
    expect(headers.get('content-type')).toBe('text/javascript; charset=utf-8');
  });

  it.each(['/', '/api/docs', '/api/openapi.json'])(
    'answers 304 for %s to a client that has this version',
    async (path) => {
      const etag = (await edge.call(path)).headers.get('etag') ?? '';
      expect((await edge.call(path, { headers: { 'if-none-match': etag } })).status).toBe(304);
      expect((await edge.call(path, { headers: { 'if-none-match': '*' } })).status).toBe(304);
    },
  );

  it.each([
    ['br', 'br', brotliDecompressSync],
    ['gzip, deflate, br, zstd', 'zstd', zstdDecompressSync],
    ['gzip;q=0.8, deflate, br;q=0.9', 'br', brotliDecompressSync],
    ['gzip', 'gzip', gunzipSync],
    ['br;q=0, gzip', 'gzip', gunzipSync],
    ['identity', undefined, (bytes: Buffer) => bytes],
  ])('sends to who accepts %s: %s', async (accept, encoding, decode) => {
    const answer = await bytes('/assets/index-Bx81kQ2a.js', accept);
    expect(answer.encoding).toBe(encoding);
    expect(decode(answer.body).toString()).toBe(script);
  });

  it.each(['/assets/gone-12345678.js', '/nothing.png', '/assets/index-Bx81kQ2a.js.map', '/.env', '/assets/'])(
    'answers %s with 404, not with the page',
    async (path) => {
      expect((await edge.call(path)).status).toBe(404);
    },
  );

  it('is there for reading only', async () => {
    expect((await edge.call('/', { method: 'POST' })).status).toBe(404);
    expect(await (await fetch(`http://${edge.host}/`, { method: 'HEAD' })).text()).toBe('');
  });
});

describe('security headers', () => {
  it('let pages run only our scripts and forbid framing', async () => {
    const policy = (await edge.call('/')).headers.get('content-security-policy') ?? '';
    for (const rule of ["script-src 'self'", "object-src 'none'", "base-uri 'none'", "frame-ancestors 'none'"])
      expect(policy.split('; ')).toContain(rule);
    expect(policy).not.toContain('unsafe-eval');
  });

  it.each(['/', '/api/version', '/api/nope', '/health', '/api/docs', '/api/docs/start.js', '/api/openapi.json'])(
    'are on %s',
    async (path) => {
      const { headers } = await edge.call(path);
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect(headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
      expect(headers.get('x-request-id')).toBeTruthy();
    },
  );

  it('let the page of public links tell no other site of it, and search engines keep nothing', async () => {
    const strict = { 'referrer-policy': 'no-referrer', 'x-robots-tag': 'noindex, nofollow, noarchive' };
    expect(Object.fromEntries((await edge.call('/public')).headers)).toMatchObject(strict);
    const { headers } = await edge.call('/public/else');
    expect([headers.get('referrer-policy'), headers.get('x-robots-tag')]).toEqual(['same-origin', null]);
  });

  it('send HSTS only over HTTPS', async () => {
    expect((await edge.call('/')).headers.get('strict-transport-security')).toBeNull();
    const { headers } = await edge.call('/', { headers: { 'x-forwarded-proto': 'https' } });
    expect(headers.get('strict-transport-security')).toBe('max-age=31536000');
  });
});

describe("the platform's own routes", () => {
  it('tell version and health', async () => {
    expect((await edge.call('/api/version')).json).toEqual({ version });
    expect((await edge.call('/api/health')).json).toEqual({ status: 'healthy', version });
  });

  it('say so when a service does not answer', async () => {
    const own = await startEdge(backends, { SEARCH_INDEXER_URL: 'http://127.0.0.1:1' });
    expect((await own.call('/api/health')).json).toMatchObject({ status: 'degraded' });
    await own.stop();
  });

  it('say so when a critical check of a service fails', async () => {
    const service = createServer((_, response) => response.writeHead(503).end());
    await new Promise<void>((resolve) => service.listen(0, '127.0.0.1', resolve));
    const { port } = service.address() as AddressInfo;
    const own = await startEdge(backends, { SEARCH_INDEXER_URL: `http://127.0.0.1:${port}` });
    expect((await own.call('/api/health')).json).toEqual({ status: 'degraded', version });
    await own.stop();
    service.closeAllConnections();
    service.close();
  });

  it('describe every route of the catalogue', async () => {
    const { json } = await edge.call('/api/openapi.json');
    expect(json).toEqual(openApi(version));
    const paths = json['paths'] as Record<string, Record<string, unknown>>;
    for (const def of routes) expect(paths[def.path]?.[def.method.toLowerCase()]).toBeDefined();
  });

  it('show the description as a page that keeps to the policy', async () => {
    const { text, headers } = await edge.call('/api/docs');
    expect(headers.get('content-type')).toContain('text/html');
    expect(text).not.toMatch(/<script>|https?:\/\/|onload=/);
    for (const [, path] of text.matchAll(/(?:src|href)="(\/[^"]+)"/g))
      expect((await edge.call(path as string)).status).toBe(200);
  });
});
