import type { Readable } from 'node:stream';

/** The types a writer may pass. Streams are consumed once and never held in memory as a whole. */
export type ObjectBody = Readable | AsyncIterable<Uint8Array> | Uint8Array | string;

/** Options of a write. */
export type PutOptions = {
  contentType?: string;
  signal?: AbortSignal;
  /** Is called with every chunk; an error that it throws aborts the write and is thrown by `put` unchanged. */
  see?: (chunk: Uint8Array) => void;
};

/** First and last byte, both included, as in an HTTP `Content-Range`. Without `end` it runs to the last byte. */
export type ByteRange = { start: number; end?: number };

/** Metadata of an object, available without reading it. */
export type ObjectInfo = { key: string; bytes: number; contentType: string; etag: string; modifiedAt: Date };

/**
 * An object opened for reading: `bytes` of `totalBytes` come through `stream`. The caller has to destroy the stream.
 */
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
 * Storage for recordings and everything derived from them. A key is a relative path of plain segments. An object
 * appears completely or not at all: a reader never sees a partial object, even after a writer was killed. Every failure
 * is an `AppError`: `not_found`, `invalid` (key, range), `unavailable` (store down, full, refused).
 */
export type ObjectStore = {
  put(key: string, body: ObjectBody, options?: PutOptions): Promise<{ bytes: number; etag: string }>;
  get(key: string, options?: { range?: ByteRange; signal?: AbortSignal }): Promise<OpenObject>;
  head(key: string): Promise<ObjectInfo>;
  exists(key: string): Promise<boolean>;
  copy(from: string, to: string): Promise<void>;
  rename(from: string, to: string): Promise<void>;
  /** Deleting a missing object is not an error, so that a cleanup can be repeated. */
  delete(key: string): Promise<void>;
  /** `prefix` ends in `/`; returns the number of deleted objects. */
  deletePrefix(prefix: string): Promise<number>;
  /** Objects of one folder come in ascending order of keys. */
  list(prefix: string): AsyncIterable<ListedObject>;
  /** Removes what killed writers left behind; never touches the drafts of a live writer. */
  removeLeftovers(): Promise<number>;
  /** Resolves when the store can be read and written. */
  ping(signal?: AbortSignal): Promise<void>;
  /** Free and total space; null where it is unknown, as in a bucket. */
  space(): Promise<{ freeBytes: number; totalBytes: number; reserveBytes: number } | null>;
  close(): void;
};
