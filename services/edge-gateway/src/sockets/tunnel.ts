import type { IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import type { Duplex } from 'node:stream';
import type { HealthProbe } from '@overtone/service-kit';
import { refusals } from '../refusals/refusals.ts';
import { createFrameEnds, restartFrame } from './socket-frames.ts';

type Tunnel = {
  req: IncomingMessage;
  socket: Duplex;
  head: Buffer;
  to: URL;
  headers: readonly string[];
  /** Ends the handshake when the push channel is unresponsive. */
  healthProbe: Pick<HealthProbe, 'track'>;
  /** Receives the status of the service's answer. */
  answered: (status: number) => void;
  /** Answers in place of a service that takes no connection. */
  refuse: (thrown: unknown) => void;
};
const connectMs = 5_000;

/** How long a client may take to disconnect after the close frame. */
const goodbyeMs = 1_000;
/** How long it may take to read what the service said before it went: why it went, mostly. */
const lastWordsMs = 10_000;

/**
 * Joins a client's WebSocket to the push channel, byte for byte; either end going takes the other with it.
 * @returns a function that ends it: sends the client a close frame (service restart) at a frame boundary.
 */
export function tunnel({ req, socket, head, to, headers, healthProbe, answered, refuse }: Tunnel): () => void {
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
    upstream.on('data', ends.push);
    upstream.once('data', (first: Buffer) => {
      responded?.(true);
      answered(Number(first.toString('latin1', 9, 12)));
    });
    upstream.pipe(socket).pipe(upstream);
  });
  const close = () => {
    clearTimeout(timer);
    upstream.destroy();
    socket.destroy();
  };
  const rejectUnresponsive = (): void => {
    open = false;
    upstream.unpipe(socket).destroy();
    if (socket.writable) refuse(refusals.serviceUnresponsive('realtime-gateway'));
  };
  const responded = healthProbe.track(rejectUnresponsive);
  if (!responded) rejectUnresponsive();
  upstream.on('close', () => responded?.(false));
  upstream.on('error', () => {
    if (open) return;
    if (!socket.writable) return close();
    refuse(refusals.pushUnavailable());
  });
  const onUpstreamClose = () => {
    if (!open) return;
    // Keep reading: unread input would make the kernel reset the connection and discard pending output.
    socket.unpipe(upstream).resume().end();
    setTimeout(close, lastWordsMs).unref();
  };
  upstream.on('close', onUpstreamClose);
  socket.on('error', close);
  socket.on('close', close);

  const end = () => {
    if (!ends.between()) return;
    upstream.off('data', end).unpipe(socket);
    // Read on, so that the client's own goodbye is seen.
    socket.unpipe(upstream).resume();
    upstream.off('close', onUpstreamClose).destroy();
    socket.end(restartFrame);
  };
  return () => {
    if (!open) return close();
    // Within a frame or the handshake: after the bytes that complete it.
    upstream.on('data', end);
    end();
    setTimeout(close, goodbyeMs).unref();
  };
}
