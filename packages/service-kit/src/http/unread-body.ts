import type { IncomingMessage, ServerResponse } from 'node:http';

const lingerMs = 5_000;

/**
 * Lets a response be sent before the whole request body has arrived. What still arrives is read and dropped: closed
 * immediately, the connection would be reset before the client has read the response; left unread, it could not carry
 * another request. A body that does not end in time closes its connection. A connection that has gone on to another
 * request is never closed from here: HTTP/1.1 takes the next request only after the body before it.
 */
export function discardUnreadBody(req: IncomingMessage, res: ServerResponse, afterMs = lingerMs): void {
  res.once('finish', () => {
    if (req.complete || req.destroyed) return;
    readToEnd(req);
    const timer = setTimeout(() => {
      // The end of a message is no event of a request that Node itself dumps, but it always sets `complete`.
      if (!req.complete) req.socket.destroy();
    }, afterMs).unref();
    const cancel = (): void => clearTimeout(timer);
    req.once('end', cancel).once('close', cancel);
  });
}

function readToEnd(req: IncomingMessage): void {
  req.unpipe();
  req.removeAllListeners('data').removeAllListeners('readable');
  // Without a listener for data Node would stop the stream when the last listener for `readable` is removed.
  req.on('data', () => {}).resume();
}
