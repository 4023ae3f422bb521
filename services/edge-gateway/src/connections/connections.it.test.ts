import { connect, type Socket } from 'node:net';
import { describe, expect, it } from '@jest/globals';
import { waitFor } from '@overtone/testkit';
import { open, raw, startBackends, startEdge, type RunningEdge } from '../../test/running-edge.ts';

const backends = await startBackends();

async function withEdge(env: Record<string, string>, work: (edge: RunningEdge) => Promise<void>): Promise<void> {
  const edge = await startEdge(backends, env);
  try {
    await work(edge);
  } finally {
    await edge.stop();
  }
}

function openSocket(port: number, text = ''): Promise<Socket> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(text, () => resolve(socket)));
    socket.on('error', () => {}).resume();
  });
}

const upgrade = 'GET /api/ws HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n';
/** What stands in a trusted proxy's request for its client. */
function from(ip: string) {
  return `X-Forwarded-For: ${ip}\r\n`;
}

describe('connections of one client', () => {
  it('are limited: the one that has been without a request for the longest time is closed for a new one', async () => {
    await withEdge({ MAX_CONNECTIONS_PER_ADDRESS: '5' }, async (edge) => {
      const sockets: Socket[] = [];
      for (let i = 0; i < 8; i++) sockets.push(await openSocket(edge.port, 'GET /api/version HTTP/1.1\r\nX-Slow: '));
      await waitFor(() => sockets.slice(0, 3).every((socket) => socket.destroyed || socket.readableEnded));
      expect(sockets.slice(3).every((socket) => !socket.destroyed)).toBe(true);
      // A request of the same client is served beside them.
      expect(await raw(edge.port, 'GET /api/version HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')).toMatch(
        / 200 /,
      );
      for (const socket of sockets) socket.destroy();
    });
  });

  it('that all serve requests are not closed: a new one is refused, and closed shortly after', async () => {
    await withEdge({ MAX_CONNECTIONS_PER_ADDRESS: '3' }, async (edge) => {
      let closed = 0;
      edge.handlers.media.current = (_req, res) => void res.on('close', () => (closed += 1));
      const { bearer } = edge.signIn();
      const busy = Array.from({ length: 3 }, () => open(edge.port, '/api/files', bearer, 'GET'));
      for (const { req } of busy) req.end();
      await waitFor(() => edge.media.seen.length === 3);
      const answer = await raw(edge.port, 'GET /api/version HTTP/1.1\r\nHost: x\r\n\r\n');
      expect(answer).toMatch(/^HTTP\/1\.1 429 /);
      expect(answer).toContain('"code":"rate_limited"');
      expect(closed).toBe(0);
      for (const { req } of busy) req.destroy();
    });
  });

  it('behind a trusted proxy are its requests at one time, counted per client and not for the proxy', async () => {
    const env = { MAX_CONNECTIONS_PER_ADDRESS: '2', TRUSTED_PROXIES: '127.0.0.0/8' };
    await withEdge(env, async (edge) => {
      edge.handlers.media.current = () => {};
      const { bearer } = edge.signIn();
      const busy = Array.from({ length: 2 }, () =>
        open(edge.port, '/api/files', { ...bearer, 'x-forwarded-for': '203.0.113.7' }, 'GET'),
      );
      for (const { req } of busy) req.end();
      await waitFor(() => edge.media.seen.length === 2);
      const statusOf = async (ip: string) =>
        (await edge.call('/api/version', { headers: { 'x-forwarded-for': ip } })).status;
      expect([await statusOf('203.0.113.7'), await statusOf('203.0.113.8')]).toEqual([429, 200]);
      for (const { req } of busy) req.destroy();
      await waitFor(async () => (await statusOf('203.0.113.7')) === 200);
    });
  });
});

describe('sockets of one client that have not authenticated', () => {
  it('are limited per address of the client, and counted until they close', async () => {
    const env = { MAX_UNAUTHENTICATED_SOCKETS_PER_ADDRESS: '2', TRUSTED_PROXIES: '127.0.0.0/8' };
    await withEdge(env, async (edge) => {
      edge.media.server.on('upgrade', (_req, socket) =>
        socket
          .on('error', () => {})
          .on('end', () => socket.destroy())
          .resume()
          .write('HTTP/1.1 101 Switching Protocols\r\n\r\n'),
      );
      const statusOf = async (headers: string) =>
        Number((await raw(edge.port, `${upgrade}${headers}\r\n`, /\r\n\r\n/)).slice(9, 12));
      const kept = [0, 1].map(() => openSocket(edge.port, `${upgrade}${from('203.0.113.7')}\r\n`));
      const sockets = await Promise.all(kept);
      await waitFor(async () => (await statusOf(from('203.0.113.7'))) === 429);
      expect(await statusOf(from('203.0.113.8'))).toBe(101);
      // One with a session is not among them.
      expect(await statusOf(`${from('203.0.113.7')}Authorization: Bearer ${edge.signIn().token}\r\n`)).toBe(101);
      for (const socket of sockets) socket.destroy();
      await waitFor(async () => (await statusOf(from('203.0.113.7'))) === 101);
    });
  });
});

describe('a connection after its last answer', () => {
  it.each([
    ['a malformed head', 'no HTTP\r\n\r\n'],
    ['an upgrade that is refused', upgrade.replace('/api/ws', '/api/nope') + '\r\n'],
    ['a head that is too long', `GET / HTTP/1.1\r\nHost: x\r\nX: ${'x'.repeat(20_000)}`],
  ])('is destroyed shortly although the client keeps it (%s)', async (_what, text) => {
    await withEdge({}, async (edge) => {
      const socket = connect({ port: edge.port, host: '127.0.0.1', allowHalfOpen: true }, () => socket.write(text));
      let answer = '';
      socket.on('data', (chunk) => (answer += chunk.toString())).on('error', () => {});
      await waitFor(() => answer.includes('"code"'));
      // The client keeps sending without end: the edge resets the connection.
      const sending = setInterval(() => socket.write('x'), 20);
      await waitFor(() => socket.destroyed);
      clearInterval(sending);
      expect(answer).toContain('application/problem+json');
    });
  });
});
