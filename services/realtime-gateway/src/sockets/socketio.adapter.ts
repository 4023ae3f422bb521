import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { Server, type Socket } from 'socket.io';
import { Server as Engine } from 'engine.io';
import type { Conversations, Opening } from './session.ts';
import type { Sink } from './sockets.ts';

type SocketIoDeps = {
  converse: Conversations;
  /** What the request behind a handshake says of its caller; null: it did not come through the edge. */
  openingOf: (req: IncomingMessage) => Opening | null;
  heartbeatMs: number;
};
const maxFrameBytes = 16 * 1024;
/** A packet that waits in Engine.IO, about. */
const packetBytes = 300;

/**
 * socket.io on the same path. A message arrives as the event named by its type, with the whole envelope as argument;
 * `authenticate`, `resume` and `ping` are events of the client. A token may also come as `auth: { token, since }`.
 */
export const createSocketIo = (d: SocketIoDeps) => {
  const engine = new Engine({
    pingInterval: d.heartbeatMs,
    pingTimeout: d.heartbeatMs,
    maxHttpBufferSize: maxFrameBytes,
    // Messages are small and their compression costs more memory per socket than everything else.
    perMessageDeflate: false,
  });
  const io = new Server({ serveClient: false });
  io.bind(engine);

  io.on('connection', (socket) => {
    const opening = d.openingOf(socket.request) ?? { caller: null, since: undefined, knownAt: Date.now() };
    const given = socket.handshake.auth as { token?: unknown; since?: unknown };
    const since = typeof given.since === 'number' ? given.since : opening.since;
    const talk = d.converse(sinkOf(socket), { ...opening, since });
    if (typeof given.token === 'string' && !talk.authenticated())
      void talk.frame({ type: 'authenticate', token: given.token, ...(since === undefined ? {} : { since }) });
    socket.onAny((type: string, data?: unknown) => void talk.frame({ ...(isObject(data) ? data : {}), type }));
    socket.on('disconnect', talk.end);
  });

  return {
    upgrade: (req: IncomingMessage, socket: Duplex, head: Buffer): void => engine.handleUpgrade(req, socket, head),
    /** Polling, for clients that begin with it. */
    request: (req: IncomingMessage, res: ServerResponse): void => engine.handleRequest(req, res),
    close: (): void => {
      engine.close();
      void io.close();
    },
  };
};

const isObject = (v: unknown): v is object => typeof v === 'object' && v !== null;

const sinkOf = (socket: Socket): Sink => {
  const { conn } = socket;
  let packets = 0;
  conn.on('packetCreate', () => {
    packets += 1;
  });
  conn.on('drain', () => {
    packets = 0;
  });
  return {
    send: ({ packet }) => {
      if (!socket.connected) return;
      const { text, frame } = packet();
      // Engine.IO writes the ready frame where the transport is a WebSocket, and the text where it is polling.
      conn.send(text, { compress: false, wsPreEncodedFrame: [frame] } as Parameters<typeof conn.send>[1]);
    },
    buffered: () => {
      const raw = (conn.transport as { socket?: { bufferedAmount?: number } }).socket?.bufferedAmount ?? 0;
      return raw + packets * packetBytes;
    },
    close: ({ code, reason }) => {
      // socket.io has no close codes of its own: the word comes first, then the end.
      socket.emit('closing', { code, reason });
      setTimeout(() => socket.disconnect(true), 50);
    },
  };
};
