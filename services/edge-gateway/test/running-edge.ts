import { randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, request, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { connect as connectTcp } from 'node:net';
import { identityEvents, type ResolvedSession, type Role } from '@overtone/contracts';
import { assertionHeader, createAssertionVerifier, createForwardedVerifier } from '@overtone/service-kit';
import { assertionKeys, freePort, startNats, startRedis } from '@overtone/testkit';
import { cleanUpAfterFile, stopAfterFile } from '@overtone/testkit/cleanup';
import { scriptedHeader } from '@overtone/testkit/answers';
import { connect } from 'nats';
import { z } from 'zod';
import { createEdgeGateway } from '../src/edge-gateway.ts';
import { edgeEnv } from '../src/env.ts';
import type { ResponseLimits } from '../src/upstreams/upstreams.ts';

const keys = assertionKeys();

export type Handler = (req: IncomingMessage, res: ServerResponse, body: Buffer) => void;
export type Seen = { method: string; url: string; headers: IncomingMessage['headers']; raw: string[]; body: Buffer };

/** A service behind the edge that remembers what it was asked. */
async function startService(handler: { current: Handler | undefined }) {
  const seen: Seen[] = [];
  // As much as the services take.
  const server = createServer({ maxHeaderSize: 96 * 1024 }, (req, res) => {
    res.setHeader(scriptedHeader, 'yes');
    const chunks: Buffer[] = [];
    req.on('data', (chunk: Buffer) => chunks.push(chunk));
    req.on('error', () => {});
    req.on('end', () => {
      const body = Buffer.concat(chunks);
      seen.push({ method: req.method ?? '', url: req.url ?? '', headers: req.headers, raw: req.rawHeaders, body });
      const handle =
        handler.current ??
        ((_req, response) => response.setHeader('content-type', 'application/json').end('{"ok":true}'));
      handle(req, res, body);
    });
  });
  // Reserved, so that a test may close it and listen again.
  const port = await freePort();
  await listen(server, port);
  return { server, seen, url: `http://127.0.0.1:${port}` };
}

/** @throws when the port is taken. */
export async function listen(server: Server, port: number): Promise<void> {
  await once(server.listen(port, '127.0.0.1'), 'listening');
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}

export async function startBackends() {
  const [nats, redis] = await Promise.all([startNats(), startRedis()]);
  const bus = await connect({ servers: nats.url, maxReconnectAttempts: -1 });
  cleanUpAfterFile(async () => {
    await bus.close();
    await Promise.all([nats.stop(), redis.stop()]);
  });
  return { nats, redis, bus };
}

export type Backends = Awaited<ReturnType<typeof startBackends>>;

export type Response = { status: number; headers: Headers; text: string; json: Record<string, unknown> };

type EdgeOptions = { signInPerMinute?: number | null } & Record<string, string | number | null>;

/** The edge between a client and services that we play. */
export async function startEdge(
  backends: Backends,
  { signInPerMinute = 10, ...overrides }: EdgeOptions = {},
  responseLimits?: ResponseLimits,
) {
  const known = new Map<string, ResolvedSession>();
  const handlers = {
    media: { current: undefined as Handler | undefined },
    identity: { current: undefined as Handler | undefined },
  };
  const asked: string[] = [];
  const settings = { signInPerMinute };
  const identity = await startService(handlers.identity);
  const media = await startService(handlers.media);
  handlers.identity.current = (req, res, body) => {
    res.setHeader('content-type', 'application/json');
    if (req.url === '/internal/edge-settings') {
      res.end(JSON.stringify(settings));
      return;
    }
    if (req.url !== '/internal/sessions/resolve') {
      res.end('{"from":"identity"}');
      return;
    }
    const { accessToken } = JSON.parse(body.toString()) as { accessToken: string };
    asked.push(accessToken);
    res.end(JSON.stringify({ session: known.get(accessToken) ?? null }));
  };
  const env = z.object(edgeEnv).parse({
    API_PORT: 0,
    INTERNAL_PORT: 0,
    LOG_LEVEL: 'fatal',
    SHUTDOWN_GRACE_MS: 200,
    // What tests switch off stays off; the tests of the wait itself set another.
    UPSTREAM_WAIT_MS: 0,
    NATS_URL: backends.nats.url,
    REDIS_URL: backends.redis.url,
    ASSERTION_PRIVATE_KEY: keys.privateKey,
    IDENTITY_URL: identity.url,
    MEDIA_URL: media.url,
    TRANSCRIPTION_DISPATCHER_URL: media.url,
    SEARCH_INDEXER_URL: media.url,
    OPERATIONS_URL: media.url,
    INSIGHTS_URL: media.url,
    REALTIME_GATEWAY_URL: media.url,
    DIRECTORY_SYNC_URL: media.url,
    ...overrides,
  });
  const service = createEdgeGateway(env, responseLimits);
  const ports = await service.start();
  const host = `127.0.0.1:${ports.apiPort}`;

  const call = async (path: string, init: RequestInit & { duplex?: 'half' } = {}): Promise<Response> => {
    const response = await fetch(`http://${host}${path}`, { redirect: 'manual', ...init });
    const text = await response.text();
    const isJson = (response.headers.get('content-type') ?? '').includes('json');
    return {
      status: response.status,
      headers: response.headers,
      text,
      json: isJson && text ? (JSON.parse(text) as Response['json']) : {},
    };
  };
  const signIn = (role: Role = 'user', change: Partial<ResolvedSession> = {}) => {
    const token = `token-${randomUUID()}`;
    const session: ResolvedSession = {
      userId: randomUUID(),
      sessionId: randomUUID(),
      role,
      refusal: null,
      expiresAt: Date.now() + 600_000,
      csrfToken: randomBytes(32).toString('hex'),
      ...change,
    };
    known.set(token, session);
    const csrf = session.csrfToken ?? '';
    return {
      token,
      session,
      csrf,
      bearer: { authorization: `Bearer ${token}` },
      cookie: { cookie: `access_token=${token}; refresh_token=r; csrf_token=${csrf}` },
      /** Ends the session as identity does: it no longer resolves, and the event is published. */
      revoke: (all = false) => {
        known.delete(token);
        const sessionId = all ? null : session.sessionId;
        const data = { userId: session.userId, sessionId, reason: 'test' };
        backends.bus.publish(identityEvents.sessionRevoked.subject, JSON.stringify(data));
      },
      forget: () => known.delete(token),
    };
  };
  const verify = (audience: 'media' | 'identity' | 'realtime-gateway' | 'search-indexer') =>
    createAssertionVerifier(keys.publicKey, audience);

  return {
    host,
    port: ports.apiPort,
    internal: `http://127.0.0.1:${ports.internalPort}`,
    call,
    signIn,
    known,
    asked,
    /** What identity answers when it is asked for settings; `tell` is its event. */
    settings,
    tellSettings: () =>
      backends.bus.publish(identityEvents.settingsChanged.subject, '{"category":"lockout","keys":[]}'),
    media,
    identity,
    handlers,
    verify,
    /** Reads what the edge says of the request's head, as identity would. */
    forwardedOf: createForwardedVerifier(keys.publicKey),
    callerOf: (seen: Seen, audience: 'media' | 'identity' = 'media') =>
      verify(audience)(seen.headers[assertionHeader] as string),
    stop: async () => {
      await service.stop();
      await Promise.all([close(identity.server), close(media.server)]);
    },
  };
}

/** The edge and its servers until the end of the file. */
export async function setUpEdge(options: EdgeOptions = {}) {
  const backends = await startBackends();
  return { backends, edge: await stopAfterFile(startEdge(backends, options)) };
}

export type RunningEdge = Awaited<ReturnType<typeof startEdge>>;

/**
 * Sends bytes as they are; gives what comes back until the other end closes or the answer matches `until`. The limit is
 * no measurement, only the timeout for an edge that does neither.
 */
export function raw(port: number, text: string, until?: RegExp): Promise<string> {
  return new Promise((resolve) => {
    let answer = '';
    const socket = connectTcp({ port, host: '127.0.0.1' }, () => socket.write(text));
    const end = () => {
      clearTimeout(timer);
      socket.destroy();
      resolve(answer);
    };
    const timer = setTimeout(end, 120_000);
    socket.on('data', (chunk) => {
      answer += chunk.toString('latin1');
      if (until?.test(answer)) end();
    });
    socket.on('close', end);
    socket.on('error', end);
  });
}

/** A request whose body the caller writes itself. */
export function open(port: number, path: string, headers: Record<string, string | number>, method = 'POST') {
  const req = request({ port, host: '127.0.0.1', path, method, headers });
  req.on('error', () => {});
  const answer = new Promise<{ status: number; text: string }>((resolve) => {
    req.on('response', (res) => {
      let text = '';
      res.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
      res.on('close', () => resolve({ status: res.statusCode ?? 0, text }));
      res.on('error', () => {});
    });
    req.on('close', () => setTimeout(() => resolve({ status: 0, text: '' }), 2_000).unref());
  });
  return { req, answer };
}
