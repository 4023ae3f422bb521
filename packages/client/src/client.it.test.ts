import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { cleanUpAfterTest } from '@overtone/testkit/cleanup';
import { ApiError, createClient, signIn } from './index.ts';

type Reply = { status?: number; headers?: Record<string, string>; body?: unknown };
type Seen = { route: string; authorization: string | undefined; type: string | undefined; body: string };

/** A server with scripted replies. */
async function serverWith(respond: (seen: Seen) => Reply) {
  const requests: Seen[] = [];
  const reply = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { authorization, 'content-type': type } = request.headers;
    const seen = { route: `${request.method} ${request.url}`, authorization, type, body: await text(request) };
    requests.push(seen);
    const { status = 200, headers = {}, body } = respond(seen);
    response.writeHead(status, headers).end(typeof body === 'string' ? body : JSON.stringify(body));
  };
  const server = createServer((request, response) => void reply(request, response));
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  cleanUpAfterTest(() => {
    server.close();
    server.closeAllConnections();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests };
}

function tokens(access: string, refresh: string): Reply {
  return { body: { access_token: access, refresh_token: refresh, token_type: 'bearer', expires_in: 1 } };
}

const unavailable = {
  type: 'about:blank',
  title: 'Service Unavailable',
  status: 503,
  code: 'database_unavailable',
  detail: 'The database is down.',
  request_id: 'r',
};
const anonymous = { headers: () => ({}), renew: () => Promise.resolve(false) };

describe('signIn', () => {
  it('renews an expired session once for all requests that met it, and sends them again', async () => {
    const { url, requests } = await serverWith(({ route, authorization }) => {
      if (route === 'POST /api/auth/token') return tokens('old', 'refresh-1');
      if (route === 'POST /api/auth/token/refresh') return tokens('new', 'refresh-2');
      return authorization === 'Bearer new' ? { body: { full_name: 'Ada' } } : { status: 401, body: {} };
    });
    const client = await signIn(url, 'ada', 'a password with spaces & signs');
    const names = await Promise.all(Array.from({ length: 5 }, () => client.call('GET /api/users/me')));
    expect(names.map(({ full_name: name }) => name)).toEqual(Array(5).fill('Ada'));
    expect(requests.filter(({ route }) => route.endsWith('/refresh'))).toEqual([
      expect.objectContaining({ body: '{"refresh_token":"refresh-1"}', authorization: undefined }),
    ]);
    expect(requests[0]).toMatchObject({
      type: 'application/x-www-form-urlencoded',
      body: 'username=ada&password=a+password+with+spaces+%26+signs',
    });
  });

  it('reports the refusal when the session cannot be renewed, without a loop', async () => {
    const { url, requests } = await serverWith(({ route }) =>
      route === 'POST /api/auth/token' ? tokens('old', 'spent') : { status: 401, body: { code: 'not_authenticated' } },
    );
    const client = await signIn(url, 'ada', 'p');
    await expect(client.call('GET /api/users/me')).rejects.toMatchObject({ status: 401, code: 'not_authenticated' });
    expect(requests).toHaveLength(3);
  });

  it('rejects with the code of a refused sign-in', async () => {
    const { url } = await serverWith(() => ({ status: 401, body: { code: 'invalid_credentials', detail: 'Wrong.' } }));
    await expect(signIn(url, 'ada', 'wrong')).rejects.toMatchObject({ code: 'invalid_credentials', message: 'Wrong.' });
  });
});

describe('createClient', () => {
  it('fills the path, repeats the items of a list and omits empty values', async () => {
    const { url, requests } = await serverWith(() => ({ body: { items: [] } }));
    const client = createClient({ url, credentials: anonymous });
    await client.call('GET /api/files', { query: { tag: ['a', 'b c'], search: '', page: 2 } });
    expect(requests[0]?.route).toBe('GET /api/files?tag=a&tag=b+c&page=2');
  });

  it('sends a file as a form, with its name', async () => {
    const { url, requests } = await serverWith(() => ({ status: 201, body: { uuid: 'u' } }));
    const client = createClient({ url, credentials: anonymous });
    await client.sendFile('POST /api/files', new File(['sound'], 'a "quoted" näme.wav'));
    expect(requests[0]?.type).toMatch(/^multipart\/form-data; boundary=/);
    expect(requests[0]?.body).toMatch(/name="file"; filename="a %22quoted%22 näme.wav"[^]*\r\n\r\nsound\r\n/);
  });

  it('returns the response of a route that does not answer with JSON', async () => {
    const { url } = await serverWith(() => ({ headers: { 'content-type': 'text/vtt' }, body: 'WEBVTT' }));
    const client = createClient({ url, credentials: anonymous });
    const response = await client.fetch('GET /api/files/{uuid}/export', {
      params: { uuid: 'u' },
      query: { format: 'webvtt' },
    });
    expect([response.headers.get('content-type'), await response.text()]).toEqual(['text/vtt', 'WEBVTT']);
  });

  it.each([
    ['a problem of the API', { status: 503, body: unavailable }, 'database_unavailable'],
    ['the page of a proxy', { status: 503, body: '<html>Bad gateway</html>' }, 'http_503'],
    ['an answer that is no JSON', { status: 200, body: '<html>Sign in to the hotel</html>' }, 'bad_answer'],
  ])('rejects %s with an ApiError', async (_, reply, code) => {
    const { url } = await serverWith(() => reply);
    const client = createClient({ url, credentials: anonymous });
    const failure = client.call('GET /api/users/me');
    await expect(failure).rejects.toBeInstanceOf(ApiError);
    await expect(failure).rejects.toMatchObject({ code });
  });

  it('says that the server cannot be reached', async () => {
    const { url } = await serverWith(() => ({}));
    const client = createClient({ url: url.replace(/:\d+$/, ':1'), credentials: anonymous });
    await expect(client.call('GET /api/users/me')).rejects.toMatchObject({ status: 0, code: 'unreachable' });
  });

  it('rejects an aborted request with its AbortError', async () => {
    const { url } = await serverWith(() => ({ body: {} }));
    const client = createClient({ url, credentials: anonymous });
    const call = client.call('GET /api/users/me', { signal: AbortSignal.abort() });
    await expect(call).rejects.toMatchObject({ name: 'AbortError' });
  });

  describe('on a line that goes silent', () => {
    beforeEach(() => void jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask'] }));
    afterEach(() => void jest.useRealTimers());

    /** A server that leaves the response to the test. */
    async function silentServer() {
      const received = Promise.withResolvers<ServerResponse>();
      const server = createServer((_request, response) => received.resolve(response));
      await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
      cleanUpAfterTest(() => {
        server.close();
        server.closeAllConnections();
      });
      const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
      return { client: createClient({ url, credentials: anonymous }), received: received.promise };
    }

    it('ends the wait for a response', async () => {
      const { client, received } = await silentServer();
      const call = client.call('GET /api/users/me').catch((error: unknown) => error);
      await received;
      jest.advanceTimersByTime(150_000);
      expect(await call).toMatchObject({ status: 0, code: 'unreachable' });
    });

    it('does not limit the time of a response that has begun', async () => {
      const { client, received } = await silentServer();
      const call = client.fetch('GET /api/users/me');
      const serverSide = await received;
      serverSide.writeHead(200).flushHeaders();
      const response = await call;
      jest.advanceTimersByTime(150_000);
      serverSide.end('all of it');
      expect(await response.text()).toBe('all of it');
    });
  });
});
