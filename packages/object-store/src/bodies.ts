import { Readable } from 'node:stream';

import { silent } from './silence.ts';
import type { ObjectBody, PutOptions } from './object-store.ts';

/** A body on its way into a store: how much has passed, and whether its sender (not the store) failed. */
export type Incoming = {
  stream: Readable;
  bytes: () => number;
  failure: () => { error: unknown } | undefined;
};

/** Keeps the sender's own error apart from the store's: the one is handed back as it is, the other means `unavailable`. */
export const incoming = (body: ObjectBody, see?: PutOptions['see']): Incoming => {
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
  // Only reading counts as the sender's failure: what the store throws in at the yield is its own.
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
};

/**
 * A stream that is handed out: it may fail (its signal is aborted) before its reader has come to listen, and an error
 * that nobody listens to ends the process. Whoever reads it later still gets the error.
 */
export const outgoing = (stream: Readable): Readable => stream.on('error', () => {});

/** The same of what a server sends. Its reader may take their time; a server that keeps one waiting for so long has failed. */
export const outgoingWithin = (withinMs: number, source: Readable): Readable => {
  const chunks: AsyncIterator<Buffer> = source[Symbol.asyncIterator]();
  const next = (): Promise<IteratorResult<Buffer>> => {
    const late = setTimeout(() => source.destroy(silent(withinMs)), withinMs);
    return chunks.next().finally(() => clearTimeout(late));
  };
  const stream = new Readable({
    highWaterMark: 64 * 1024,
    read() {
      next().then(
        (step) => this.push(step.done ? null : step.value),
        (cause: unknown) => this.destroy(cause as Error),
      );
    },
    // Whoever leaves before its end lets go of the server at once.
    destroy(cause, done) {
      source.destroy();
      done(cause);
    },
  });
  // It may fail before it is read.
  source.on('error', (cause) => stream.destroy(cause));
  return outgoing(stream);
};
