import { Readable } from 'node:stream';
import { silent } from './silence.ts';
import type { ObjectBody, PutOptions } from './object-store.ts';

/** A body that is written to a store: counts its bytes and records whether its sender (not the store) failed. */
export type Incoming = {
  stream: Readable;
  bytes: () => number;
  failure: () => { error: unknown } | undefined;
};

/**
 * Separates the sender's error from the store's: the sender's error is passed on unchanged, the store's becomes
 * `unavailable`.
 */
export function incoming(body: ObjectBody, see?: PutOptions['see']): Incoming {
  let bytes = 0;
  let failure: { error: unknown } | undefined;
  const chunks = Readable.from(typeof body === 'string' || body instanceof Uint8Array ? [Buffer.from(body)] : body);
  const reader: AsyncIterator<Uint8Array> = chunks[Symbol.asyncIterator]();
  const next = async (): Promise<IteratorResult<Uint8Array>> => {
    try {
      const step = await reader.next();
      if (!step.done) see?.(step.value);
      return step;
    } catch (error) {
      failure = { error };
      throw error;
    }
  };
  // Only a failed read counts as the sender's failure: an error thrown in at the yield comes from the store.
  const pass = async function* (): AsyncIterable<Uint8Array> {
    try {
      for (let step = await next(); !step.done; step = await next()) {
        bytes += step.value.length;
        yield step.value;
      }
    } finally {
      await reader.return?.();
    }
  };
  return {
    stream: Readable.from(pass(), { objectMode: false, highWaterMark: 256 * 1024 }),
    bytes: () => bytes,
    failure: () => failure,
  };
}

/**
 * Guards a stream that is handed out. The stream may fail (its signal is aborted) before its reader attaches a
 * listener, and an `error` event without a listener ends the process. A reader that attaches later still gets the
 * error.
 */
export function outgoing(stream: Readable): Readable {
  return stream.on('error', () => {});
}

/**
 * The same for the body of a server response. The reader may be slow; a server that sends nothing for this long has
 * failed.
 */
export function outgoingWithin(withinMs: number, source: Readable): Readable {
  const chunks: AsyncIterator<Buffer> = source[Symbol.asyncIterator]();
  const next = (): Promise<IteratorResult<Buffer>> => {
    const late = setTimeout(() => source.destroy(silent(withinMs)), withinMs);
    return chunks.next().finally(() => clearTimeout(late));
  };
  const stream = outgoing(
    new Readable({
      highWaterMark: 64 * 1024,
      read() {
        next().then(
          (step) => this.push(step.done ? null : step.value),
          (cause: unknown) => this.destroy(cause as Error),
        );
      },
      // A reader that stops early destroys the response at once.
      destroy(cause, done) {
        source.destroy();
        done(cause);
      },
    }),
  );
  // The stream may fail before it is read.
  source.on('error', (cause) => stream.destroy(cause));
  return outgoing(stream);
}
