import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';
import { createServer as createTcpServer, type AddressInfo } from 'node:net';
import { Duplex } from 'node:stream';
import { describe, expect, it } from '@jest/globals';
import { assertionHeader } from '@overtone/service-kit';
import { waitFor } from '@overtone/testkit';
import { cleanUpAfterFile } from '@overtone/testkit/cleanup';
import { setUpEdge, open, startEdge } from '../../test/running-edge.ts';
import { restartFrame } from './socket-frames.ts';
import { tunnel } from './tunnel.ts';

const upgrades: IncomingMessage[] = [];
const sockets: Duplex[] = [];
const realtime = createServer((req, res) => {
  res.setHeader('content-type', 'application/json');
  res.end(JSON.stringify({ polled: req.url }));
});
// Answers the handshake and gives every byte back.
realtime.on('upgrade', (req, socket: Duplex, head: Buffer) => {
  upgrades.push(req);
  sockets.push(socket);
  socket.on('error', () => {});
  const accept = createHash('sha1').update(`${req.headers['sec-websocket-key']}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`);
  socket.write('HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n');
  socket.write(`Sec-WebSocket-Accept: ${accept.digest('base64')}\r\n\r\n`);
  if (head.length > 0) socket.write(head);
  socket.pipe(socket);
});

await new Promise<void>((resolve) => realtime.listen(0, '127.0.0.1', resolve));
cleanUpAfterFile(() => {
  for (const socket of sockets) socket.destroy();
  realtime.closeAllConnections();
  realtime.close();
});
const realtimeUrl = `http://127.0.0.1:${(realtime.address() as AddressInfo).port}`;
const { backends, edge } = await setUpEdge({ REALTIME_GATEWAY_URL: realtimeUrl });

function upgrade(path: string, headers: Record<string, string> = {}) {
  return new Promise<{ status: number; socket?: Duplex }>((resolve) => {
    const { req } = open(edge.port, path, { connection: 'Upgrade', upgrade: 'websocket', ...headers }, 'GET');
    req.on('upgrade', (res, socket) => resolve({ status: res.statusCode ?? 0, socket }));
    req.on('response', (res) => resolve({ status: res.statusCode ?? 0 }));
    req.end();
  });
}

function callerOfLast() {
  return edge.verify('realtime-gateway')(upgrades.at(-1)?.headers[assertionHeader] as string);
}

describe('a socket to the push channel', () => {
  it('carries bytes both ways, and ends with either end', async () => {
    const { status, socket } = await upgrade('/api/ws?EIO=4&transport=websocket');
    expect(status).toBe(101);
    let back = '';
    socket?.on('data', (chunk: Buffer) => (back += chunk.toString()));
    socket?.write('hello');
    await waitFor(() => back === 'hello');
    expect(upgrades.at(-1)?.url).toBe('/api/ws?EIO=4&transport=websocket');
    const upstream = sockets.at(-1);
    socket?.destroy();
    await waitFor(() => upstream?.destroyed === true);

    const second = await upgrade('/api/ws/');
    sockets.at(-1)?.destroy();
    second.socket?.resume();
    await waitFor(() => second.socket?.destroyed === true);
  });

  it('brings what the service said last to a client that is slow', async () => {
    const parts = ['HTTP/1.1 101 Switching Protocols\r\n\r\n', 'a fact', 'the last word'];
    const service = createTcpServer((socket) => {
      socket.on('error', () => {}).resume();
      const say = ([part, ...rest]: readonly string[]): void => {
        if (part === undefined) socket.destroy();
        else socket.write(part, () => setTimeout(() => say(rest), 20));
      };
      say(parts);
    });
    await new Promise<void>((resolve) => service.listen(0, '127.0.0.1', resolve));
    let came = '';
    // Reads a chunk only when neither side sends any more.
    const gone = new Promise<void>((resolve) =>
      service.once('connection', (socket) => socket.once('close', () => resolve())),
    );
    const client = new Duplex({
      read: () => {},
      write: (piece: Buffer, _encoding, done) =>
        void gone.then(() => {
          came += piece.toString();
          setTimeout(done, 20);
        }),
      final: (done) => {
        done();
        client.destroy();
      },
    });
    const to = new URL(`http://127.0.0.1:${(service.address() as AddressInfo).port}`);
    const req = { method: 'GET', url: '/api/ws' } as IncomingMessage;
    const healthProbe = { track: () => () => true };
    const reply = { answered: () => {}, refuse: () => {} };
    tunnel({ req, socket: client, head: Buffer.alloc(0), to, headers: [], healthProbe, ...reply });
    await waitFor(() => client.destroyed);
    service.close();
    expect(came).toBe(parts.join(''));
  });

  it('is refused when the push channel accepts connections and responds to nothing', async () => {
    const silent = createTcpServer((socket) => void socket.on('error', () => {}).resume());
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    const silentUrl = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`;
    const own = await startEdge(backends, { REALTIME_GATEWAY_URL: silentUrl });
    const { req, answer } = open(own.port, '/api/ws', { connection: 'Upgrade', upgrade: 'websocket' }, 'GET');
    req.end();
    const { status, text } = await answer;
    await own.stop();
    silent.close();
    expect([status, JSON.parse(text)]).toEqual([503, expect.objectContaining({ code: 'service_unresponsive' })]);
  });

  it('does not hold back an edge that stops', async () => {
    const realtimeUrl = `http://127.0.0.1:${(realtime.address() as AddressInfo).port}`;
    const own = await startEdge(backends, { REALTIME_GATEWAY_URL: realtimeUrl, SHUTDOWN_GRACE_MS: '3600000' });
    const { req } = open(own.port, '/api/ws', { connection: 'Upgrade', upgrade: 'websocket' }, 'GET');
    const opened = new Promise((resolve) => req.on('upgrade', (_res, socket) => resolve(socket.on('error', () => {}))));
    req.end();
    await opened;
    // One that waited for the socket would do so for an hour.
    await own.stop();
  });

  it('is closed with a service restart by an edge that stops', async () => {
    const realtimeUrl = `http://127.0.0.1:${(realtime.address() as AddressInfo).port}`;
    const own = await startEdge(backends, { REALTIME_GATEWAY_URL: realtimeUrl, SHUTDOWN_GRACE_MS: '20000' });
    const socket = new WebSocket(`ws://${own.host}/api/ws`);
    const closed = new Promise<number>((resolve) => socket.addEventListener('close', (event) => resolve(event.code)));
    await new Promise((resolve) => socket.addEventListener('open', resolve));
    // A whole frame of the service, so that the stream stands between two.
    sockets.at(-1)?.write(Buffer.from([0x81, 0x02, 0x68, 0x69]));
    await new Promise((resolve) => socket.addEventListener('message', resolve));
    await own.stop();
    expect(await closed).toBe(1012);
  });

  it('is closed with 1012 behind the frame that was being sent when the edge stopped', async () => {
    const [first, rest] = [Buffer.from([0x81, 0x05, 0x68]), Buffer.from('ello')];
    const service = createTcpServer();
    const connected = new Promise<Duplex>((resolve) => service.once('connection', resolve));
    await new Promise<void>((resolve) => service.listen(0, '127.0.0.1', resolve));
    const came: Buffer[] = [];
    const client = new Duplex({ read: () => {}, write: (piece: Buffer, _, done) => done(void came.push(piece)) });
    const received = () => Buffer.concat(came);
    const to = new URL(`http://127.0.0.1:${(service.address() as AddressInfo).port}`);
    const req = { method: 'GET', url: '/api/ws' } as IncomingMessage;
    const end = tunnel({
      req,
      socket: client,
      head: Buffer.alloc(0),
      to,
      headers: [],
      healthProbe: { track: () => () => true },
      answered: () => {},
      refuse: () => {},
    });
    const upstream = await connected;
    upstream.on('error', () => {}).resume();
    upstream.write('HTTP/1.1 101 Switching Protocols\r\n\r\n');
    upstream.write(first);
    await waitFor(() => received().includes(first));
    end();
    upstream.write(rest);
    await waitFor(() => client.writableFinished);
    expect(received().subarray(-11)).toEqual(Buffer.concat([first, rest, restartFrame]));
    client.destroy();
    upstream.destroy();
    service.close();
  });

  it('is refused when the edge stops before it knows the session', async () => {
    const own = await startEdge(backends, { SHUTDOWN_GRACE_MS: '20000' });
    let reply: (() => void) | undefined;
    own.handlers.identity.current = (_req, res) => {
      reply = () => res.setHeader('content-type', 'application/json').end('{"session":null}');
    };
    const headers = { connection: 'Upgrade', upgrade: 'websocket', authorization: 'Bearer x.y.z' };
    const { req, answer } = open(own.port, '/api/ws', headers, 'GET');
    req.end();
    await waitFor(() => reply !== undefined);
    const stopped = own.stop();
    await waitFor(() =>
      fetch(`http://${own.host}/`).then(
        () => false,
        () => true,
      ),
    );
    reply?.();
    expect((await answer).status).toBe(503);
    await stopped;
  });

  it('carries the caller by cookie or by token, and none when there is neither', async () => {
    const me = edge.signIn();
    for (const headers of [me.cookie, me.bearer]) {
      (await upgrade('/api/ws', headers)).socket?.destroy();
      expect(callerOfLast()).toMatchObject({ userId: me.session.userId });
      expect(JSON.stringify(upgrades.at(-1)?.headers)).not.toContain(me.token);
    }
    (await upgrade('/api/ws')).socket?.destroy();
    expect(callerOfLast()).toBeNull();
  });

  it('does not count the cookies of a page of another site', async () => {
    const me = edge.signIn();
    (await upgrade('/api/ws', { ...me.cookie, origin: 'https://evil.example.org' })).socket?.destroy();
    expect(callerOfLast()).toBeNull();
    (await upgrade('/api/ws', { ...me.cookie, origin: `http://${edge.host}` })).socket?.destroy();
    expect(callerOfLast()).toMatchObject({ userId: me.session.userId });
  });

  it('does not take the word of a client for who it is', async () => {
    (await upgrade('/api/ws', { 'x-overtone-assertion': 'forged' })).socket?.destroy();
    expect(callerOfLast()).toBeNull();
  });

  it('is opened at the push channel only', async () => {
    expect((await upgrade('/api/files')).status).toBe(404);
    expect((await upgrade('/')).status).toBe(404);
  });

  it('can be a series of plain requests too (socket.io polling)', async () => {
    const { json } = await edge.call('/api/ws/?EIO=4&transport=polling', { method: 'POST', body: 'x' });
    expect(json).toEqual({ polled: '/api/ws/?EIO=4&transport=polling' });
  });

  it('is refused with 503 when the push channel is down', async () => {
    const own = await startEdge(backends, { REALTIME_GATEWAY_URL: 'http://127.0.0.1:1' });
    const { req, answer } = open(own.port, '/api/ws', { connection: 'Upgrade', upgrade: 'websocket' }, 'GET');
    req.end();
    expect((await answer).status).toBe(503);
    await own.stop();
  });
});
