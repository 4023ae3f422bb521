import type { IncomingMessage, ServerResponse } from 'node:http';

const lingerMs = 5_000;

/**
 * Reads on for a moment after an answer that came before the whole request was there: a connection closed at once would
 * be reset, and the client would never see the answer.
 */
export const linger = (req: IncomingMessage, res: ServerResponse): void => {
  res.once('finish', () => {
    if (req.complete) return;
    req.resume();
    const timer = setTimeout(() => req.socket.destroy(), lingerMs).unref();
    req.once('close', () => clearTimeout(timer));
    req.once('end', () => clearTimeout(timer));
  });
};
