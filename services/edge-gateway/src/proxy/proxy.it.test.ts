import { createHash, randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { createServer } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { describe, expect, it, jest } from '@jest/globals';
import { standardOutput } from '@overtone/service-kit';
import { freePort, waitFor } from '@overtone/testkit';
import { scriptedHeader } from '@overtone/testkit/answers';
import { setUpEdge, open, raw, startEdge, type RunningEdge } from '../../test/running-edge.ts';

const MiB = 1024 ** 2;
const { backends, edge } = await setUpEdge({ MAX_UPLOAD_BYTES: String(4 * MiB) });

/** A service that decides itself how it treats the request's body. */
async function behind(
  listener: Parameters<typeof createServer>[1],
  work: (own: RunningEdge) => Promise<void>,
  overrides: Record<string, string> = {},
) {
  const server = createServer(listener as never).prependListener('request', (_req, res) =>
    res.setHeader(scriptedHeader, 'yes'),
  );
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const mediaUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const own = await startEdge(backends, { MEDIA_URL: mediaUrl, ...overrides });
  try {
    await work(own);
  } finally {
    await own.stop();
    server.closeAllConnections();
    server.close();
  }
}

describe('bodies', () => {
  it('arrive whole, with a length and without one', async () => {
    const { bearer } = edge.signIn();
    const body = randomBytes(3 * MiB);
    const hash = createHash('sha256').update(body).digest('hex');
    const stream = new ReadableStream({ start: (controller) => (controller.enqueue(body), controller.close()) });
    for (const sent of [body, stream]) {
      const { status } = await edge.call('/api/files', { method: 'POST', headers: bearer, body: sent, duplex: 'half' });
      expect(status).toBe(200);
      expect(
        createHash('sha256')
          .update(edge.media.seen.at(-1)?.body ?? '')
          .digest('hex'),
      ).toBe(hash);
    }
  });

  it('come back whole to a client that reads slowly', async () => {
    const { bearer } = edge.signIn();
    const body = randomBytes(8 * MiB);
    edge.handlers.media.current = (_req, res) => res.end(body);
    const response = await fetch(`http://${edge.host}/api/files`, { headers: bearer });
    const hash = createHash('sha256');
    let chunks = 0;
    for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
      hash.update(chunk);
      if (chunks++ % 20 === 0) await sleep(5);
    }
    edge.handlers.media.current = undefined;
    expect(hash.digest('hex')).toBe(createHash('sha256').update(body).digest('hex'));
  });

  it('above the limit are refused by their announced length, before a byte of them is sent', async () => {
    const { bearer } = edge.signIn();
    const seen = edge.media.seen.length;
    const { req, answer } = open(edge.port, '/api/files', { ...bearer, 'content-length': 5 * MiB });
    req.flushHeaders();
    const { status, text } = await answer;
    req.destroy();
    expect(status).toBe(413);
    expect(JSON.parse(text)).toMatchObject({ code: 'upload_too_large', max_bytes: 4 * MiB });
    expect(edge.media.seen).toHaveLength(seen);
  });

  it('above the limit are refused by counting when they announce nothing', async () => {
    const { bearer } = edge.signIn();
    const { req, answer } = open(edge.port, '/api/files', { ...bearer, 'transfer-encoding': 'chunked' });
    for (let i = 0; i < 6; i++) req.write(Buffer.alloc(MiB));
    req.end();
    expect((await answer).status).toBe(413);
  });

  it('of a resumable upload are refused by the length of the whole when it begins', async () => {
    const { bearer } = edge.signIn();
    const headers = { ...bearer, 'tus-resumable': '1.0.0', 'upload-length': String(5 * MiB) };
    expect((await edge.call('/api/files/tus', { method: 'POST', headers })).status).toBe(413);
  });

  it('of routes that take JSON may be one mebibyte', async () => {
    const { bearer } = edge.signIn();
    const headers = { ...bearer, 'content-type': 'application/json' };
    const { status } = await edge.call('/api/tags', { method: 'POST', headers, body: 'x'.repeat(2 * MiB) });
    expect(status).toBe(413);
  });

  it('are requested only when the service reads them (Expect: 100-continue)', async () => {
    const { token } = edge.signIn();
    const ask = (auth: string) =>
      raw(
        edge.port,
        `POST /api/tags HTTP/1.1\r\nHost: x\r\n${auth}Content-Length: 2\r\nExpect: 100-continue\r\n\r\n`,
        /\r\n\r\n/,
      );
    expect(await ask('')).toMatch(/^HTTP\/1\.1 401/);
    expect(await ask(`Authorization: Bearer ${token}\r\n`)).toMatch(/^HTTP\/1\.1 100 Continue/);
  });
});

describe('a client that leaves', () => {
  it('takes its request at the service with it, while it sends', async () => {
    let [hasBegun, gone] = [false, false];
    await behind(
      (req) => {
        hasBegun = true;
        req.resume();
        req.on('aborted', () => (gone = true));
      },
      async (own) => {
        const { bearer } = own.signIn();
        const { req } = open(own.port, '/api/files', { ...bearer, 'content-length': MiB });
        req.write(Buffer.alloc(1000));
        await waitFor(() => hasBegun);
        req.destroy();
        await waitFor(() => gone);
      },
    );
  });

  it('takes its request at the service with it, while it waits and while it reads', async () => {
    const [begun, closed]: [string[], string[]] = [[], []];
    await behind(
      (req, res) => {
        begun.push(req.url ?? '');
        res.on('close', () => closed.push(req.url ?? ''));
        if (req.url?.includes('content')) res.write('x'.repeat(1000));
      },
      async (own) => {
        const { bearer } = own.signIn();
        const id = '0d7c34a1-9a51-4a3c-93a5-6f5b6f0f1b5c';
        const paths = ['/api/files', `/api/files/${id}/content`];
        for (const path of paths) {
          const { req } = open(own.port, path, bearer, 'GET');
          req.end();
          await waitFor(() => begun.includes(path));
          req.destroy();
          await waitFor(() => closed.includes(path));
        }
      },
    );
  });

  it.each(['/api/auth/token', '/api/auth/register', '/api/files'])(
    'may close or reset its connection at the start of a body for %s without an effect on others',
    async (path) => {
      const own = await startEdge(backends, { signInPerMinute: null });
      const { token } = own.signIn();
      const head = `POST ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\nContent-Length: 1000\r\n\r\n{`;
      const cut = (how: 'end' | 'resetAndDestroy' | 'destroy') =>
        new Promise<void>((resolve) => {
          const socket = connect(own.port, '127.0.0.1', () => socket.write(head, () => void socket[how]()));
          socket.on('error', () => {}).resume();
          socket.on('close', () => resolve());
        });
      await Promise.all(Array.from({ length: 8 }, () => [cut('end'), cut('resetAndDestroy'), cut('destroy')]).flat());
      const { status } = await own.call('/api/version');
      await own.stop();
      expect(status).toBe(200);
    },
  );

  it('who sends a JSON body drop by drop, or never finishes the head, is cut off', async () => {
    const { bearer } = edge.signIn();
    const { req, answer } = open(edge.port, '/api/tags', { ...bearer, 'content-length': 1000 });
    req.write('{');
    const [slowBody, slowHead] = await Promise.all([
      answer,
      raw(edge.port, 'GET /api/version HTTP/1.1\r\nHost: x\r\nX-Slow: '),
    ]);
    req.destroy();
    expect(slowBody.status).toBe(400);
    expect(JSON.parse(slowBody.text)).toMatchObject({ code: 'request_aborted' });
    expect(slowHead).toMatch(/^HTTP\/1\.1 408/);
  });
});

describe('a service that', () => {
  it('is down is reported as down, with a Retry-After', async () => {
    const own = await startEdge(backends, { MEDIA_URL: 'http://127.0.0.1:1' });
    const { bearer } = own.signIn();
    const { status, json, headers } = await own.call('/api/files', { headers: bearer });
    const upload = await own.call('/api/files', { method: 'POST', headers: bearer, body: Buffer.alloc(2 * MiB) });
    await own.stop();
    expect(status).toBe(503);
    expect(json).toMatchObject({ status: 503, code: 'service_unavailable' });
    expect(headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
    expect(upload.status).toBe(503);
  });

  it('restarts receives the requests that arrived during the restart, of any method', async () => {
    const body = randomBytes(2 * MiB);
    const got: string[] = [];
    const server = createServer((req, res) => {
      res.setHeader(scriptedHeader, 'yes');
      const hash = createHash('sha256');
      req.on('data', (chunk: Buffer) => hash.update(chunk));
      req.on('end', () => {
        got.push(`${req.method} ${hash.digest('hex')}`);
        res.end('{}');
      });
    });
    const port = await freePort();
    const own = await startEdge(backends, { MEDIA_URL: `http://127.0.0.1:${port}`, UPSTREAM_WAIT_MS: '600000' });
    const { bearer } = own.signIn();
    const asked = [
      own.call('/api/files', { headers: bearer }),
      own.call('/api/files', { method: 'POST', headers: bearer, body }),
    ];
    await waitFor(async () =>
      /http_requests_in_flight\S* 2$/m.test(await (await fetch(`${own.internal}/metrics`)).text()),
    );
    await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
    const statuses = (await Promise.all(asked)).map((answer) => answer.status);
    await own.stop();
    server.closeAllConnections();
    server.close();
    expect(statuses).toEqual([200, 200]);
    const digest = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');
    expect(got.sort()).toEqual([`GET ${digest(Buffer.alloc(0))}`, `POST ${digest(body)}`]);
  });

  it('responds before it has read the body gets its response through', async () => {
    await behind(
      (_req, res) => res.writeHead(409, { 'content-type': 'application/problem+json' }).end('{"code":"conflict"}'),
      async (own) => {
        const { bearer } = own.signIn();
        const answers = await Promise.all(
          Array.from({ length: 8 }, () =>
            own.call('/api/files', { method: 'POST', headers: bearer, body: Buffer.alloc(6 * MiB) }),
          ),
        );
        expect(answers.map(({ status, json }) => [status, json['code']])).toEqual(answers.map(() => [409, 'conflict']));
      },
    );
  });

  it('closes a kept connection under a request is asked once more when that is safe', async () => {
    const asked: string[] = [];
    await behind(
      (req, res) => {
        asked.push(req.method ?? '');
        if (asked.length % 2 === 1) req.socket.destroy();
        else res.end('{}');
      },
      async (own) => {
        const { bearer } = own.signIn();
        expect((await own.call('/api/files', { headers: bearer })).status).toBe(200);
        expect((await own.call('/api/tags', { method: 'POST', headers: bearer })).status).toBe(503);
        expect(asked).toEqual(['GET', 'GET', 'POST']);
      },
    );
  });

  it('does not respond to a search in time is reported as down, and receives the search once', async () => {
    const own = await startEdge(backends, {}, { 'search-indexer': 3_000 });
    const { bearer } = own.signIn();
    // Never responds.
    own.handlers.media.current = () => {};
    const { status, json, headers } = await own.call('/api/search?q=budget', { headers: bearer });
    const { seen } = own.media;
    await own.stop();
    expect([status, json['code']]).toEqual([503, 'service_unavailable']);
    expect(headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
    // The edge also looks at the health of a service that does not respond.
    expect(seen.map(({ url }) => url).filter((url) => url !== '/health')).toEqual(['/api/search?q=budget']);
  });

  it('accepts connections and responds to nothing is reported as unresponsive, for every kind of request', async () => {
    const asked: string[] = [];
    await behind(
      (req) => void asked.push(req.url ?? ''),
      async (own) => {
        const { bearer } = own.signIn();
        const asJson = { ...bearer, 'content-type': 'application/json' };
        const answers = await Promise.all([
          own.call('/api/files', { headers: bearer }),
          own.call('/api/tags', { method: 'POST', headers: asJson, body: '{"name":"x"}' }),
          own.call('/api/files', { method: 'POST', headers: bearer, body: Buffer.alloc(2 * MiB) }),
        ]);
        // Without another wait, and without a request to the service.
        const before = asked.length;
        answers.push(await own.call('/api/tags', { headers: bearer }));
        expect(asked.slice(before).filter((path) => path !== '/health')).toEqual([]);
        expect(answers.map(({ status, json }) => [status, json['code']])).toEqual(
          answers.map(() => [503, 'service_unresponsive']),
        );
        expect(answers.map(({ headers }) => headers.get('retry-after'))).toEqual(answers.map(() => '10'));
      },
      // Requests would wait this long for a connection.
      { UPSTREAM_WAIT_MS: '600000' },
    );
  });

  it('answers its health check may take longer than that for a request', async () => {
    const waiting: { end: (body: string) => unknown }[] = [];
    let checks = 0;
    await behind(
      (req, res) => {
        if (req.url !== '/health') {
          waiting.push(res);
          return;
        }
        res.end('{}');
        // Four silent periods are longer than the limit.
        if ((checks += 1) > 5) waiting.forEach((response) => response.end('late'));
      },
      async (own) => {
        const { bearer } = own.signIn();
        const { status, text } = await own.call('/api/files', { headers: bearer });
        expect([status, text]).toEqual([200, 'late']);
      },
    );
  });

  it('breaks off in the middle of its answer is not taken to be done', async () => {
    await behind(
      (_req, res) => {
        res.writeHead(200, { 'content-length': 1000 });
        res.write('half');
        setTimeout(() => res.destroy(), 50);
      },
      async (own) => {
        const { bearer } = own.signIn();
        await expect(own.call('/api/files', { headers: bearer })).rejects.toThrow();
      },
    );
  });
});

describe('addresses', () => {
  it.each(['/health', '/health/ready', '/metrics', '/metrics/queues', '/health/', '/metrics/x'])(
    '%s does not exist on the public port',
    async (path) => {
      expect((await edge.call(path)).status).toBe(404);
    },
  );

  it('exist on the internal port', async () => {
    const ready = (await (await fetch(`${edge.internal}/health/ready`)).json()) as object;
    expect(ready).toEqual({ status: 'ready', checks: { broker: 'ok', cache: 'ok' } });
  });

  it('unknown to the API are 404 with a code, known ones with another method 405 with what is allowed', async () => {
    const unknown = await edge.call('/api/nope');
    expect([unknown.status, unknown.json['code']]).toEqual([404, 'not_found']);
    const wrong = await edge.call('/api/version', { method: 'DELETE' });
    expect([wrong.status, wrong.json['code'], wrong.headers.get('allow')]).toEqual([
      405,
      'method_not_allowed',
      'GET, HEAD',
    ]);
  });

  it('between services cannot be reached', async () => {
    const { bearer } = edge.signIn();
    const body = JSON.stringify({ accessToken: 'x' });
    const headers = { ...bearer, 'content-type': 'application/json' };
    for (const path of [
      '/internal/sessions/resolve',
      '/api/../internal/sessions/resolve',
      '/api/internal/sessions/resolve',
    ]) {
      const answer = await raw(
        edge.port,
        `POST ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: ${headers.authorization}\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
      );
      expect(answer).toMatch(/^HTTP\/1\.1 4/);
    }
    expect(edge.identity.seen.filter((request) => request.body.toString() === body)).toEqual([]);
  });

  it.each([
    ['a header that is none', 'GET /api/version HTTP/1.1\r\nHost: x\r\nbroken\r\n\r\n'],
    ['two lengths', 'POST /api/tags HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab'],
    [
      'a length and chunks',
      'POST /api/tags HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
    ],
    ['a NUL in the path', 'GET /api/\0 HTTP/1.1\r\nHost: x\r\n\r\n'],
    ['no such version', 'GET /api/version HTTP/9.9\r\nHost: x\r\n\r\n'],
    ['HTTP/2.0', 'GET /api/version HTTP/2.0\r\nHost: x\r\n\r\n'],
    ['HTTP/0.9', 'GET /api/version HTTP/0.9\r\nHost: x\r\n\r\n'],
    ['no version', 'GET /api/version\r\n\r\n'],
    ['no Host', 'GET /api/version HTTP/1.1\r\nConnection: close\r\n\r\n'],
    ['two Hosts', 'GET /api/version HTTP/1.1\r\nHost: x\r\nhost: y\r\nConnection: close\r\n\r\n'],
    ['two Hosts for a page', 'GET / HTTP/1.1\r\nHost: x\r\nHost: x\r\nConnection: close\r\n\r\n'],
  ])('asked for with %s are a bad request', async (_what, text) => {
    const answer = await raw(edge.port, text);
    expect(answer).toMatch(/^HTTP\/1\.1 400/);
    expect(answer).toContain('"code":"invalid_request"');
    expect(answer).toMatch(/content-type: application\/problem\+json/i);
  });

  it('asked for with an expectation that is not supported are 417 with a code', async () => {
    const answer = await raw(
      edge.port,
      'GET /api/version HTTP/1.1\r\nHost: x\r\nExpect: tea\r\nConnection: close\r\n\r\n',
    );
    expect(answer).toMatch(/^HTTP\/1\.1 417/);
    expect(answer).toContain('"code":"expectation_failed"');
  });

  it('asked for with an offer of another protocol are served as if there were none (Upgrade: h2c)', async () => {
    const { token } = edge.signIn();
    const head = [
      'POST /api/files HTTP/1.1',
      'Host: x',
      `Authorization: Bearer ${token}`,
      'Connection: Upgrade, HTTP2-Settings, close',
      'Upgrade: h2c',
      'HTTP2-Settings: AAMAAABkAARAAAAAAAIAAAAA',
      'Content-Length: 5',
    ];
    expect(await raw(edge.port, `${head.join('\r\n')}\r\n\r\nhello`)).toMatch(/^HTTP\/1\.1 200/);
    const { body, headers } = edge.media.seen.at(-1)!;
    expect([body.toString(), headers.upgrade, headers['http2-settings']]).toEqual(['hello', undefined, undefined]);
  });

  it('carry each security header once, as strict as the service has set it', async () => {
    const { token } = edge.signIn();
    edge.handlers.media.current = (_req, res) =>
      res.writeHead(200, { 'X-Content-Type-Options': 'nosniff', 'Content-Security-Policy': 'sandbox' }).end();
    const answer = await raw(
      edge.port,
      `GET /api/files HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\nConnection: close\r\n\r\n`,
    );
    edge.handlers.media.current = undefined;
    expect(answer.match(/^x-content-type-options:/gim)).toHaveLength(1);
    expect(answer.match(/^content-security-policy:.*/gim)).toEqual(['content-security-policy: sandbox']);
  });

  it('that are too long are refused with a code', async () => {
    const { status, json } = await edge.call(`/api/files/${'a'.repeat(20_000)}`);
    expect([status, json['code'], json['status']]).toEqual([431, 'header_too_large', 431]);
  });

  it('have header fields of at most 1 KiB where no longer one belongs', async () => {
    const { bearer } = edge.signIn();
    const codeWith = async (name: string, length: number) => {
      const { status, json } = await edge.call('/api/files', { headers: { ...bearer, [name]: 'x'.repeat(length) } });
      return [status, json?.['code']];
    };
    for (const name of ['range', 'if-none-match', 'x-anything', 'user-agent'])
      expect([name, ...(await codeWith(name, 1100))]).toEqual([name, 431, 'header_too_large']);
    for (const name of ['cookie', 'referer', 'x-client-cert'])
      expect([name, (await codeWith(name, 4000))[0]]).toEqual([name, 200]);
  });

  it('are counted by template, never by path', async () => {
    const { bearer } = edge.signIn();
    const id = '11111111-1111-4111-8111-111111111111';
    await edge.call(`/api/files/${id}?secret=1`, { headers: bearer });
    await edge.call('/api/some/secret/path', { headers: bearer });
    const metrics = await (await fetch(`${edge.internal}/metrics`)).text();
    expect(metrics).toContain('http_requests_total{method="GET",route="/api/files/{uuid}",status="200"}');
    expect(metrics).not.toContain(id);
    expect(metrics).not.toContain('secret');
  });
});

describe('the access log', () => {
  it('has one line of the edge for a request that it answers itself, and none for one that a service records', async () => {
    const lines: string[] = [];
    const written = jest.spyOn(standardOutput, 'write').mockImplementation((line) => void lines.push(line));
    try {
      const own = await startEdge(backends, { LOG_FORMAT: 'json', SEARCH_INDEXER_URL: 'http://127.0.0.1:1' });
      const { bearer } = own.signIn();
      const ids = ['edge-itself', 'service', 'refused', 'unreachable'];
      const paths = ['/api/version', '/api/files', '/api/nope', '/api/search?q=x'];
      for (const [i, path] of paths.entries())
        await own.call(path, { headers: { ...bearer, 'x-request-id': ids[i] as string } });
      const recorded = (): string[] => lines.flatMap((line) => /"request_id":"([^"]*)","route"/.exec(line)?.[1] ?? []);
      await waitFor(() => recorded().includes('unreachable'));
      await own.stop();
      expect(recorded()).toEqual(['edge-itself', 'refused', 'unreachable']);
    } finally {
      written.mockRestore();
    }
  });
});

describe('limits', () => {
  it('let ten sign-ins a minute through, and tell when to come back', async () => {
    const own = await startEdge(backends);
    const signIn = () => own.call('/api/auth/token', { method: 'POST', body: new URLSearchParams({ username: 'a' }) });
    const all = await Promise.all(Array.from({ length: 14 }, signIn));
    const others = await own.call('/api/auth/methods');
    await own.stop();
    expect(all.filter((answer) => answer.status === 200)).toHaveLength(10);
    const refused = all.find((answer) => answer.status === 429);
    expect(refused?.json).toMatchObject({ code: 'rate_limited' });
    expect(Number(refused?.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(others.status).toBe(200);
  });

  it('are shared by replicas, and hold without Redis', async () => {
    const counted = async (edges: RunningEdge[]) => {
      const all = await Promise.all(
        Array.from({ length: 12 }, (_, i) =>
          (edges[i % edges.length] as RunningEdge).call('/api/auth/token', { method: 'POST' }),
        ),
      );
      return all.filter((answer) => answer.status === 200).length;
    };
    const limited = { signInPerMinute: 4 };
    await backends.redis.restart();
    const two = [await startEdge(backends, limited), await startEdge(backends, limited)];
    await waitFor(async () => {
      const ready = await fetch(`${(two[1] as RunningEdge).internal}/health/ready`);
      return (await ready.text()).includes('"cache":"ok"');
    });
    expect(await counted(two)).toBe(4);
    await backends.redis.kill9();
    const alone = await startEdge(backends, limited);
    expect(await counted([alone])).toBe(4);
    await backends.redis.restart();
    await Promise.all([...two, alone].map((each) => each.stop()));
  });

  it('of a session and of strangers can be set', async () => {
    const own = await startEdge(backends, { RATE_LIMIT_SESSION_PER_MINUTE: '3', RATE_LIMIT_ANONYMOUS_PER_MINUTE: '2' });
    const [me, other] = [own.signIn(), own.signIn()];
    const statuses = async (headers: Record<string, string>, path = '/api/files') => {
      const out: number[] = [];
      for (let i = 0; i < 4; i++) out.push((await own.call(path, { headers })).status);
      return out;
    };
    expect(await statuses(me.bearer)).toEqual([200, 200, 200, 429]);
    expect(await statuses(other.bearer)).toEqual([200, 200, 200, 429]);
    expect(await statuses({}, '/api/auth/methods')).toEqual([200, 200, 429, 429]);
    await own.stop();
  });
});
