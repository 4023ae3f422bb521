import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { invalid, tooLarge, type AppError } from '@overtone/service-kit';

export type BodyLimits = {
  maxBytes: number;
  /** Fewer bytes than `minBytes` within this time is too slow; the service's own slowness does not count. */
  windowMs: number;
  minBytes: number;
  /** The whole body has to be there by then; undefined: as long as it flows. */
  totalMs?: number;
};

export const hasBody = (req: IncomingMessage): boolean =>
  req.headers['transfer-encoding'] !== undefined || Number(req.headers['content-length'] ?? 0) > 0;

export const tooBig = (maxBytes: number): AppError =>
  tooLarge('upload_too_large', `At most ${maxBytes} bytes are accepted`, { extra: { max_bytes: maxBytes } });

/**
 * The request's body as a stream of its own, so that a service which answers early does not take the client's
 * connection down with it. Counts, and gives up on a client that sends too much or too slowly.
 */
export const bodyStream = (
  req: IncomingMessage,
  res: ServerResponse,
  limits: BodyLimits,
  onRefused: (e: AppError) => void,
): Readable => {
  let count = 0;
  let atLastLook = 0;
  let waitingForService = false;
  let ended = false;
  const started = Date.now();

  const refuse = (e: AppError): void => {
    onRefused(e);
    body.destroy(e);
  };
  const look = setInterval(() => {
    const late = limits.totalMs !== undefined && Date.now() - started > limits.totalMs;
    const slow = !waitingForService && count - atLastLook < limits.minBytes;
    atLastLook = count;
    if (late || slow) refuse(invalid('request_aborted', 'The body came too slowly'));
  }, limits.windowMs);

  const onData = (chunk: Buffer): void => {
    count += chunk.length;
    if (count > limits.maxBytes) return refuse(tooBig(limits.maxBytes));
    if (!body.push(chunk)) {
      waitingForService = true;
      req.pause();
    }
  };
  const onEnd = () => {
    // Everything has come: from here on it is the service that takes its time.
    ended = true;
    clearInterval(look);
    body.push(null);
  };
  const onGone = () => {
    if (ended) return;
    // What had come and was not handed on goes with the request: it was answered before.
    body.destroy(req.complete ? undefined : invalid('request_aborted', 'The request was cut off'));
  };
  const body = new Readable({
    highWaterMark: 64 * 1024,
    read() {
      waitingForService = false;
      req.resume();
    },
    destroy(error, callback) {
      clearInterval(look);
      req.off('data', onData).off('end', onEnd).off('close', onGone);
      // What still comes is read and dropped; see linger.
      req.resume();
      callback(error);
    },
  });
  req.on('data', onData).on('end', onEnd).on('close', onGone);
  req.on('error', onGone);
  // It may have gone while it was found out who is asking.
  if (req.destroyed) onGone();
  // A request that is answered before it was taken does not close by itself.
  res.once('close', () => {
    if (!ended) body.destroy();
  });
  return body;
};
