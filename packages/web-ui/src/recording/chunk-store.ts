import { openDB, type IDBPDatabase } from 'idb';
import type { Chunk } from './recording.ts';

type Schema = {
  chunks: { key: [string, number]; value: { upload: string; offset: number; blob: Blob; at: number } };
};
/** Chunks of an upload that the server does not know any more are kept this long. */
const keepMs = 2 * 24 * 3_600_000;

let database: Promise<IDBPDatabase<Schema>> | null = null;
function open(): Promise<IDBPDatabase<Schema>> {
  database ??= openDB<Schema>('overtone-recordings', 1, {
    upgrade: (db) => void db.createObjectStore('chunks', { keyPath: ['upload', 'offset'] }),
  });
  return database;
}

function keysOf(upload: string): IDBKeyRange {
  return IDBKeyRange.bound([upload, 0], [upload, Infinity]);
}

/** The chunks of recordings that the server has not confirmed. They survive a crashed tab. */
export const chunkStore = {
  add: async (upload: string, { offset, blob }: Chunk): Promise<void> => {
    await (await open()).put('chunks', { upload, offset, blob, at: Date.now() });
  },
  list: async (upload: string): Promise<Chunk[]> => (await open()).getAll('chunks', keysOf(upload)),
  /** Removes the chunks that end before the offset. */
  removeBefore: async (upload: string, offset: number): Promise<void> => {
    const db = await open();
    for (const chunk of await db.getAll('chunks', keysOf(upload))) {
      if (chunk.offset + chunk.blob.size <= offset) await db.delete('chunks', [upload, chunk.offset]);
    }
  },
  remove: async (upload: string): Promise<void> => (await open()).delete('chunks', keysOf(upload)),
  /** Removes old chunks of all uploads but these. */
  removeOld: async (known: ReadonlySet<string>): Promise<void> => {
    const db = await open();
    for (const { upload, offset, at } of await db.getAll('chunks')) {
      if (!known.has(upload) && Date.now() - at > keepMs) await db.delete('chunks', [upload, offset]);
    }
  },
};
export type ChunkStore = Pick<typeof chunkStore, 'add' | 'list' | 'removeBefore' | 'remove'>;
