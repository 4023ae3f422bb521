import { PassThrough, type Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import type { ObjectStore } from '@overtone/object-store';
import { isAppError } from '@overtone/service-kit';
import { z } from 'zod';
import { uploadErrors } from './uploads.ts';

/** Part size; a killed process loses at most one unacknowledged part. */
const partBytes = 16 * 1024 * 1024;
const folder = 'uploads/';
/** So many parts of less than this size are joined. */
const smallParts = 128;
const smallBytes = 512 * 1024;

const description = z.object({
  userId: z.uuid(),
  /** null: a recording in progress; its sender reports the length at the end. */
  size: z.int().nullable(),
  metadata: z.record(z.string(), z.string().nullable()),
  createdAt: z.iso.datetime(),
  /** Whether it was recorded while it was uploaded. */
  recorded: z.boolean().optional(),
});
export type Description = z.infer<typeof description>;
export type PartsDeps = { objects: Pick<ObjectStore, 'put' | 'get' | 'list' | 'delete' | 'deletePrefix'> };
type Part = { key: string; offset: number; bytes: number };

/**
 * Stores an unfinished upload as parts named by their offset, next to a description. No state is kept in the process, so
 * any replica can continue it: the upload offset is the end of the contiguous parts.
 */
export function createParts({ objects }: PartsDeps) {
  const folderOf = (id: string): string => `${folder}${id}/`;
  const descriptionOf = (id: string): string => `${folderOf(id)}description.json`;
  const keyOf = (id: string, offset: number): string => `${folderOf(id)}part-${String(offset).padStart(15, '0')}`;

  const listParts = async (id: string): Promise<Part[]> => {
    const found: Part[] = [];
    for await (const { key, bytes } of objects.list(folderOf(id))) {
      const offset = /part-(\d+)$/.exec(key)?.[1];
      if (offset !== undefined) found.push({ key, offset: Number(offset), bytes });
    }
    return contiguousParts(found);
  };

  async function* readParts(parts: readonly Part[]): AsyncGenerator<Buffer> {
    for (const { key } of parts) {
      const { stream } = await objects.get(key);
      yield* stream as AsyncIterable<Buffer>;
    }
  }

  return {
    /** Creates the description, or replaces it when the length becomes known. */
    create: async (id: string, upload: Description): Promise<void> => {
      await objects.put(descriptionOf(id), JSON.stringify(upload), { contentType: 'application/json' });
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
      const last = (await listParts(id)).at(-1);
      return last ? last.offset + last.bytes : 0;
    },
    /** Stores all received bytes, also when the sender disconnects. @returns the new offset. */
    append: async (id: string, offset: number, source: Readable): Promise<number> => {
      let end = offset;
      for await (const piece of inPieces(source)) end += (await objects.put(keyOf(id, end), piece)).bytes;
      return end;
    },
    /** Reads the whole upload; fails at the end when parts are missing, so that an incomplete file is never accepted. */
    read: async function* (id: string, size: number): AsyncGenerator<Buffer> {
      const parts = await listParts(id);
      yield* readParts(parts);
      if (parts.reduce((sum, { bytes }) => sum + bytes, 0) !== size) throw uploadErrors.cutOff();
    },
    /**
     * Joins the small parts of a recording, of which one arrives every two seconds. The joined part replaces the first of
     * them; the others then lie inside it and are ignored until they are deleted.
     */
    compact: async (id: string): Promise<void> => {
      const parts = await listParts(id);
      const from = parts.findLastIndex(({ bytes }) => bytes >= smallBytes) + 1;
      const small = parts.slice(from);
      const [first, ...others] = small;
      if (!first || small.length < smallParts) return;
      const chunks: Buffer[] = [];
      for await (const chunk of readParts(small)) chunks.push(chunk);
      await objects.put(first.key, Buffer.concat(chunks));
      for (const { key } of others) await objects.delete(key);
    },
    remove: (id: string): Promise<number> => objects.deletePrefix(folderOf(id)),
    /** Ids of uploads created before the cutoff. */
    expired: async function* (cutoff: Date): AsyncGenerator<string> {
      for await (const { key, modifiedAt } of objects.list(folder)) {
        const [, id, name] = key.split('/');
        if (id && name === 'description.json' && modifiedAt < cutoff) yield id;
      }
    },
  };
}

export type Parts = ReturnType<typeof createParts>;

// A part sent again replaces the one at its offset; parts after a gap are ignored.
function contiguousParts(found: Part[]): Part[] {
  const parts: Part[] = [];
  let end = 0;
  for (const part of found.sort((left, right) => left.offset - right.offset)) {
    if (part.offset !== end) continue;
    parts.push(part);
    end += part.bytes;
  }
  return parts;
}

/** Splits a stream into pieces of one part each. A failed source ends its piece, so that received bytes are kept. */
async function* inPieces(source: Readable): AsyncGenerator<Readable> {
  const reader: AsyncIterator<Buffer> = source[Symbol.asyncIterator]();
  const next = () => reader.next().catch((): IteratorResult<Buffer> => ({ done: true, value: undefined }));
  let pending = await next();
  const fill = async (piece: PassThrough): Promise<void> => {
    for (let filled = 0; !pending.done && filled < partBytes && !piece.destroyed; pending = await next()) {
      filled += pending.value.length;
      if (!piece.write(pending.value)) await new Promise((resume) => piece.once('drain', resume).once('close', resume));
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
