import { t } from '@lingui/core/macro';
import { ApiError } from '@overtone/client';
import type { SpeechTask } from '@overtone/contracts';
import { assertNever } from '../lib/assert-never.ts';
import { startOf } from '../lib/characters.ts';

/** Options of the speech engine. */
export type SpeechOptions = {
  /** Empty when the engine detects it. */
  readonly language: string;
  readonly minSpeakers: number | null;
  readonly maxSpeakers: number | null;
  /** Absent: by voice. */
  readonly speakersBy?: 'track';
  /** Numbers of the chosen sound tracks; absent: those that carry speech. */
  readonly tracks?: readonly number[];
  /** Absent: the words as they are spoken. */
  readonly task?: SpeechTask;
  /** Of the chosen ASR provider; absent: the first one that fits. */
  readonly provider?: string;
};

/** The choices of a person about a recording before it is sent. */
export type UploadOptions = SpeechOptions & { readonly title: string; readonly allowDuplicate: boolean };

export type UploadPhase =
  | { readonly name: 'queued' }
  | { readonly name: 'sending' }
  | { readonly name: 'paused' }
  /** The connection was lost; the transfer continues automatically. */
  | { readonly name: 'waiting' }
  /** After a reload of the page the browser provides the file only when it is chosen again. */
  | { readonly name: 'needs_file' }
  | { readonly name: 'duplicate'; readonly existing: string | null; readonly message: string }
  | { readonly name: 'failed'; readonly message: string; readonly code: string | null; readonly retryable: boolean }
  | { readonly name: 'done'; readonly fileId: string | null };

export type Upload = {
  readonly id: string;
  readonly name: string;
  readonly size: number;
  readonly lastModified: number;
  readonly options: UploadOptions;
  readonly phase: UploadPhase;
  readonly sent: number;
  /** Bytes per second over the last seconds; null before it is known. */
  readonly speed: number | null;
  readonly sampledAt: number | null;
  readonly sampledSent: number;
  /** The address of the upload at the server; null before the server created it. */
  readonly url: string | null;
};

export type UploadEvent =
  | { readonly type: 'start' }
  | { readonly type: 'located'; readonly url: string }
  | { readonly type: 'progress'; readonly sent: number; readonly at: number }
  | { readonly type: 'pause' }
  | { readonly type: 'resume' }
  | { readonly type: 'connection_lost' }
  | { readonly type: 'retry' }
  | { readonly type: 'upload_anyway' }
  | { readonly type: 'duplicate'; readonly existing: string | null; readonly message: string }
  | { readonly type: 'fail'; readonly message: string; readonly code: string | null; readonly retryable: boolean }
  | { readonly type: 'done'; readonly fileId: string | null };

export function newUpload(id: string, file: FileFacts, options: UploadOptions): Upload {
  return {
    id,
    name: file.name,
    size: file.size,
    lastModified: file.lastModified,
    options,
    phase: { name: 'queued' },
    sent: 0,
    speed: null,
    sampledAt: null,
    sampledSent: 0,
    url: null,
  };
}

/** The next state. An event that does not fit the phase is ignored (a late progress after a pause). */
export function reduceUpload(upload: Upload, event: UploadEvent): Upload {
  const phase = upload.phase.name;
  const noSpeed = { speed: null, sampledAt: null } as const;
  switch (event.type) {
    case 'start':
      return phase === 'queued' ? { ...upload, phase: { name: 'sending' } } : upload;
    case 'located':
      return { ...upload, url: event.url };
    case 'progress':
      return phase === 'sending' || phase === 'waiting' ? withProgress(upload, event) : upload;
    case 'pause':
      return phase === 'sending' || phase === 'waiting' || phase === 'queued'
        ? { ...upload, ...noSpeed, phase: { name: 'paused' } }
        : upload;
    case 'resume':
      return phase === 'paused' || phase === 'needs_file'
        ? { ...upload, ...noSpeed, phase: { name: 'queued' } }
        : upload;
    case 'connection_lost':
      return phase === 'sending' ? { ...upload, ...noSpeed, phase: { name: 'waiting' } } : upload;
    case 'retry':
      return phase === 'failed' ? { ...upload, ...noSpeed, phase: { name: 'queued' } } : upload;
    case 'upload_anyway':
      return phase === 'duplicate'
        ? { ...restarted(upload), options: { ...upload.options, allowDuplicate: true } }
        : upload;
    case 'duplicate':
      return { ...upload, ...noSpeed, phase: { name: 'duplicate', existing: event.existing, message: event.message } };
    case 'fail': {
      const { message, code, retryable } = event;
      return { ...upload, ...noSpeed, phase: { name: 'failed', message, code, retryable } };
    }
    case 'done':
      return { ...upload, ...noSpeed, sent: upload.size, phase: { name: 'done', fileId: event.fileId } };
    default:
      return assertNever(event);
  }
}

function restarted(upload: Upload): Upload {
  return {
    ...upload,
    phase: { name: 'queued' },
    sent: 0,
    speed: null,
    sampledAt: null,
    sampledSent: 0,
    url: null,
  };
}

/** Smooths the speed over samples of at least half a second, so that the number is readable. */
function withProgress(upload: Upload, { sent, at }: { sent: number; at: number }): Upload {
  const next = { ...upload, phase: { name: 'sending' } as const, sent };
  if (upload.sampledAt === null) return { ...next, sampledAt: at, sampledSent: sent };
  const elapsed = (at - upload.sampledAt) / 1000;
  if (elapsed < 0.5) return next;
  const measured = Math.max(0, sent - upload.sampledSent) / elapsed;
  const speed = upload.speed === null ? measured : upload.speed * 0.7 + measured * 0.3;
  return { ...next, speed, sampledAt: at, sampledSent: sent };
}

export function secondsLeft(upload: Upload): number | null {
  return upload.speed === null || upload.speed < 1 ? null : (upload.size - upload.sent) / upload.speed;
}

export type FileFacts = Pick<File, 'name' | 'size' | 'lastModified'>;
/** True when this is the file of an unfinished upload. */
export function isSameFile(upload: FileFacts, file: FileFacts): boolean {
  return upload.name === file.name && upload.size === file.size && upload.lastModified === file.lastModified;
}

export type Limits = { readonly max_bytes: number; readonly accept: readonly string[] };
/** The reason to reject a file before any byte is sent; null for an accepted file. */
export function refusal(file: FileFacts & { readonly type: string }, limits: Limits | undefined): string | null {
  if (file.size === 0) return t`This file is empty.`;
  if (limits && file.size > limits.max_bytes) return 'too_large';
  if (file.type === '' || !limits || limits.accept.length === 0) return null;
  return limits.accept.some((pattern) => accepts(pattern, file)) ? null : 'not_media';
}

function accepts(pattern: string, file: { name: string; type: string }): boolean {
  if (pattern.startsWith('.')) return file.name.toLowerCase().endsWith(pattern.toLowerCase());
  return pattern.endsWith('/*') ? file.type.startsWith(pattern.slice(0, -1)) : file.type === pattern;
}

/** Makes a title of a file name: without the extension, with spaces. */
export function titleFrom(name: string): string {
  const title = name
    .replace(/\.[A-Za-z0-9]{1,5}$/, '')
    .replace(/[_]+/g, ' ')
    .trim();
  return startOf(title || name, 255);
}

/** True for an upload that the list no longer needs. */
export function isFinished({ phase }: Upload): boolean {
  return phase.name === 'done' || phase.name === 'duplicate' || phase.name === 'failed';
}

/** True while a reload of the page would interrupt the upload, because the file would have to be chosen again. */
export function needsThisPage({ phase }: Upload): boolean {
  return phase.name === 'failed' ? phase.retryable : phase.name !== 'done' && phase.name !== 'needs_file';
}

/** The error for a file that was moved or changed, or whose drive was removed; null for a readable file. */
export async function readProblem(file: Pick<File, 'name' | 'slice'>): Promise<ApiError | null> {
  try {
    await file.slice(0, 1).arrayBuffer();
    return null;
  } catch {
    const detail = t`“${file.name}” couldn’t be read. It was moved, changed or deleted, or its drive is not connected.`;
    return new ApiError(0, { code: 'file_unreadable', detail });
  }
}

/** The part of an upload that survives a reload. */
export type StoredUpload = Pick<Upload, 'id' | 'name' | 'size' | 'lastModified' | 'options' | 'sent' | 'url'>;
const unfinished: ReadonlySet<UploadPhase['name']> = new Set(['queued', 'sending', 'paused', 'waiting', 'needs_file']);

export function toStore(uploads: readonly Upload[]): StoredUpload[] {
  return uploads
    .filter(({ phase }) => unfinished.has(phase.name) || (phase.name === 'failed' && phase.retryable))
    .map(({ id, name, size, lastModified, options, sent, url }) => ({
      id,
      name,
      size,
      lastModified,
      options,
      sent,
      url,
    }));
}

export function fromStore(json: string | null): Upload[] {
  try {
    const stored: unknown = JSON.parse(json ?? '[]');
    if (!Array.isArray(stored)) return [];
    return (stored as StoredUpload[]).map((upload) => ({
      ...newUpload(upload.id, upload, upload.options),
      sent: upload.sent,
      url: upload.url,
      phase: { name: 'needs_file' },
    }));
  } catch {
    return [];
  }
}
