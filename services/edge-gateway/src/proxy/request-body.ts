import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import type { AppError } from '@overtone/service-kit';
import { refusals } from '../refusals/refusals.ts';

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

/**
 * The request's body as a stream of its own, so that a service that responds early does not take the client's connection
 * down with it. Counts, and gives up on a client that sends too much, too slowly or not to the end: `onRefused` receives
 * the reason, and the stream is destroyed with it, which no reader has to handle.
 */
export function bodyStream(
  req: IncomingMessage,
  res: ServerResponse,
  limits: BodyLimits,
  onRefused: (refusal: AppError) => void,
): Readable {
  const progress: Progress = { received: 0, waitingForService: false };
  let ended = false;

  const refuse = (refusal: AppError): void => {
    onRefused(refusal);
    body.destroy(refusal);
  };
  const speedCheck = checkSpeed(progress, limits, () => refuse(refusals.bodyTooSlow()));

  const onData = (chunk: Buffer): void => {
    progress.received += chunk.length;
    if (progress.received > limits.maxBytes) return refuse(refusals.bodyTooLarge(limits.maxBytes));
    if (!body.push(chunk)) {
      progress.waitingForService = true;
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
    else refuse(refusals.bodyCutOff());
  };
  const body = new Readable({
    highWaterMark: 64 * 1024,
    read() {
      progress.waitingForService = false;
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
  req.on('data', onData).on('end', onEnd).on('close', onClose).on('error', onClose);
  // The client may have left while the session was looked up.
  if (req.destroyed) onClose();
  // A request that is answered before its body was read does not emit `close`.
  res.once('close', () => {
    if (!ended) body.destroy();
  });
  return body;
}

type Progress = { received: number; waitingForService: boolean };

/** Calls `onSlow` in every window in which the body came too slowly. */
function checkSpeed(progress: Progress, { windowMs, minBytes, totalMs }: BodyLimits, onSlow: () => void) {
  const started = Date.now();
  let receivedBefore = 0;
  return setInterval(() => {
    const late = totalMs !== undefined && Date.now() - started > totalMs;
    const slow = !progress.waitingForService && progress.received - receivedBefore < minBytes;
    receivedBefore = progress.received;
    if (late || slow) onSlow();
  }, windowMs);
}
