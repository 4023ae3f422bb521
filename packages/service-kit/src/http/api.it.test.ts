import { Agent, createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { routesOf } from '@overtone/contracts';
import { z } from 'zod';
import type { Caller } from '../assertion.ts';
import { currentFlow, type Flow } from '../context.ts';
import { conflict, unauthenticated } from '../errors.ts';
import { createLog } from '../log.ts';
import { createMetrics, type Metrics } from '../metrics.ts';
import { createAccessLog } from './access-log.ts';
import { createApi } from './api.ts';
import { handle } from './route.ts';

const route = routesOf('media');
const named = route('PUT', '/api/things/{uuid}', 'user', {
  summary: 'A thing',
  body: z.object({ name: z.string().min(1) }),
  answer: z.object({ id: z.string(), name: z.string() }),
});
const adminOnly = route('GET', '/api/secrets', 'admin', {
  summary: 'Secrets',
  answer: z.object({}),
});
const unread = route('POST', '/api/raw', 'user', {
  summary: 's',
  bodyKind: 'raw',
  answer: z.object({}),
});
const bodiless = route('POST', '/api/start', 'user', { summary: 'Start', answer: z.object({}) });
const failing = route('GET', '/api/broken', 'public', {
  summary: 'Broken',
  answer: z.object({}),
});
const taken = route('GET', '/api/taken', 'public', { summary: 'Taken', answer: z.object({}) });
const declared = route('GET', '/api/declared', 'public', {
  summary: 'Declared',
  errors: ['duplicate_file'],
});
const found = route('GET', '/api/found', 'public', {
  summary: 'Found',
  query: z.object({ q: z.string() }),
  answer: z.object({ q: z.string() }),
});
const form = route('PUT', '/api/form', 'public', {
  summary: 'Form',
  bodyKind: 'form',
  body: z.object({ name: z.string() }),
});

const user: Caller = {
  userId: 'a3e1f2f4-6f0c-4d3c-9d3b-8f3f5ad1c111',
  sessionId: 'b3e1f2f4-6f0c-4d3c-9d3b-8f3f5ad1c222',
  role: 'user',
  tokenExpiresAt: 0,
};
const id = 'c3e1f2f4-6f0c-4d3c-9d3b-8f3f5ad1c333';
const lines: string[] = [];
type Logged = { msg?: unknown; route?: string; code?: string };
const logged: Logged[] = [];
let server: Server;
let base: string;
let metrics: Metrics;
/** The flow of the last request to `found`, and whether a client waited during it. */
let flow: Flow | undefined;
let wasAwaited: boolean | undefined;

beforeEach(async () => {
  metrics = createMetrics();
  const log = createLog('media', { LOG_LEVEL: 'fatal', LOG_FORMAT: 'json' });
  log.error = (fields: unknown, msg?: unknown) => void logged.push({ ...(fields as Logged), msg });
  lines.length = 0;
  logged.length = 0;
  const access = createAccessLog(log, 'json', (line) => void lines.push(line));
  const routes = [
    handle(named, async ({ params, body }) => ({ id: params.uuid, name: body.name })),
    handle(adminOnly, async () => ({})),
    handle(unread, async () => ({})),
    handle(bodiless, async () => ({})),
    handle(failing, async () => {
      throw new Error('password is hunter2');
    }),
    handle(taken, async () => {
      throw conflict('duplicate_file', 'You have it already', { extra: { duplicate_file_uuid: id } });
    }),
    handle(declared, async () => {
      throw conflict('duplicate_file', 'You have it already');
    }),
    handle(found, async ({ query }) => {
      flow = currentFlow();
      wasAwaited = flow?.isAwaited;
      return { q: query.q };
    }),
    handle(form, async () => undefined),
  ];
  const whoIs = (assertion: string | undefined) => {
    if (assertion === undefined) throw unauthenticated('invalid_assertion', 'no');
    return assertion === 'user' ? user : null;
  };
  server = createServer(createApi({ routes, log, metrics, access, whoIs }));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterEach(() => void server.close());

async function call(method: string, path: string, options: { body?: string; as?: string; type?: string } = {}) {
  const res = await fetch(`${base}${path}`, {
    method,
    headers: { 'x-overtone-assertion': options.as ?? 'user', 'content-type': options.type ?? 'application/json' },
    ...(options.body ? { body: options.body } : {}),
  });
  return { status: res.status, headers: res.headers, body: (await res.json()) as Record<string, unknown> };
}

describe('API listener', () => {
  it('parses, handles and encodes', async () => {
    const response = await call('PUT', `/api/things/${id}`, { body: '{"name":"x"}' });
    expect([response.status, response.body]).toEqual([200, { id, name: 'x' }]);
  });

  it.each([undefined, '{}', ' { } '])('accepts the body %j where none is expected', async (body) => {
    const response = await call('POST', '/api/start', body === undefined ? {} : { body });
    expect([response.status, response.body]).toEqual([200, {}]);
  });

  it.each([
    ['a malformed id', 'PUT', '/api/things/7', '{"name":"x"}', 400, 'invalid_request'],
    ['a body that does not fit', 'PUT', `/api/things/${id}`, '{"name":""}', 422, 'invalid_body'],
    ['no body where one is needed', 'PUT', `/api/things/${id}`, '', 422, 'invalid_body'],
    ['a body where none is expected', 'POST', '/api/start', '{"name":"x"}', 422, 'invalid_body'],
    ['a list where no body is expected', 'POST', '/api/start', '[]', 422, 'invalid_body'],
    ['malformed JSON', 'PUT', `/api/things/${id}`, '{"name"', 400, 'malformed_json'],
    ['a path that is not valid', 'PUT', '/api/things/%E0%A4%A', '{}', 400, 'invalid_request'],
    ['an unknown path', 'PUT', '/api/nothing', '{}', 404, 'not_found'],
    ['half of a surrogate pair in a value', 'PUT', `/api/things/${id}`, '{"name":"\\ud800"}', 422, 'invalid_body'],
    ['half of a surrogate pair in a name', 'PUT', `/api/things/${id}`, '{"name":"x","\\udfff":1}', 422, 'invalid_body'],
    ['a deep ill-formed string', 'PUT', `/api/things/${id}`, '{"name":"x","a":[{"b":"\\ud800"}]}', 422, 'invalid_body'],
    ['a NUL', 'PUT', `/api/things/${id}`, '{"name":"x\\u0000"}', 422, 'invalid_body'],
    ['a surrogate half in the query', 'GET', '/api/found?q=%ED%A0%80', '', 400, 'invalid_request'],
    ['a query that is not UTF-8', 'GET', '/api/found?q=%ff', '', 400, 'invalid_request'],
    ['a NUL in the query', 'GET', '/api/found?q=a%00', '', 400, 'invalid_request'],
    ['a NUL in a name of the query', 'GET', '/api/found?%00=a', '', 400, 'invalid_request'],
  ])('answers %s with a problem and a code', async (_what, method, path, body, status, code) => {
    const response = await call(method, path, { body });
    expect([response.status, response.body['code'], response.body['status']]).toEqual([status, code, status]);
    expect(response.headers.get('content-type')).toContain('application/problem+json');
    expect(response.body['request_id']).toBe(response.headers.get('x-request-id'));
  });

  it('refuses a header that is longer than it has a reason to be', async () => {
    const response = await call('GET', '/api/broken', { type: `a/${'b'.repeat(1100)}` });
    expect([response.status, response.body['code']]).toEqual([431, 'header_too_large']);
    expect((await call('GET', '/api/taken', { as: 'user'.padEnd(4000, ' x') })).status).not.toBe(431);
  });

  it('answers before it has read a large body, and takes the next request on the same connection', async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const ask = (body: string) =>
      new Promise<number>((resolve, reject) => {
        const headers = { 'x-overtone-assertion': 'user', 'content-length': body.length };
        const req = request(`${base}/api/raw`, { method: 'POST', agent, headers }, (res) => {
          res.resume().on('end', () => resolve(res.statusCode ?? 0));
        });
        req.on('error', reject).end(body);
      });
    expect(await ask('x'.repeat(3_000_000))).toBe(200);
    expect(await ask('x')).toBe(200);
    agent.destroy();
  });

  it.each([
    ['JSON', 'application/json', Buffer.from([...Buffer.from('{"name":"'), 0xff, ...Buffer.from('"}')])],
    ['JSON with an encoded surrogate', 'application/json', Buffer.from('{"name":"\xED\xA0\x80"}', 'latin1')],
    ['a form', 'application/x-www-form-urlencoded', Buffer.from('name=%ED%A0%80')],
    ['a form with raw octets', 'application/x-www-form-urlencoded', Buffer.from('name=\xff', 'latin1')],
  ])('refuses %s that is not UTF-8', async (_what, type, body) => {
    const path = type.includes('json') ? `/api/things/${id}` : '/api/form';
    const res = await fetch(`${base}${path}`, {
      method: 'PUT',
      headers: { 'x-overtone-assertion': 'user', 'content-type': type },
      body,
    });
    expect([res.status, ((await res.json()) as { code: string }).code]).toEqual([400, 'invalid_request']);
  });

  it('takes well-formed text of all planes unchanged', async () => {
    const name = '𝄞 é 漢 \uFFFD 100% a+b';
    const response = await call('PUT', `/api/things/${id}`, { body: JSON.stringify({ name }) });
    expect(response.body['name']).toBe(name);
    const found = await call('GET', `/api/found?q=${encodeURIComponent(name)}&q2=100%`);
    expect(found.body['q']).toBe(name);
  });

  it('marks a request as awaited until its response has ended, not what continues after it', async () => {
    await call('GET', '/api/found?q=x');
    expect(wasAwaited).toBe(true);
    while (flow?.isAwaited === true) await sleep(5);
  });

  it('answers a conditional request in full, because its answers have no validators', async () => {
    const headers = { 'x-overtone-assertion': 'user', 'if-none-match': '*' };
    expect((await fetch(`${base}/api/found?q=x`, { headers })).status).toBe(200);
  });

  it('ignores the body of a request that only reads', async () => {
    const status = await new Promise((resolve) => {
      const headers = { 'x-overtone-assertion': 'user', 'content-type': 'application/json', 'content-length': 4 };
      request(`${base}/api/found?q=x`, { headers }, (res) => resolve(res.resume().statusCode)).end('{"a:');
    });
    expect(status).toBe(200);
  });

  it('reports an error code that the route does not declare', async () => {
    await call('GET', '/api/taken');
    await call('GET', '/api/declared');
    expect(logged.filter(({ msg }) => msg === 'undeclared error code').map((line) => [line.route, line.code])).toEqual([
      ['/api/taken', 'duplicate_file'],
    ]);
  });

  it('refuses another content type', async () => {
    const response = await call('PUT', `/api/things/${id}`, { body: 'name=x', type: 'text/plain' });
    expect([response.status, response.body['code']]).toEqual([400, 'unsupported_media_type']);
  });

  it('refuses a request that did not come through the gateway', async () => {
    const res = await fetch(`${base}/api/broken`);
    expect(res.status).toBe(401);
    expect(logged).toEqual([]);
  });

  it('needs a session, and the role that the route asks for', async () => {
    expect((await call('GET', '/api/secrets', { as: 'nobody' })).status).toBe(401);
    expect((await call('GET', '/api/secrets')).body['code']).toBe('role_required');
  });

  it('says nothing of an unexpected failure but its request id', async () => {
    const response = await call('GET', '/api/broken');
    expect([response.status, response.body['code']]).toEqual([500, 'internal_error']);
    expect(JSON.stringify(response.body)).not.toContain('hunter2');
  });

  it('adds the extra members of a problem', async () => {
    expect((await call('GET', '/api/taken')).body['duplicate_file_uuid']).toBe(id);
  });

  it('writes the access log with the specified fields, time, level and service', async () => {
    await call('PUT', `/api/things/${id}`, { body: '{"name":"x"}' });
    const line = JSON.parse(lines[0] ?? '{}') as Record<string, unknown>;
    const fields = [
      'level',
      'time',
      'service',
      'user_id',
      'org_id',
      'request_id',
      'route',
      'method',
      'status',
      'duration_ms',
      'db_query_count',
      'client_ip',
    ];
    expect(Object.keys(line).sort()).toEqual(fields.sort());
    expect([line['route'], line['user_id'], line['org_id']]).toEqual(['/api/things/{uuid}', user.userId, null]);
  });

  it('records a HEAD request with its own method in access log and metrics', async () => {
    await fetch(`${base}/api/found?q=x`, { method: 'HEAD', headers: { 'x-overtone-assertion': 'user' } });
    expect(JSON.parse(lines[0] ?? '{}')).toMatchObject({ method: 'HEAD', route: '/api/found', status: 200 });
    const text = await metrics.registry.metrics();
    expect(text).toContain('http_requests_total{method="HEAD",route="/api/found",status="200"} 1');
    expect(text).toContain('db_queries_per_request_count{method="HEAD",route="/api/found"} 1');
  });

  it('labels metrics with the route template, never with the path', async () => {
    await call('PUT', `/api/things/${id}`, { body: '{"name":"x"}' });
    await call('GET', '/api/does-not-exist');
    const text = await metrics.registry.metrics();
    expect(text).toContain('http_requests_total{method="PUT",route="/api/things/{uuid}",status="200"} 1');
    expect(text).toContain('http_request_duration_seconds_bucket{le="600"');
    expect(text).not.toContain(id);
    expect(text).not.toContain('does-not-exist');
  });
});
