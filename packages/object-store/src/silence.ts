import { Readable } from 'node:stream';
import type { S3Client } from '@aws-sdk/client-s3';
import { isAppError } from '@overtone/service-kit';
import { storeUnavailable } from './errors.ts';

type Handle = S3Client['config']['requestHandler']['handle'];
type Request = Parameters<Handle>[0];
type Options = { requestTimeout?: number; abortSignal?: unknown };

/** A server that has to put a large object together may be long about it. */
const completeMs = 30_000;
const pieceSize = 64 * 1024;

/** Not a failure that its SDK knows: what said nothing for so long is not asked again at once. */
export const silent = (ms: number): Error => storeUnavailable(new Error(`nothing came or went for ${ms} ms`));

/** Whether something failed because the server said nothing, as opposed to what its SDK throws. */
export const isSilence = (error: unknown): boolean => isAppError(error) && error.code === 'storage_unavailable';

/** A body in pieces: the connection takes one when the last has gone, which is how it is seen that it goes on. */
const inPieces = (body: Uint8Array, taken: () => void): Readable => {
  const pieces = function* (): Iterable<Uint8Array> {
    for (let at = 0; at < body.length; at += pieceSize) {
      taken();
      yield body.subarray(at, at + pieceSize);
    }
  };
  return Readable.from(pieces(), { objectMode: false, highWaterMark: pieceSize });
};

const isComplete = ({ method, query }: Request): boolean => method === 'POST' && 'uploadId' in query;

/**
 * Bounds how long nothing comes or goes from a request to the head of its answer, and not how long a slow one may take.
 * `requestTimeout` of a single request is such a bound, too.
 */
export const withoutSilence =
  (handle: Handle, withinMs: number): Handle =>
  async (request, options: Options = {}) => {
    const { requestTimeout, abortSignal } = options;
    const ms = requestTimeout ?? Math.max(withinMs, isComplete(request) ? completeMs : 0);
    const over = new AbortController();
    const silence = Promise.withResolvers<never>();
    let answered = false;
    const timer = setTimeout(() => {
      silence.reject(silent(ms));
      over.abort();
    }, ms);
    // A server may answer, and refuse, before it has taken everything.
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
