import type { PushMessage, Stage } from '@overtone/contracts';
import { assertNever } from '../lib/assert-never.ts';
import { bytes } from '../lib/format.ts';

/** The last progress of one file that the push channel reported. */
export type Progress = {
  readonly stage: Stage | 'download';
  /** 0 to 100 over the whole run, or over the download; null while the size of a download is unknown. */
  readonly percent: number | null;
  readonly message: string;
  readonly etaSeconds: number | null;
};

/** The text of a summary while it is written. */
export type SummaryDraft = {
  readonly version: number;
  readonly sectionsDone: number;
  readonly sectionsTotal: number;
  readonly text: string;
};

/** A report of another person's open page. */
export type PresenceReport = {
  readonly visitId: string;
  readonly person: { readonly uuid: string; readonly name: string | null };
  /** The passage with the caret; null: the person reads. */
  readonly segmentId: string | null;
  readonly left: boolean;
};

/** The effect of a message on the caches. Keys are the first parts of query keys. */
export type PushEffect =
  | { readonly kind: 'greeting'; readonly seq: number; readonly resumed: boolean }
  | { readonly kind: 'refetch'; readonly keys: readonly (readonly string[])[] }
  | { readonly kind: 'transcript'; readonly fileId: string; readonly version: number }
  | { readonly kind: 'progress'; readonly fileId: string; readonly progress: Progress }
  | { readonly kind: 'summary-draft'; readonly fileId: string; readonly draft: SummaryDraft }
  | { readonly kind: 'presence'; readonly fileId: string; readonly report: PresenceReport }
  | { readonly kind: 'ended'; readonly fileId: string; readonly keys: readonly (readonly string[])[] }
  | { readonly kind: 'removed'; readonly fileId: string }
  | { readonly kind: 'everything'; readonly seq: number }
  | { readonly kind: 'nothing' };

const finalStatuses: ReadonlySet<string> = new Set(['completed', 'error', 'cancelled', 'quarantined', 'orphaned']);

/** The effect of a push message; pure, so that every message type is covered by a test. */
export function effectOf(message: PushMessage): PushEffect {
  switch (message.type) {
    case 'connection_established':
      return { kind: 'greeting', seq: message.data.seq, resumed: message.data.resumed };
    case 'file_created':
      // Also when it was restored, or is shared again: its page may be open.
      return { kind: 'refetch', keys: [['files'], ['file', message.data.file_id]] };
    case 'file_updated': {
      const { file_id: fileId, status } = message.data;
      const keys = keysOfFile(fileId);
      return finalStatuses.has(status)
        ? { kind: 'ended', fileId, keys: [...keys, ['voices']] }
        : { kind: 'refetch', keys };
    }
    case 'file_deleted':
      return { kind: 'removed', fileId: message.data.file_id };
    case 'transcript_updated':
      return { kind: 'transcript', fileId: message.data.file_id, version: message.data.transcript_version };
    case 'search_indexing_complete':
      return {
        kind: 'refetch',
        keys: [['search'], ['file', message.data.file_id], ['timeline', message.data.file_id], ['voices']],
      };
    case 'suggestions_changed':
      return { kind: 'refetch', keys: [['suggestions', message.data.file_id]] };
    case 'transcription_status': {
      const { file_id: fileId, stage, progress: percent, message: text, eta_seconds: etaSeconds } = message.data;
      return { kind: 'progress', fileId, progress: { stage, percent, message: text, etaSeconds } };
    }
    case 'import_progress': {
      const { file_id: fileId, received_bytes: received, total_bytes: total } = message.data;
      const percent = total === null ? null : Math.min(100, (received / Math.max(1, total)) * 100);
      return {
        kind: 'progress',
        fileId,
        progress: { stage: 'download', percent, message: bytes(received), etaSeconds: null },
      };
    }
    case 'summary_changed':
      return { kind: 'refetch', keys: [['summary', message.data.file_id]] };
    case 'comments_changed':
      return { kind: 'refetch', keys: [['comments', message.data.file_id]] };
    case 'codings_changed':
      return { kind: 'refetch', keys: [['codings', message.data.file_id], ['code-lists'], ['coded-passages']] };
    case 'code_list_changed':
      return { kind: 'refetch', keys: [['code-lists'], ['codings'], ['coded-passages']] };
    case 'summary_progress': {
      const { file_id: fileId, version, sections_done: sectionsDone, sections_total: sectionsTotal } = message.data;
      const draft = { version, sectionsDone, sectionsTotal, text: message.data.draft };
      return { kind: 'summary-draft', fileId, draft };
    }
    case 'presence': {
      const { file_id: fileId, visit_id: visitId, person, segment_id: segmentId, left } = message.data;
      return { kind: 'presence', fileId, report: { visitId, person, segmentId, left } };
    }
    case 'collection_changed':
      // A collection gives access to its files.
      return { kind: 'refetch', keys: [['collections'], ['files'], ['file']] };
    case 'notifications_changed':
      return { kind: 'refetch', keys: [['notifications']] };
    case 'transcription_ended':
    case 'file_shared':
      return { kind: 'nothing' };
    case 'resync':
      return { kind: 'everything', seq: message.data.seq };
    case 'pong':
      return { kind: 'nothing' };
    default:
      return assertNever(message);
  }
}

/** Parses a frame; null for anything that is not a known message. */
export function parsePush(frame: unknown): PushMessage | null {
  if (typeof frame !== 'string') return null;
  try {
    const value: unknown = JSON.parse(frame);
    if (typeof value !== 'object' || value === null || !('type' in value) || !('data' in value)) return null;
    return typeof value.type === 'string' && typeof value.data === 'object' && known.has(value.type)
      ? (value as PushMessage)
      : null;
  } catch {
    return null;
  }
}

const known: ReadonlySet<string> = new Set<PushMessage['type']>([
  'connection_established',
  'file_created',
  'file_updated',
  'file_deleted',
  'transcript_updated',
  'search_indexing_complete',
  'suggestions_changed',
  'transcription_status',
  'import_progress',
  'summary_changed',
  'comments_changed',
  'codings_changed',
  'code_list_changed',
  'summary_progress',
  'presence',
  'transcription_ended',
  'file_shared',
  'collection_changed',
  'notifications_changed',
  'resync',
  'pong',
]);

/** Exponential backoff of at most 20 s, with jitter so that many tabs do not reconnect at the same moment. */
export function backOff(attempt: number, random: number = Math.random()): number {
  return Math.round(Math.min(20_000, 500 * 2 ** Math.min(attempt, 10)) * (0.6 + 0.4 * random));
}

function keysOfFile(id: string): (readonly string[])[] {
  return [['files'], ['file', id], ['timeline', id]];
}
