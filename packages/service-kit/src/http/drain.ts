import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { Server as Listener } from 'node:net';

/** Longer than the edge keeps a connection that it does not use: it is the edge that closes, never we under a request. */
const keepIdleMs = 30_000;
/** The same while stopping, when connections may be delayed only briefly; the edge's second has passed by then. */
const partWithIdleMs = 1_500;
const lookMs = 50;

export type Drain = {
  /** From now on every answer is the last on its connection. */
  begin: () => void;
  /** Takes no more connections; resolves when those there are have ended by themselves or were idle for long enough. */
  close: () => Promise<void>;
};

/** A listener that stops without losing a request that is on its way to it. */
export function createDrain(server: Server, idleMs = partWithIdleMs): Drain {
  let draining = false;
  server.keepAliveTimeout = Math.max(server.keepAliveTimeout, keepIdleMs);
  const sayLast = (_req: IncomingMessage, res: ServerResponse): void => {
    if (draining) res.shouldKeepAlive = false;
  };
  server.prependListener('request', sayLast);
  // A listener for it would replace the response that Node sends by default.
  if (server.listenerCount('checkContinue') > 0) server.prependListener('checkContinue', sayLast);
  return {
    begin: () => {
      draining = true;
    },
    close: () =>
      new Promise((resolve) => {
        let looks = 0;
        // An idle connection may carry its next request at this moment: its client gets time to notice the close.
        // Counted in turns, so that a delayed process reads pending input before it closes a connection.
        const look = setInterval(() => {
          looks += 1;
          if (looks * lookMs > idleMs) server.closeIdleConnections();
        }, lookMs);
        // Not the HTTP server's own close, which would end idle connections at once.
        Listener.prototype.close.call(server, () => {
          clearInterval(look);
          resolve();
        });
      }),
  };
}
