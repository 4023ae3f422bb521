import { createWriteStream } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { parentPort, workerData } from 'node:worker_threads';
import { writers } from './exports.ts';
import type { RenderRequest } from './render.adapter.ts';
import type { Spoken } from './spoken.ts';

type Port = NonNullable<typeof parentPort>;

/** Asks for pages until there are no more. */
async function* pagesFrom(port: Port): AsyncGenerator<Spoken> {
  for (;;) {
    const page = await new Promise<Spoken[]>((resolve) => {
      port.once('message', resolve);
      port.postMessage('next');
    });
    if (page.length === 0) return;
    yield* page;
  }
}

/** Small pieces in larger ones: each write is a call of the operating system. */
async function* batched(pieces: AsyncIterable<string | Uint8Array>): AsyncGenerator<string | Uint8Array> {
  let text = '';
  for await (const piece of pieces) {
    if (typeof piece === 'string') text += piece;
    else yield piece;
    if (text.length < 65_536) continue;
    yield text;
    text = '';
  }
  if (text !== '') yield text;
}

/** Runs in a worker thread: a document of ten hours would block the main thread for seconds. */
async function render(port: Port, { product, path, ...transcript }: RenderRequest & { path: string }): Promise<void> {
  const pieces = writers[product]({ ...transcript, segments: pagesFrom(port) });
  await pipeline(Readable.from(batched(pieces)), createWriteStream(path, { flags: 'wx', mode: 0o600 }));
  port.postMessage('done');
}

if (parentPort) await render(parentPort, workerData as RenderRequest & { path: string });
