import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { PushMessage } from '@overtone/contracts';

/** The part of WebSocket that pushes text frames to open pages (RFC 6455). */
export const createMockSocket = (userId: string) => {
  const open = new Set<Duplex>();
  let seq = 0;
  const write = (socket: Duplex, message: PushMessage): void => {
    const body = Buffer.from(JSON.stringify(message));
    const head =
      body.length < 126
        ? Buffer.from([0x81, body.length])
        : Buffer.from([0x81, 126, body.length >> 8, body.length & 255]);
    socket.write(Buffer.concat([head, body]));
  };
  return {
    nextSeq: () => (seq += 1),
    push: (message: PushMessage): void => {
      for (const socket of open) write(socket, message);
    },
    accept: (request: IncomingMessage, socket: Duplex): void => {
      const key = `${request.headers['sec-websocket-key'] ?? ''}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`;
      const accept = createHash('sha1').update(key).digest('base64');
      socket.write(
        `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\n\r\n`,
      );
      open.add(socket);
      socket.on('close', () => open.delete(socket));
      socket.on('error', () => open.delete(socket));
      socket.resume();
      write(socket, { type: 'connection_established', data: { user_id: userId, seq, resumed: false } });
    },
  };
};
