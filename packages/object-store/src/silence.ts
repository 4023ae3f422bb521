import { Readable } from 'node:stream';
import type { S3Client } from '@aws-sdk/client-s3';
import { isAppError } from '@overtone/service-kit';
import { storeUnavailable } from './errors.ts';

type Handle = S3Client['config']['requestHandler']['handle'];
type Request = Parameters<Handle>[0];
type Options = { requestTimeout?: number; abortSignal?: unknown };

/** A server that has to assemble a large object may need long. */
const completeMs = 30_000;
const pieceSize = 64 * 1024;

/** Not an error that the SDK knows, so the SDK does not retry an unresponsive server at once. */
export function silent(ms: number): Error {
  return storeUnavailable(new Error(`nothing came or went for ${ms} ms`));
}

/** Whether an error means that the server sent nothing, as opposed to errors of the SDK. */
export function isSilence(error: unknown): boolean {
  return isAppError(error) && error.code === 'storage_unavailable';
}

/** A body in pieces: the connection takes a piece only after the previous one was sent, which shows progress. */
function inPieces(body: Uint8Array, taken: () => void): Readable {
  const pieces = function* (): Iterable<Uint8Array> {
    for (let at = 0; at < body.length; at += pieceSize) {
      taken();
      yield body.subarray(at, at + pieceSize);
    }
  };
  return Readable.from(pieces(), { objectMode: false, highWaterMark: pieceSize });
}

function isComplete({ method, query }: Request): boolean {
  return method === 'POST' && 'uploadId' in query;
}

/**
 * Limits how long a request may make no progress until the head of its response; it does not limit its total duration.
 * The `requestTimeout` of a single request is such a limit, too. (A time-out of p-timeout cannot be extended.)
 */
export function withoutSilence(handle: Handle, withinMs: number): Handle {
  return async (request, options: Options = {}) => {
    const { requestTimeout, abortSignal } = options;
    const ms = requestTimeout ?? Math.max(withinMs, isComplete(request) ? completeMs : 0);
    const over = new AbortController();
    const silence = Promise.withResolvers<never>();
    let answered = false;
    const timer = setTimeout(() => {
      silence.reject(silent(ms));
      over.abort();
    }, ms);
    // A server may respond, and refuse, before it has read the whole body.
    const taken = (): void => void (answered || timer.refresh());
    const body: unknown = request.body;
    const seen = body instanceof Uint8Array ? Object.assign(request.clone(), { body: inPieces(body, taken) }) : request;
    const own = abortSignal instanceof AbortSignal ? [abortSignal] : [];
    const sent = handle(seen, { abortSignal: AbortSignal.any([over.signal, ...own]) });
    return Promise.race([sent, silence.promise]).finally(() => {
      answered = true;
      clearTimeout(timer);
    });
  };
}
