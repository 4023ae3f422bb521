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

export function hasBody(req: IncomingMessage): boolean {
  return req.headers['transfer-encoding'] !== undefined || Number(req.headers['content-length'] ?? 0) > 0;
}

export function tooBig(maxBytes: number): AppError {
  return tooLarge('upload_too_large', `At most ${maxBytes} bytes are accepted`, { extra: { max_bytes: maxBytes } });
}

/**
 * The request's body as a stream of its own, so that a service that responds early does not take the client's connection
 * down with it. Counts, and gives up on a client that sends too much, too slowly or not to the end: `onRefused` receives
 * the reason, and the stream is destroyed with it, which no reader has to handle.
 */
export function bodyStream(
  req: IncomingMessage,
  res: ServerResponse,
  limits: BodyLimits,
  onRefused: (e: AppError) => void,
): Readable {
  let count = 0;
  let countAtLastCheck = 0;
  let waitingForService = false;
  let ended = false;
  const started = Date.now();

  const refuse = (e: AppError): void => {
    onRefused(e);
    body.destroy(e);
  };
  const speedCheck = setInterval(() => {
    const late = limits.totalMs !== undefined && Date.now() - started > limits.totalMs;
    const slow = !waitingForService && count - countAtLastCheck < limits.minBytes;
    countAtLastCheck = count;
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
    // The whole body has arrived: from here on the service takes the time.
    ended = true;
    clearInterval(speedCheck);
    body.push(null);
  };
  const onClose = () => {
    if (ended) return;
    // A complete request closes before its body was read only when it was answered before.
    if (req.complete) body.destroy();
    else refuse(invalid('request_aborted', 'The request was cut off'));
  };
  const body = new Readable({
    highWaterMark: 64 * 1024,
    read() {
      waitingForService = false;
      req.resume();
    },
    destroy(error, callback) {
      clearInterval(speedCheck);
      req.off('data', onData).off('end', onEnd).off('close', onClose);
      // What still arrives is read and dropped; see discardUnreadBody.
      req.resume();
      callback(error);
    },
  });
  // The stream may be destroyed before a request to a service reads it, and after that request has ended.
  body.on('error', () => {});
  req.on('data', onData).on('end', onEnd).on('close', onClose);
  req.on('error', onClose);
  // The client may have left while the session was looked up.
  if (req.destroyed) onClose();
  // A request that is answered before its body was read does not emit `close`.
  res.once('close', () => {
    if (!ended) body.destroy();
  });
  return body;
}
