import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { afterEach, describe, expect, it } from '@jest/globals';
import { identityEvents, routes, type EventDef } from '@overtone/contracts';
import { waitFor } from '@overtone/testkit';
import { stopAfterFile } from '@overtone/testkit/cleanup';
import { listen, open, raw, setUpEdge, startEdge } from '../../test/running-edge.ts';

const { backends, edge } = await setUpEdge({ signInPerMinute: 1_000 });
const ownIdentity = edge.handlers.identity.current;
afterEach(() => {
  edge.handlers.media.current = undefined;
  edge.handlers.identity.current = ownIdentity;
});

function lastSeen() {
  return edge.media.seen.at(-1);
}

/** The rule says a second, and it is measured elsewhere. This is much less than the time for which a session is cached. */
const soonMs = 10_000;

/** Repeats a scenario that took longer, because a busy machine can be the reason. It returns when its wait began. */
async function waitUntilSoon(scenario: () => Promise<number>): Promise<void> {
  await waitFor(async () => {
    const started = await scenario();
    return performance.now() - started < soonMs;
  });
}

describe('a service behind the edge', () => {
  it('receives the caller in an assertion addressed to it alone', async () => {
    const { bearer, session } = edge.signIn('admin');
    await edge.call('/api/files', { headers: bearer });
    const seen = lastSeen();
    expect(seen && edge.callerOf(seen)).toMatchObject({
      userId: session.userId,
      sessionId: session.sessionId,
      role: 'admin',
      tokenExpiresAt: session.expiresAt,
    });
    expect(() => edge.verify('search-indexer')(String(seen?.headers['x-overtone-assertion']))).toThrow();
  });

  it('sees neither cookies nor tokens', async () => {
    const me = edge.signIn();
    await edge.call('/api/files', { headers: { ...me.cookie, ...me.bearer } });
    const text = JSON.stringify(lastSeen()?.headers);
    expect(text).not.toContain(me.token);
    expect(text).not.toContain(me.csrf);
  });

  it('sees one assertion, the edge’s, whatever the client sends in whatever spelling', async () => {
    const { token, session } = edge.signIn();
    const forged = [
      'X-Overtone-Assertion: forged',
      'x-overtone-ASSERTION: forged',
      'X_Overtone_Assertion: forged',
      'X-Forwarded-User: root',
      'X-Forwarded-For: 1.2.3.4',
      'X-Forwarded-Proto: https',
      'X-Forwarded-Host: evil.example.org',
      'Connection: x-overtone-assertion, x-request-id, close',
    ].join('\r\n');
    const request = `GET /api/files HTTP/1.1\r\nHost: ${edge.host}\r\nAuthorization: Bearer ${token}\r\n${forged}\r\n\r\n`;
    expect(await raw(edge.port, request)).toContain('200 OK');
    const seen = lastSeen();
    expect(seen?.raw.filter((header) => header.toLowerCase() === 'x-overtone-assertion')).toHaveLength(1);
    expect(seen && edge.callerOf(seen)).toMatchObject({ userId: session.userId });
    expect(seen?.headers).toMatchObject({
      'x-forwarded-for': '127.0.0.1',
      'x-forwarded-proto': 'http',
      'x-forwarded-host': edge.host,
    });
    expect(JSON.stringify(seen?.raw)).not.toMatch(/forged|evil|root|1\.2\.3\.4/);
  });

  it('gets the trace and the request id of the browser when they are sane, fresh ones when not', async () => {
    const { bearer } = edge.signIn();
    const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
    const good = await edge.call('/api/files', { headers: { ...bearer, traceparent, 'x-request-id': 'req-1' } });
    expect(good.headers.get('x-request-id')).toBe('req-1');
    expect(lastSeen()?.headers).toMatchObject({ traceparent, 'x-request-id': 'req-1' });
    await edge.call('/api/files', { headers: { ...bearer, traceparent: 'x', 'x-request-id': 'a b\u00ff' } });
    expect(lastSeen()?.headers['traceparent']).toMatch(/^00-[0-9a-f]{32}-[0-9a-f]{16}-01$/);
    expect(lastSeen()?.headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/);
  });

  it('receives the arrival time of the request, if it is identity', async () => {
    const { bearer } = edge.signIn();
    const sent = Date.now();
    await edge.call('/api/users/me', { headers: { ...bearer, 'x-overtone-received': '1' } });
    const received = Number(edge.identity.seen.at(-1)?.headers['x-overtone-received']);
    expect([received >= sent, received <= Date.now()]).toEqual([true, true]);
  });

  it('cannot set cookies unless it is identity', async () => {
    const { bearer } = edge.signIn();
    edge.handlers.media.current = (_req, res) => res.setHeader('set-cookie', 'a=1').end('{}');
    expect((await edge.call('/api/files', { headers: bearer })).headers.getSetCookie()).toEqual([]);
  });

  it('receives and sets the cookie of a public link on the routes of public links, and no other cookie', async () => {
    const { cookie } = edge.signIn();
    const link = '/api/public/links/0d7c34a1-9a51-4a3c-93a5-6f5b6f0f1b5c';
    edge.handlers.media.current = (_req, res) => res.setHeader('set-cookie', 'public_link=new').end('{}');
    const headers = { cookie: `${cookie.cookie}; public_link=1.ab; other=1; public_link=2.cd` };
    const answer = await edge.call(link, { headers });
    expect(lastSeen()?.headers['cookie']).toBe('public_link=1.ab; public_link=2.cd');
    expect(answer.headers.getSetCookie()).toEqual(['public_link=new']);
    const foreign = { ...headers, 'sec-fetch-site': 'cross-site' };
    expect((await edge.call(link, { headers: foreign })).json).toMatchObject({ code: 'cross_site_request' });
    await edge.call('/api/files', { headers });
    expect(lastSeen()?.headers['cookie']).toBeUndefined();
  });
});

describe('who may call', () => {
  it('follows the catalogue for every route and role', async () => {
    const callers = [null, edge.signIn('user'), edge.signIn('admin'), edge.signIn('super_admin')] as const;
    const id = '0d7c34a1-9a51-4a3c-93a5-6f5b6f0f1b5c';
    const wrong: string[] = [];
    for (const def of routes.filter((route) => route.service !== 'edge-gateway')) {
      const need = { public: 0, user: 1, admin: 2, super_admin: 3 }[def.access];
      for (const [i, caller] of callers.entries()) {
        const path = def.path.replaceAll(/\{\w+\}/g, id);
        const { status } = await edge.call(path, { method: def.method, headers: caller?.bearer ?? {} });
        const expected = i >= need ? 200 : caller ? 403 : 401;
        if (status !== expected)
          wrong.push(`${def.method} ${def.path} as ${caller?.session.role ?? 'nobody'}: ${status}`);
      }
    }
    expect(wrong).toEqual([]);
  });

  it('prefers the bearer token to the cookie, even a bad one', async () => {
    const [first, second] = [edge.signIn(), edge.signIn()];
    await edge.call('/api/files', { headers: { ...first.bearer, ...second.cookie } });
    const seen = lastSeen();
    expect(seen && edge.callerOf(seen)?.userId).toBe(first.session.userId);
    const bad = await edge.call('/api/files', { headers: { authorization: 'Bearer nonsense', ...second.cookie } });
    expect(bad.status).toBe(401);
    expect(bad.json).toMatchObject({ code: 'not_authenticated' });
    expect(bad.headers.get('www-authenticate')).toBe('Bearer');
  });

  it.each(['', 'Bearer', 'Bearer  ', 'Basic YTpi', `Bearer ${'x'.repeat(5000)}`, 'Bearer a.b.c'])(
    'does not include a caller with the Authorization header %j',
    async (authorization) => {
      expect((await edge.call('/api/files', { headers: { authorization } })).status).toBe(401);
    },
  );

  it('asks cookie callers for the CSRF header on changes, the refresh too, and lets bearer callers be', async () => {
    const me = edge.signIn();
    const change = (headers: Record<string, string>, path = '/api/tags') =>
      edge.call(path, { method: 'POST', headers }).then((response) => response.json['code'] ?? response.status);
    expect(await change(me.cookie)).toBe('csrf_failed');
    expect(await change({ ...me.cookie, 'x-csrf-token': 'wrong' })).toBe('csrf_failed');
    expect(await change({ ...me.cookie, 'x-csrf-token': me.csrf })).toBe(200);
    expect(await change({ ...me.cookie, 'x-csrf-token': me.csrf, origin: 'https://evil.example.org' })).toBe(
      'csrf_failed',
    );
    expect(await change({ ...me.cookie, 'x-csrf-token': me.csrf, origin: `http://${edge.host}` })).toBe(200);
    for (const origin of ['null', 'nonsense', `http://${edge.host}.evil.example.org`, 'http://127.0.0.1:1'])
      expect(await change({ ...me.cookie, 'x-csrf-token': me.csrf, origin })).toBe('csrf_failed');
    const other = edge.signIn().csrf;
    const planted = { cookie: `access_token=${me.token}; csrf_token=${other}`, 'x-csrf-token': other };
    expect(await change(planted)).toBe('csrf_failed');
    expect(await change(me.bearer)).toBe(200);
    const refresh = { cookie: `refresh_token=r; csrf_token=${me.csrf}` };
    expect(await change(refresh, '/api/auth/token/refresh')).toBe('csrf_failed');
    expect(await change({ ...refresh, ...me.bearer }, '/api/auth/token/refresh')).toBe('csrf_failed');
    expect(await change({ ...refresh, 'x-csrf-token': me.csrf }, '/api/auth/token/refresh')).toBe(200);
    expect(edge.identity.seen.at(-1)?.headers.cookie).toBe(refresh.cookie);
    expect(await change(me.cookie, '/api/auth/token')).toBe(200);
  });

  describe.each(routes.filter((route) => route.setsCookies))(
    '$method $path, which sets cookies',
    ({ method, path }) => {
      const call = async (headers: Record<string, string>) => {
        const me = edge.signIn();
        const before = edge.identity.seen.length;
        const target = path.replaceAll(/\{\w+\}/g, randomUUID());
        const answer = await edge.call(target, { method, headers: { ...me.bearer, ...headers } });
        return { result: answer.json['code'] ?? answer.status, forwarded: edge.identity.seen.length > before };
      };

      it.each([
        { origin: 'https://evil.example.org' },
        { origin: 'null' },
        { origin: 'nonsense' },
        { origin: 'http://127.0.0.1:1' },
        { 'sec-fetch-site': 'cross-site' },
        { 'sec-fetch-site': 'same-site' },
        { 'sec-fetch-site': 'nonsense' },
        { origin: 'https://evil.example.org', 'sec-fetch-site': 'same-origin' },
        { origin: 'same', 'sec-fetch-site': 'cross-site' },
      ] as Record<string, string>[])('refuses a cross-site request with %j', async (headers) => {
        const own = headers['origin'] === 'same' ? { origin: `http://${edge.host}` } : {};
        expect(await call({ ...headers, ...own })).toEqual({ result: 'cross_site_request', forwarded: false });
      });

      it.each([
        {},
        { origin: 'same' },
        { origin: 'same', 'sec-fetch-site': 'same-origin' },
        { 'sec-fetch-site': 'none' },
      ])('forwards a request with %j', async (headers: Record<string, string>) => {
        const own = headers['origin'] === 'same' ? { origin: `http://${edge.host}` } : {};
        expect((await call({ ...headers, ...own })).forwarded).toBe(true);
      });
    },
  );

  it.each([
    ['overtone.example.org', 'https://overtone.example.org', 'forwarded'],
    ['overtone.example.org', 'https://overtone.example.org:8443', 'forwarded'],
    ['overtone.example.org', 'https://evil.example.org', 'cross_site_request'],
  ])('takes a sign-in behind a proxy that says the host is %s from the origin %s: %s', async (host, origin, result) => {
    const request = [
      'POST /api/auth/token HTTP/1.1',
      `Host: ${host}`,
      `Origin: ${origin}`,
      'Content-Length: 0',
      'Connection: close',
    ].join('\r\n');
    const answer = await raw(edge.port, `${request}\r\n\r\n`);
    expect(answer).toContain(result === 'forwarded' ? ' 200 OK' : result);
  });

  it.each([
    ['overtone.example.org', 'https://overtone.example.org', 200],
    ['overtone.example.org:443', 'https://overtone.example.org', 200],
    ['overtone.example.org', 'https://overtone.example.org:8443', 200],
    ['overtone.example.org:8443', 'https://overtone.example.org', 'csrf_failed'],
    ['overtone.example.org', 'https://evil.example.org', 'csrf_failed'],
  ])(
    'takes a cookie caller behind a proxy that says the host is %s from the origin %s: %s',
    async (host, origin, result) => {
      const me = edge.signIn();
      const request = [
        'POST /api/tags HTTP/1.1',
        `Host: ${host}`,
        `Cookie: ${me.cookie.cookie}`,
        `X-CSRF-Token: ${me.csrf}`,
        `Origin: ${origin}`,
        'Content-Length: 0',
        'Connection: close',
      ].join('\r\n');
      const answer = await raw(edge.port, `${request}\r\n\r\n`);
      expect(answer).toContain(result === 200 ? ' 200 OK' : String(result));
    },
  );

  it('names the state of an account that may not do more', async () => {
    const { bearer } = edge.signIn('user', { refusal: 'account_pending_approval' });
    const { status, json } = await edge.call('/api/files', { headers: bearer });
    expect([status, json['code']]).toEqual([403, 'account_pending_approval']);
    expect((await edge.call('/api/users/me', { headers: bearer })).status).toBe(200);
  });
});

describe('an account that changed', () => {
  it('is resolved again: an approved account continues with the same token', async () => {
    const me = edge.signIn('user', { refusal: 'account_pending_approval' });
    expect((await edge.call('/api/files', { headers: me.bearer })).status).toBe(403);
    edge.known.set(me.token, { ...me.session, refusal: null });
    expect((await edge.call('/api/files', { headers: me.bearer })).status).toBe(403);
    const data = { userId: me.session.userId, role: 'user', active: true };
    backends.bus.publish(identityEvents.userUpdated.subject, JSON.stringify(data));
    await waitFor(async () => (await edge.call('/api/files', { headers: me.bearer })).status === 200);
  });
});

describe('an ended session', () => {
  it.each([false, true])('is dead at the edge within a second (all of the user: %s)', async (all) => {
    await waitUntilSoon(async () => {
      const me = edge.signIn();
      expect((await edge.call('/api/files', { headers: me.bearer })).status).toBe(200);
      const started = performance.now();
      me.revoke(all);
      await waitFor(async () => (await edge.call('/api/files', { headers: me.bearer })).status === 401);
      return started;
    });
  });

  const file = '/api/files/0d7c34a1-9a51-4a3c-93a5-6f5b6f0f1b5c/content';
  /** A download that runs until it is aborted. */
  const download = async (bearer: Record<string, string>) => {
    const { req, answer } = open(edge.port, file, bearer, 'GET');
    let bytes = 0;
    const begun = new Promise<void>((resolve) =>
      req.on('response', (res) => res.on('data', (chunk: string) => ((bytes += chunk.length), resolve()))),
    );
    req.end();
    await begun;
    let over = false;
    void answer.then(() => (over = true));
    return { req, bytes: () => bytes, isOver: () => over };
  };
  const stream = (res: ServerResponse) => {
    const timer = setInterval(() => res.write('x'.repeat(1000)), 20);
    res.on('close', () => clearInterval(timer));
  };

  it.each([false, true])('ends a running download within a second (all of the user: %s)', async (all) => {
    let cut = 0;
    edge.handlers.media.current = (_req, res) => (stream(res), res.on('close', () => (cut += 1)));
    const theirs = await download(edge.signIn().bearer);
    await waitUntilSoon(async () => {
      cut = 0;
      const me = edge.signIn();
      const mine = await download(me.bearer);
      const started = performance.now();
      me.revoke(all);
      await waitFor(() => mine.isOver() && cut === 1);
      return started;
    });
    const before = theirs.bytes();
    await waitFor(() => theirs.bytes() > before);
    expect(theirs.isOver()).toBe(false);
    theirs.req.destroy();
    await waitFor(() => cut === 2);
  });

  it('ends its pending requests as unauthenticated', async () => {
    const waiting: ServerResponse[] = [];
    edge.handlers.media.current = (_req, res) => void waiting.push(res);
    const me = edge.signIn();
    const asked = edge.call('/api/files', { headers: me.bearer });
    await waitFor(() => waiting.length > 0);
    me.revoke();
    const { status, json } = await asked;
    expect([status, json['code']]).toEqual([401, 'not_authenticated']);
  });

  it('leaves a session alone that began after the others of its user had ended', async () => {
    edge.handlers.media.current = (_req, res) => stream(res);
    const old = edge.signIn();
    const fresh = edge.signIn('user', { userId: old.session.userId });
    const running = await download(fresh.bearer);
    old.revoke(true);
    await waitFor(async () => (await edge.call('/api/files', { headers: old.bearer })).status === 401);
    const before = running.bytes();
    await waitFor(() => running.bytes() > before + 5_000);
    expect(running.isOver()).toBe(false);
    running.req.destroy();
  });

  it('lets the answer through that ended it', async () => {
    const me = edge.signIn();
    edge.handlers.identity.current = (req, res, body) => {
      if (req.url !== '/api/auth/logout') return ownIdentity?.(req, res, body);
      me.revoke();
      setTimeout(() => res.setHeader('content-type', 'application/json').end('{"message":"Signed out"}'), 400);
    };
    const { status } = await edge.call('/api/auth/logout', { method: 'POST', headers: me.bearer });
    expect(status).toBe(200);
  });

  it('causes no identity request for other sessions', async () => {
    // Repeated with other sessions when a busy machine made the edge drop its cache in between.
    await waitFor(async () => {
      const [me, other] = [edge.signIn(), edge.signIn()];
      await edge.call('/api/files', { headers: me.bearer });
      await edge.call('/api/files', { headers: other.bearer });
      other.revoke();
      await waitFor(async () => (await edge.call('/api/files', { headers: other.bearer })).status === 401);
      await edge.call('/api/files', { headers: me.bearer });
      return edge.asked.filter((token) => token === me.token).length === 1;
    });
  });
});

describe.each(['{"category":7}', 'not JSON'])('an event with the payload %s', (payload) => {
  /** How often the session of a caller is resolved when such an event arrives between two requests. */
  const countLookups = async ({ subject }: EventDef): Promise<number> => {
    const [me, other] = [edge.signIn(), edge.signIn()];
    await edge.call('/api/files', { headers: me.bearer });
    await edge.call('/api/files', { headers: other.bearer });
    backends.bus.publish(subject, payload);
    // Events arrive in order: when this one was handled, so was the one before.
    other.revoke();
    const isRevoked = async () => (await edge.call('/api/files', { headers: other.bearer })).status === 401;
    await waitFor(isRevoked);
    await edge.call('/api/files', { headers: me.bearer });
    return edge.asked.filter((token) => token === me.token).length;
  };

  it('is dropped when settings changed: no session is resolved again', async () => {
    // Repeated when a busy machine made the edge drop its cache in between.
    await waitFor(async () => (await countLookups(identityEvents.settingsChanged)) === 1);
  });

  it('has every session resolved again when a session ended or an account changed, because it may be any', async () => {
    expect(await countLookups(identityEvents.sessionRevoked)).toBe(2);
    expect(await countLookups(identityEvents.userUpdated)).toBe(2);
  });
});

describe('without the message broker', () => {
  it('asks identity for every request, so that an ended session is still dead within a second', async () => {
    const me = edge.signIn();
    expect((await edge.call('/api/files', { headers: me.bearer })).status).toBe(200);
    await backends.nats.kill9();
    try {
      me.forget();
      await waitFor(async () => (await edge.call('/api/files', { headers: me.bearer })).status === 401);
      const another = edge.signIn();
      for (let i = 0; i < 3; i++) await edge.call('/api/files', { headers: another.bearer });
      // The check of running requests may add one.
      expect(edge.asked.filter((token) => token === another.token).length).toBeGreaterThanOrEqual(3);
    } finally {
      await backends.nats.restart();
    }
    const after = edge.signIn();
    await waitFor(async () => {
      const before = edge.asked.length;
      await edge.call('/api/files', { headers: after.bearer });
      return edge.asked.length === before;
    });
  });

  it('also checks running requests and ends them', async () => {
    let cut = false;
    edge.handlers.media.current = (_req, res) => {
      res.write('x');
      res.on('close', () => (cut = true));
    };
    const me = edge.signIn();
    const { req } = open(edge.port, '/api/files/0d7c34a1-9a51-4a3c-93a5-6f5b6f0f1b5c/content', me.bearer, 'GET');
    req.end();
    await new Promise((resolve) => req.on('response', (res) => (res.resume(), resolve(undefined))));
    process.kill(backends.nats.pid(), 'SIGSTOP');
    try {
      me.forget();
      await waitFor(() => cut);
    } finally {
      process.kill(backends.nats.pid(), 'SIGCONT');
    }
  });

  it('ends running requests as unknown, not as signed out, when identity does not respond either', async () => {
    const waiting: ServerResponse[] = [];
    edge.handlers.media.current = (_req, res) => void waiting.push(res);
    const asked = edge.call('/api/files', { headers: edge.signIn().bearer });
    await waitFor(() => waiting.length > 0);
    edge.handlers.identity.current = () => {};
    process.kill(backends.nats.pid(), 'SIGSTOP');
    try {
      const { status, json } = await asked;
      expect([status, json['code'], json['detail']]).toEqual([
        503,
        'service_unavailable',
        'Sessions cannot be checked at the moment',
      ]);
    } finally {
      process.kill(backends.nats.pid(), 'SIGCONT');
    }
  });

  it('does the same when the broker only stops answering', async () => {
    await waitUntilSoon(async () => {
      const me = edge.signIn();
      expect((await edge.call('/api/files', { headers: me.bearer })).status).toBe(200);
      process.kill(backends.nats.pid(), 'SIGSTOP');
      try {
        me.forget();
        const started = performance.now();
        await waitFor(async () => (await edge.call('/api/files', { headers: me.bearer })).status === 401);
        return started;
      } finally {
        process.kill(backends.nats.pid(), 'SIGCONT');
      }
    });
  });
});

describe('without identity', () => {
  it('reports that sessions cannot be checked, not that the user is signed out', async () => {
    const { bearer } = edge.signIn();
    edge.handlers.identity.current = (_req, res) => res.writeHead(500).end();
    const { status, json, headers } = await edge.call('/api/files', { headers: bearer });
    expect([status, json['code']]).toEqual([503, 'service_unavailable']);
    expect(headers.get('retry-after')).toMatch(/^\d+$/);
  });

  it('waits with a request while identity is started again', async () => {
    const own = await stopAfterFile(startEdge(backends, { UPSTREAM_WAIT_MS: '600000' }));
    const { bearer } = own.signIn();
    const { server, url } = own.identity;
    await new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
    const answered = own.call('/api/files', { headers: bearer });
    const metrics = async () => (await fetch(`${own.internal}/metrics`)).text();
    await waitFor(async () => /http_requests_in_flight\S* 1$/m.test(await metrics()));
    await listen(server, Number(new URL(url).port));
    const { status } = await answered;
    expect(status).toBe(200);
  });
});
