import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createMetrics } from '@overtone/service-kit';
import { createAuthority } from '@overtone/testkit/certificates';
import { waitFor } from '@overtone/testkit';
import { createTelemetry } from '../telemetry.ts';
import { createCrlSource } from './crl.adapter.ts';

let asked = 0;
let answer: (res: ServerResponse) => void;
const authority = await createAuthority({ subject: { CN: 'Root' } });
const server = createServer((_req, res) => {
  asked += 1;
  answer(res);
});
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/list`;
afterAll(() => {
  server.closeAllConnections();
  server.close();
});
afterEach(() => server.closeAllConnections());
let now = 0;
let logged: { level: string; fields: Record<string, unknown>; message: string }[];
let metrics: ReturnType<typeof createMetrics>;
let telemetry: ReturnType<typeof createTelemetry>;
beforeEach(() => {
  asked = 0;
  now = Date.now();
  logged = [];
  metrics = createMetrics();
  telemetry = createTelemetry(metrics);
});

function source() {
  const record = (level: string) => (fields: object, message: string) =>
    void logged.push({ level, fields: fields as Record<string, unknown>, message });
  const log = { info: record('info'), warn: record('warn') } as unknown as Parameters<typeof createCrlSource>[0]['log'];
  return createCrlSource({ log, telemetry, clock: () => now });
}

function serve(text: string | Buffer) {
  return (answer = (res) => void res.end(text));
}

function list() {
  return authority.revoke([authority]);
}

function der(pem: string): Buffer {
  return Buffer.from(pem.replaceAll(/-----.*-----|\s/g, ''), 'base64');
}

describe('a fetched revocation list', () => {
  it('is read as PEM and as DER', async () => {
    const pem = await list();
    serve(pem);
    expect((await source().listsOf(url, 60))[0]?.serials.count).toBe(1);
    serve(der(pem));
    expect((await source().listsOf(url, 60))[0]?.serials.count).toBe(1);
  });

  it('is fetched once for concurrent sign-ins, and again when its time has passed', async () => {
    serve(await list());
    const crls = source();
    await Promise.all([crls.listsOf(url, 60), crls.listsOf(url, 60), crls.listsOf(url, 60)]);
    now += 59_000;
    await crls.listsOf(url, 60);
    expect(asked).toBe(1);
    now += 2_000;
    await crls.listsOf(url, 60);
    await waitFor(async () => asked === 2);
  });

  it('stays in use while no new one can be fetched', async () => {
    serve(await list());
    const crls = source();
    await crls.listsOf(url, 60);
    for (const act of [
      (res: ServerResponse) => void res.writeHead(503).end(),
      (res: ServerResponse) => void res.end('no list'),
    ]) {
      answer = act;
      now += 61_000;
      const before = logged.length;
      expect(await crls.listsOf(url, 60)).toHaveLength(1);
      await waitFor(async () => logged.length > before);
      expect(await crls.listsOf(url, 60)).toHaveLength(1);
    }
  });

  it('is served without a wait while its server does not respond, and refreshed once the server responds', async () => {
    serve(await list());
    const crls = source();
    await crls.listsOf(url, 60);
    const unanswered: ServerResponse[] = [];
    answer = (res) => void unanswered.push(res);
    now += 61_000;
    const [first] = await crls.listsOf(url, 60);
    await waitFor(async () => unanswered.length === 1);
    expect((await crls.listsOf(url, 60))[0]).toBe(first);
    unanswered[0]?.end(await authority.revoke([]));
    await waitFor(async () => (await crls.listsOf(url, 60))[0]?.serials.count === 0);
  });

  it('is not used for another address', async () => {
    serve(await list());
    const crls = source();
    await crls.listsOf(url, 60);
    answer = (res) => void res.writeHead(404).end();
    expect(await crls.listsOf(`${url}2`, 60)).toEqual([]);
  });

  it.each<[string, (res: ServerResponse) => void, RegExp]>([
    ['404', (res) => void res.writeHead(404).end('x'), /answered 404/],
    ['a redirect', (res) => void res.writeHead(302, { location: url }).end(), /redirect/],
    ['garbage', (res) => void res.end('garbage'), /no revocation list/],
    ['an empty body', (res) => void res.end(), /no revocation list/],
    ['a list that ends too early', (res) => void list().then((pem) => res.end(der(pem).subarray(0, -9))), /too early/],
    ['a broken connection', (res) => void res.destroy(), /closed|socket|terminated/],
    ['a length above the limit', (res) => void res.end(Buffer.from('3084ffffffff3000', 'hex')), /longer than/],
  ])('is rejected when it is %s; the failure is logged and counted', async (_name, act, reason) => {
    answer = act;
    expect(await source().listsOf(url, 60)).toEqual([]);
    expect(logged).toEqual([
      {
        level: 'warn',
        fields: { url, reason: expect.stringMatching(reason), duration_ms: 0 },
        message: 'revocation list fetch failed',
      },
    ]);
    expect(await metrics.registry.getSingleMetricAsString('pki_revocation_list_fetches_total')).toContain(
      'pki_revocation_list_fetches_total{result="failed"} 1',
    );
  });
});
