import { randomBytes, timingSafeEqual } from 'node:crypto';
import { createServer, request as sendRequest, type IncomingMessage, type ServerResponse } from 'node:http';
import { connect as openSocket, type AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { isAppError } from '@overtone/service-kit';
import type { OutboundGuard } from '@overtone/service-kit/outbound';

const connectTimeoutMs = 10_000;
const idleMs = 120_000;
/** Headers for the proxy itself (RFC 9110, 7.6.1). */
const hopByHop = new Set([
  'proxy-authorization',
  'proxy-connection',
  'connection',
  'keep-alive',
  'te',
  'upgrade',
  'trailer',
]);

/**
 * A proxy on the loopback address for one child process, which applies the guard to every connection. It asks for a password,
 * because other programs of this machine could use it otherwise.
 */
export async function startOutboundProxy(guard: OutboundGuard) {
  const password = randomBytes(24).toString('hex');
  const expected = Buffer.from(`Basic ${Buffer.from(`overtone:${password}`).toString('base64')}`);
  let refusal: Error | undefined;
  const sockets = new Set<Duplex>();
  const mayUse = ({ headers }: IncomingMessage): boolean => {
    const given = Buffer.from(headers['proxy-authorization'] ?? '');
    return given.length === expected.length && timingSafeEqual(given, expected);
  };
  const check = async (url: string) => {
    try {
      const target = guard.checkUrl(url);
      return { target, ...(await guard.checkedAddress(target.hostname)) };
    } catch (error) {
      if (isAppError(error) && error.code === 'url_refused') refusal = error;
      throw error;
    }
  };

  const server = createServer((req, res) => {
    if (!mayUse(req)) {
      res.writeHead(407, { 'proxy-authenticate': 'Basic' }).end();
      return;
    }
    void forward(req, res, check).catch(() => {
      if (!res.headersSent) res.writeHead(403);
      res.end();
    });
  });
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  server.on('connect', (req, client: Duplex, head: Buffer) => {
    client.on('error', () => client.destroy());
    if (!mayUse(req)) {
      client.end('HTTP/1.1 407 Proxy Authentication Required\r\nProxy-Authenticate: Basic\r\n\r\n');
      return;
    }
    // The port decides nothing else: TLS is inside the tunnel.
    check(`https://${req.url ?? ''}`).then(
      ({ target, address }) => tunnel({ client, head, address, port: Number(target.port || 443), sockets }),
      () => client.end('HTTP/1.1 403 Forbidden\r\n\r\n'),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://overtone:${password}@127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** The first address that was refused. */
    refused: () => refusal,
    close: async (): Promise<void> => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

type Tunnel = { client: Duplex; head: Buffer; address: string; port: number; sockets: Set<Duplex> };

function tunnel({ client, head, address, port, sockets }: Tunnel): void {
  const upstream = openSocket({ host: address, port, timeout: connectTimeoutMs });
  sockets.add(upstream);
  const end = (): void => {
    sockets.delete(upstream);
    upstream.destroy();
    client.destroy();
  };
  upstream.on('error', end).on('timeout', end).on('close', end);
  client.on('close', end);
  upstream.once('connect', () => {
    upstream.setTimeout(idleMs);
    client.write('HTTP/1.1 200 Connection Established\r\n\r\n');
    if (head.length > 0) upstream.write(head);
    upstream.pipe(client);
    client.pipe(upstream);
  });
}

type Checked = { target: URL; address: string };

/** Plain HTTP: the request line contains the whole URL. */
async function forward(
  req: IncomingMessage,
  res: ServerResponse,
  check: (url: string) => Promise<Checked>,
): Promise<void> {
  const { target, address } = await check(req.url ?? '');
  if (target.protocol !== 'http:') throw new Error('not a plain HTTP request');
  const headers = Object.fromEntries(Object.entries(req.headers).filter(([name]) => !hopByHop.has(name)));
  const upstream = sendRequest({
    host: address,
    port: target.port || 80,
    method: req.method,
    path: `${target.pathname}${target.search}`,
    headers: { ...headers, host: target.host },
    timeout: idleMs,
  });
  upstream.on('timeout', () => upstream.destroy(new Error('timeout')));
  upstream.on('error', () => {
    if (!res.headersSent) res.writeHead(502);
    res.destroy();
  });
  upstream.on('response', (response) => {
    res.writeHead(response.statusCode ?? 502, response.headers);
    response.on('error', () => res.destroy());
    response.pipe(res);
  });
  res.on('close', () => upstream.destroy());
  req.pipe(upstream);
}
