import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { WebSocket, WebSocketServer, type RawData } from 'ws';
import type { Conversations, Opening } from './session.ts';
import { closing, type Sink } from './sockets.ts';

const maxFrameBytes = 16 * 1024;

/** Plain WebSocket (RFC 6455): one JSON message per text frame. */
export const createPlain = (converse: Conversations) => {
  const server = new WebSocketServer({
    noServer: true,
    clientTracking: true,
    perMessageDeflate: false,
    maxPayload: maxFrameBytes,
  });
  const heard = new WeakSet<WebSocket>();

  const open = (ws: WebSocket, raw: Duplex, opening: Opening): void => {
    heard.add(ws);
    const sink: Sink = {
      // Nothing is compressed, so ws itself writes whole frames at once too, and ours never come between parts of one.
      send: ({ frame }) => ws.readyState === WebSocket.OPEN && void raw.write(frame()),
      buffered: () => raw.writableLength,
      close: ({ code, reason }) => ws.close(code, reason),
    };
    ws.on('error', () => ws.terminate());
    ws.on('pong', () => heard.add(ws));
    const talk = converse(sink, opening);
    ws.on('message', (data, binary) => {
      heard.add(ws);
      void talk.frame(binary ? undefined : parse(data));
    });
    ws.on('close', talk.end);
  };

  return {
    upgrade: (req: IncomingMessage, socket: Duplex, head: Buffer, opening: Opening): void =>
      server.handleUpgrade(req, socket, head, (ws) => open(ws, socket, opening)),
    /** Whoever has not been heard since the last beat is gone. */
    beat: (): void => {
      for (const ws of server.clients) {
        if (!heard.delete(ws)) ws.terminate();
        else ws.ping();
      }
    },
    /** Whoever is still connected is told to come back: also those who have not said who they are. */
    close: (): void => {
      for (const ws of server.clients) ws.close(closing.restarting.code, closing.restarting.reason);
      server.close();
    },
  };
};

const parse = (data: RawData): unknown => {
  try {
    return JSON.parse((data as Buffer).toString('utf8'));
  } catch {
    return undefined;
  }
};
