import { PassThrough, type Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import type { ObjectStore } from '@overtone/object-store';
import { isAppError } from '@overtone/service-kit';
import { z } from 'zod';
import { uploadErrors } from './uploads.ts';

/** What a killed process may lose of an upload that nobody acknowledged. */
const partBytes = 16 * 1024 * 1024;
const folder = 'uploads/';

const description = z.object({
  userId: z.uuid(),
  size: z.int(),
  metadata: z.record(z.string(), z.string().nullable()),
  createdAt: z.iso.datetime(),
});
export type Description = z.infer<typeof description>;
export type PartsDeps = { objects: Pick<ObjectStore, 'put' | 'get' | 'list' | 'deletePrefix'> };
type Part = { key: string; offset: number; bytes: number };

/**
 * An unfinished upload lies in the object store as parts named by their offset, beside a description. Nothing of it
 * lives in this process, so any replica carries it on, also after a kill: the offset is the end of the unbroken row.
 */
export const createParts = ({ objects }: PartsDeps) => {
  const folderOf = (id: string): string => `${folder}${id}/`;
  const descriptionOf = (id: string): string => `${folderOf(id)}description.json`;
  const keyOf = (id: string, offset: number): string => `${folderOf(id)}part-${String(offset).padStart(15, '0')}`;

  const row = async (id: string): Promise<Part[]> => {
    const found: Part[] = [];
    for await (const { key, bytes } of objects.list(folderOf(id))) {
      const offset = /part-(\d+)$/.exec(key)?.[1];
      if (offset !== undefined) found.push({ key, offset: Number(offset), bytes });
    }
    return unbroken(found);
  };

  return {
    create: async (id: string, what: Description): Promise<void> => {
      await objects.put(descriptionOf(id), JSON.stringify(what), { contentType: 'application/json' });
    },
    describe: async (id: string): Promise<Description | undefined> => {
      try {
        const { stream } = await objects.get(descriptionOf(id));
        return description.parse(JSON.parse(await text(stream)));
      } catch (error) {
        if (isAppError(error) && error.kind === 'not_found') return undefined;
        throw error;
      }
    },
    offset: async (id: string): Promise<number> => {
      const last = (await row(id)).at(-1);
      return last ? last.offset + last.bytes : 0;
    },
    /** Stores what comes, also when the sender breaks off; answers the new offset. */
    append: async (id: string, offset: number, source: Readable): Promise<number> => {
      let at = offset;
      for await (const piece of inPieces(source)) at += (await objects.put(keyOf(id, at), piece)).bytes;
      return at;
    },
    /** The whole upload; fails at its end when parts have vanished meanwhile, so that half of one is never taken. */
    read: async function* (id: string, size: number): AsyncGenerator<Buffer> {
      let read = 0;
      for (const { key, bytes } of await row(id)) {
        const { stream } = await objects.get(key);
        yield* stream as AsyncIterable<Buffer>;
        read += bytes;
      }
      if (read !== size) throw uploadErrors.cutOff();
    },
    remove: (id: string): Promise<number> => objects.deletePrefix(folderOf(id)),
    /** Uploads that were begun before `before`. */
    expired: async function* (before: Date): AsyncGenerator<string> {
      for await (const { key, modifiedAt } of objects.list(folder)) {
        const [, id, name] = key.split('/');
        if (id && name === 'description.json' && modifiedAt < before) yield id;
      }
    },
  };
};
export type Parts = ReturnType<typeof createParts>;

// A part sent again at the same place has replaced the first one; a gap ends the row.
const unbroken = (found: Part[]): Part[] => {
  const parts: Part[] = [];
  let end = 0;
  for (const part of found.sort((a, b) => a.offset - b.offset)) {
    if (part.offset !== end) continue;
    parts.push(part);
    end += part.bytes;
  }
  return parts;
};

/** Cuts a stream into pieces of one part each. A source that fails ends its piece: what came is worth keeping. */
async function* inPieces(source: Readable): AsyncGenerator<Readable> {
  const reader: AsyncIterator<Buffer> = source[Symbol.asyncIterator]();
  const next = () => reader.next().catch((): IteratorResult<Buffer> => ({ done: true, value: undefined }));
  let pending = await next();
  const fill = async (piece: PassThrough): Promise<void> => {
    for (let filled = 0; !pending.done && filled < partBytes && !piece.destroyed; pending = await next()) {
      filled += pending.value.length;
      if (!piece.write(pending.value)) await new Promise((go) => piece.once('drain', go).once('close', go));
    }
    piece.end();
  };
  while (!pending.done) {
    const piece = new PassThrough({ highWaterMark: 1024 * 1024 });
    // The store reports a failure to its caller; the stream itself may fail once more.
    piece.on('error', () => undefined);
    const filled = fill(piece);
    yield piece;
    await filled;
  }
}
