import type { IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import type { Duplex } from 'node:stream';
import { createFrameEnds, restartFrame } from './socket-frames.ts';

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

/** How long a client may take to go once it was told to come back. */
const goodbyeMs = 1_000;
/** How long it may take to read what the service said before it went: why it went, mostly. */
const lastWordsMs = 10_000;

/**
 * Joins a client's WebSocket to the push channel, byte for byte; either end going takes the other with it.
 * @returns how to end it from here: the client is told to come back, where a frame has just ended.
 */
export const tunnel = ({ req, socket, head, to, headers, answered }: Tunnel): (() => void) => {
  const ends = createFrameEnds();
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
    upstream.on('data', ends.heard);
    upstream.once('data', (first: Buffer) => answered(Number(first.toString('latin1', 9, 12))));
    upstream.pipe(socket).pipe(upstream);
  });
  const close = () => {
    clearTimeout(timer);
    upstream.destroy();
    socket.destroy();
  };
  upstream.on('error', () => {
    if (open) return;
    if (!socket.writable) return close();
    answered(503);
    refuseUpgrade(socket, '503 Service Unavailable');
  });
  const onUpstreamClose = () => {
    if (!open) return;
    // Read on: a client's word that nobody reads would make the system take back what is on its way to the client.
    socket.unpipe(upstream).resume().end();
    setTimeout(close, lastWordsMs).unref();
  };
  upstream.on('close', onUpstreamClose);
  socket.on('error', close);
  socket.on('close', close);

  return () => {
    if (!open || !ends.between()) return close();
    upstream.unpipe(socket);
    // Read on, so that the client's own goodbye is seen.
    socket.unpipe(upstream).resume();
    upstream.off('close', onUpstreamClose).destroy();
    socket.end(restartFrame);
    setTimeout(close, goodbyeMs).unref();
  };
};
