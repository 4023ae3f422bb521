import type { IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import type { Duplex } from 'node:stream';

type Tunnel = {
  req: IncomingMessage;
  socket: Duplex;
  head: Buffer;
  to: URL;
  headers: readonly string[];
  /** Is told with which status the socket was let in or refused. */
  answered: (status: number) => void;
};
const connectMs = 5_000;

/** The answer to an upgrade that is not made. */
export const refuseUpgrade = (socket: Duplex, status: string): void => {
  socket.end(`HTTP/1.1 ${status}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n`);
};

/** Joins a client's WebSocket to the push channel, byte for byte; either end going takes the other with it. */
export const tunnel = ({ req, socket, head, to, headers, answered }: Tunnel): void => {
  const upstream = connect({ host: to.hostname, port: Number(to.port), noDelay: true });
  const timer = setTimeout(() => upstream.destroy(new Error('timeout')), connectMs);
  let open = false;
  upstream.once('connect', () => {
    clearTimeout(timer);
    open = true;
    const lines = [`${req.method ?? 'GET'} ${req.url ?? '/'} HTTP/1.1`, `host: ${to.host}`];
    for (let i = 0; i < headers.length; i += 2) lines.push(`${headers[i] ?? ''}: ${headers[i + 1] ?? ''}`);
    lines.push('connection: Upgrade', 'upgrade: websocket', '', '');
    upstream.write(lines.join('\r\n'));
    if (head.length > 0) upstream.write(head);
    upstream.once('data', (first: Buffer) => answered(Number(first.toString('latin1', 9, 12))));
    upstream.pipe(socket).pipe(upstream);
  });
  const close = () => {
    clearTimeout(timer);
    upstream.destroy();
    socket.destroy();
  };
  upstream.on('error', () => {
    if (open || !socket.writable) return close();
    answered(503);
    refuseUpgrade(socket, '503 Service Unavailable');
  });
  upstream.on('close', () => {
    if (open) close();
  });
  socket.on('error', close);
  socket.on('close', close);
};
