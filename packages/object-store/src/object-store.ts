import type { Readable } from 'node:stream';
import { isAppError } from '@overtone/service-kit';
import { invalidKey, rangeNotSatisfiable } from './errors.ts';

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

/** An object opened for reading: `bytes` come through `stream`, which the caller has to destroy. */
export type OpenObject = { stream: Readable; bytes: number; contentType: string; etag: string };

/** One entry of a listing. */
export type ListedObject = { key: string; bytes: number; etag: string; modifiedAt: Date };

/**
 * Storage for recordings and everything derived from them. A key is a relative path of plain segments. An object
 * appears completely or not at all: a reader never sees a partial object, even after a writer was killed. Every failure
 * is an `AppError`: `not_found`, `invalid` (key, range), `unavailable` (store down, full, refused).
 */
export type ObjectStore = {
  put(key: string, body: ObjectBody, options?: PutOptions): Promise<{ bytes: number; etag: string }>;
  get(key: string, options?: { range?: ByteRange; signal?: AbortSignal }): Promise<OpenObject>;
  head(key: string): Promise<ObjectInfo>;
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

export const defaultContentType = 'application/octet-stream';
/** Unfinished writes of this age belong to no live writer. */
export const staleAfterMs = 24 * 3_600_000;

const maxKeyLength = 512;
const segment = /^[A-Za-z0-9_-][A-Za-z0-9._-]{0,127}$/;

/** Whether an object exists. @throws AppError unavailable while that is unknown. */
export async function hasObject(store: Pick<ObjectStore, 'head'>, key: string): Promise<boolean> {
  try {
    await store.head(key);
    return true;
  } catch (error) {
    if (isAppError(error) && error.kind === 'not_found') return false;
    throw error;
  }
}

/** Refuses keys that could leave the store's root or that have a special meaning in a file system or in S3. */
export function checkKey(key: string): string {
  check(key, key.split('/'));
  return key;
}

/** A prefix names a folder: it ends in `/`, so that `files/1/` never matches `files/10/`. */
export function checkPrefix(prefix: string): string {
  if (!prefix.endsWith('/')) throw invalidKey();
  check(prefix, prefix.slice(0, -1).split('/'));
  return prefix;
}

function check(key: string, parts: string[]): void {
  if (key.length > maxKeyLength || parts.length === 0 || !parts.every((part) => segment.test(part))) {
    throw invalidKey();
  }
}

/** First and last byte to read of an object of `total` bytes; the last one is cut at the end (RFC 9110, 14.1.2). */
export function resolveRange(range: ByteRange | undefined, total: number): { start: number; end: number } {
  if (!range) return { start: 0, end: total - 1 };
  const end = Math.min(range.end ?? total - 1, total - 1);
  const whole = Number.isSafeInteger(range.start) && Number.isSafeInteger(end);
  if (!whole || range.start < 0 || range.start >= total || end < range.start) throw rangeNotSatisfiable();
  return { start: range.start, end };
}
