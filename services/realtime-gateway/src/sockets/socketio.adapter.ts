import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { Server, type Socket } from 'socket.io';
import { Server as Engine } from 'engine.io';
import type { Conversations, Opening } from './session.ts';
import type { Sink } from './sockets.ts';

type SocketIoDeps = {
  startConversation: Conversations;
  /** The caller of the handshake request; null when its assertion is missing or not valid. */
  openingOf: (req: IncomingMessage) => Opening | null;
  heartbeatMs: number;
};
const maxFrameBytes = 16 * 1024;
/** For a polling client to poll again when the server closes, 1.5 s; in turns, which a delayed process does not skip. */
const lastPoll = { turns: 150, turnMs: 10 };
/** Estimated size of a packet buffered in Engine.IO. */
const packetBytes = 300;

/**
 * socket.io on the same path. A message arrives as the event named by its type, with the whole envelope as argument;
 * `authenticate`, `resume` and `ping` are events of the client. A token may also come as `auth: { token, since }`.
 */
export function createSocketIo({ heartbeatMs, openingOf, startConversation }: SocketIoDeps) {
  const engine = new Engine({
    pingInterval: heartbeatMs,
    pingTimeout: heartbeatMs,
    maxHttpBufferSize: maxFrameBytes,
    // Messages are small and their compression costs more memory per socket than everything else.
    perMessageDeflate: false,
  });
  const io = new Server({ serveClient: false });
  io.bind(engine);

  io.on('connection', (socket) => {
    const opening = openingOf(socket.request) ?? { caller: null, since: undefined, knownAt: Date.now() };
    const auth = socket.handshake.auth as { token?: unknown; since?: unknown };
    const since = typeof auth.since === 'number' ? auth.since : opening.since;
    const conversation = startConversation(sinkOf(socket), { ...opening, since });
    if (typeof auth.token === 'string' && !conversation.authenticated())
      void conversation.frame({ type: 'authenticate', token: auth.token, ...(since === undefined ? {} : { since }) });
    socket.onAny((type: string, data?: unknown) => void conversation.frame({ ...(isObject(data) ? data : {}), type }));
    socket.on('disconnect', conversation.end);
  });

  let closing = false;
  return {
    upgrade: (req: IncomingMessage, socket: Duplex, head: Buffer): void => {
      // Engine.IO would open a socket here that stays open until the process exits.
      if (closing) socket.end('HTTP/1.1 503 Service Unavailable\r\nConnection: close\r\nContent-Length: 0\r\n\r\n');
      else engine.handleUpgrade(req, socket, head);
    },
    /** Polling, for clients that start with it. */
    request: (req: IncomingMessage, res: ServerResponse): void => {
      if (closing && !/[?&]sid=/.test(req.url ?? '')) res.writeHead(503).end();
      else engine.handleRequest(req, res);
    },
    /** Ends when every client has the reason, or has not asked for it in time: a polling client receives it with its next poll. */
    close: async (): Promise<void> => {
      closing = true;
      for (let turn = 0; engine.clientsCount > 0 && turn < lastPoll.turns; turn += 1) await sleep(lastPoll.turnMs);
      engine.close();
      await io.close();
    },
  };
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

function sinkOf(socket: Socket): Sink {
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
      // Engine.IO writes the encoded frame to a WebSocket transport, and the text to a polling transport.
      conn.send(text, { compress: false, wsPreEncodedFrame: [frame] } as Parameters<typeof conn.send>[1]);
    },
    buffered: () => {
      const raw = (conn.transport as { socket?: { bufferedAmount?: number } }).socket?.bufferedAmount ?? 0;
      return raw + packets * packetBytes;
    },
    close: ({ code, reason }) => {
      // socket.io has no close codes: the reason is sent as an event before the disconnect.
      socket.emit('closing', { code, reason });
      setTimeout(() => socket.disconnect(true), 50);
    },
  };
}
