import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { createAuthority, type Authority } from '@overtone/testkit/certificates';
import { createCrlSource } from './crl.adapter.ts';

let authority: Authority;
let server: Server;
let url: string;
let asked = 0;
let answer: (res: ServerResponse) => void;
beforeAll(async () => {
  authority = await createAuthority({ subject: { CN: 'Root' } });
  server = createServer((_req, res) => {
    asked += 1;
    answer(res);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/list`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});
let now = 0;
beforeEach(() => {
  asked = 0;
  now = Date.now();
});
const source = () => createCrlSource(() => now);
const serve = (text: string | Buffer) => (answer = (res) => void res.end(text));
const list = () => authority.revoke([authority]);
const der = (pem: string): Buffer => Buffer.from(pem.replaceAll(/-----.*-----|\s/g, ''), 'base64');

describe('a fetched revocation list', () => {
  it('is read as PEM and as DER', async () => {
    const pem = await list();
    serve(pem);
    expect((await source()(url, 60))[0]?.serials.size).toBe(1);
    serve(der(pem));
    expect((await source()(url, 60))[0]?.serials.size).toBe(1);
  });

  it('is fetched once for many at once, and again when its time is over', async () => {
    serve(await list());
    const crls = source();
    await Promise.all([crls(url, 60), crls(url, 60), crls(url, 60)]);
    now += 59_000;
    await crls(url, 60);
    expect(asked).toBe(1);
    now += 2_000;
    await crls(url, 60);
    expect(asked).toBe(2);
  });

  it('stays while no new one can be had', async () => {
    serve(await list());
    const crls = source();
    await crls(url, 60);
    now += 61_000;
    answer = (res) => void res.writeHead(503).end();
    expect(await crls(url, 60)).toHaveLength(1);
    serve('nothing of the kind');
    expect(await crls(url, 60)).toHaveLength(1);
  });

  it('of another address is another list', async () => {
    serve(await list());
    const crls = source();
    await crls(url, 60);
    answer = (res) => void res.writeHead(404).end();
    expect(await crls(`${url}2`, 60)).toEqual([]);
  });

  it.each<[string, (res: ServerResponse) => void]>([
    ['404', (res) => void res.writeHead(404).end('x')],
    ['a redirect', (res) => void res.writeHead(302, { location: url }).end()],
    ['garbage', (res) => void res.end('garbage')],
    ['an empty body', (res) => void res.end()],
    ['a broken connection', (res) => void res.destroy()],
    ['more than any list has', (res) => void res.end(Buffer.alloc(17 * 1024 * 1024))],
  ])('that is %s is no list', async (_name, act) => {
    answer = act;
    expect(await source()(url, 60)).toEqual([]);
  });
});
