import type { Readable } from 'node:stream';

/** What a writer may hand over. Streams are consumed once and never held in memory as a whole. */
export type ObjectBody = Readable | AsyncIterable<Uint8Array> | Uint8Array | string;

/** How an object is taken in. */
export type PutOptions = {
  contentType?: string;
  signal?: AbortSignal;
  /** Is shown every chunk on its way; what it throws ends the writing and comes out of `put` as it is. */
  see?: (chunk: Uint8Array) => void;
};

/** First and last byte, both included, as in an HTTP `Content-Range`. Without `end` it runs to the last byte. */
export type ByteRange = { start: number; end?: number };

/** What a store knows of an object without reading it. */
export type ObjectInfo = { key: string; bytes: number; contentType: string; etag: string; modifiedAt: Date };

/** An object opened for reading: `bytes` of `totalBytes` come through `stream`. Whoever opens it destroys it. */
export type OpenObject = {
  stream: Readable;
  bytes: number;
  totalBytes: number;
  start: number;
  contentType: string;
  etag: string;
};

/** One entry of a listing. */
export type ListedObject = { key: string; bytes: number; modifiedAt: Date };

/**
 * Where recordings and everything derived from them live. A key is a relative path of plain segments.
 * An object appears complete or not at all: a reader never sees half of one, whatever was killed while it was written.
 * Every failure is an `AppError`: `not_found`, `invalid` (key, range), `unavailable` (store down, full, refused).
 */
export type ObjectStore = {
  put(key: string, body: ObjectBody, options?: PutOptions): Promise<{ bytes: number; etag: string }>;
  get(key: string, options?: { range?: ByteRange; signal?: AbortSignal }): Promise<OpenObject>;
  head(key: string): Promise<ObjectInfo>;
  exists(key: string): Promise<boolean>;
  copy(from: string, to: string): Promise<void>;
  rename(from: string, to: string): Promise<void>;
  /** Deleting what is not there is not an error: a repeated clean-up has nothing to do. */
  delete(key: string): Promise<void>;
  /** `prefix` ends in `/`; answers how many objects went. */
  deletePrefix(prefix: string): Promise<number>;
  /** Objects of one folder come in ascending order of keys. */
  list(prefix: string): AsyncIterable<ListedObject>;
  /** Removes what killed writers left behind; never touches a writer that lives. */
  sweep(): Promise<number>;
  /** Resolves when the store can be read and written. */
  ping(signal?: AbortSignal): Promise<void>;
  /** How much room there is; null where nobody can say, as in a bucket. */
  space(): Promise<{ freeBytes: number; totalBytes: number } | null>;
  close(): void;
};
