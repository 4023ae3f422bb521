import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { WebSocket, WebSocketServer, type RawData } from 'ws';
import type { Conversations, Opening } from './session.ts';
import { closing, type Sink } from './sockets.ts';

const maxFrameBytes = 16 * 1024;

/** Plain WebSocket (RFC 6455): one JSON message per text frame. */
export function createPlain(startConversation: Conversations) {
  const server = new WebSocketServer({
    noServer: true,
    clientTracking: true,
    perMessageDeflate: false,
    maxPayload: maxFrameBytes,
  });
  const alive = new WeakSet<WebSocket>();

  const open = (ws: WebSocket, raw: Duplex, opening: Opening): void => {
    alive.add(ws);
    const sink: Sink = {
      // Without compression ws writes each frame as a whole, so frames written here never split one of its frames.
      send: ({ frame }) => ws.readyState === WebSocket.OPEN && void raw.write(frame()),
      buffered: () => raw.writableLength,
      close: ({ code, reason }) => ws.close(code, reason),
    };
    ws.on('error', () => ws.terminate());
    ws.on('pong', () => alive.add(ws));
    const conversation = startConversation(sink, opening);
    ws.on('message', (data, binary) => {
      alive.add(ws);
      void conversation.frame(binary ? undefined : parse(data));
    });
    ws.on('close', conversation.end);
  };

  return {
    upgrade: (req: IncomingMessage, socket: Duplex, head: Buffer, opening: Opening): void =>
      server.handleUpgrade(req, socket, head, (ws) => open(ws, socket, opening)),
    /** Closes sockets that sent nothing since the last heartbeat, and pings the others. */
    sendHeartbeat: (): void => {
      for (const ws of server.clients) {
        if (!alive.delete(ws)) ws.terminate();
        else ws.ping();
      }
    },
    /** Closes all sockets, including unauthenticated ones, with a code that makes clients reconnect. */
    close: (): void => {
      for (const ws of server.clients) ws.close(closing.restarting.code, closing.restarting.reason);
      server.close();
    },
  };
}

function parse(data: RawData): unknown {
  try {
    return JSON.parse((data as Buffer).toString('utf8'));
  } catch {
    return undefined;
  }
}
