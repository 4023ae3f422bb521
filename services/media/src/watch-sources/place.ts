import type { Readable } from 'node:stream';
import type { Entry } from './watch-sources.ts';

/** A file that is open for one import. */
export type OpenEntry = {
  body: Readable;
  /** Whether the file is still the one that was opened, after its last byte. */
  isUnchanged: () => Promise<boolean>;
  close: () => Promise<void>;
};

/** `identity` differs when another folder or file system is there; null where that cannot happen. */
export type Listing = { entries: Entry[]; identity: string | null; isOnSystemDisk: boolean };

/** Where the files of a source are: a folder or a bucket. */
export type Place = {
  /** All files. @throws SourceUnavailable */
  list: (signal: AbortSignal) => Promise<Listing>;
  /** @throws EntryChanged for a file that is not the listed one any more. */
  open: (entry: Entry, signal: AbortSignal) => Promise<OpenEntry>;
  /** Moves or deletes the file, unless it has changed. @throws EntryChanged */
  finish: (entry: Entry, after: 'move' | 'delete') => Promise<void>;
  /** Whether the source notifies of changes. */
  hasEvents: () => boolean;
  close: () => void;
};

/** The source cannot be read: nothing is known about its files. */
export class SourceUnavailable extends Error {
  readonly code: UnavailableCode;
  constructor(code: UnavailableCode, message: string, cause?: unknown) {
    super(message, { cause });
    this.code = code;
  }
}
export type UnavailableCode =
  | 'folder_missing'
  | 'folder_refused'
  | 'permission_denied'
  | 'not_mounted'
  | 'too_many_files'
  | 'bucket_missing'
  | 'source_unreachable'
  | 'no_response';

/** The file was changed, moved or deleted since it was listed. */
export class EntryChanged extends Error {}

/** The file is shorter than its header says. */
export class EntryIncomplete extends Error {}

/** The system's error code, e.g. `ENOENT`. */
export function systemCode(error: unknown): string {
  return typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : '';
}

/** More files than this are not watched in one source. */
export const maxFiles = 200_000;
