import { z } from 'zod';
import { backupErrors } from './backup-errors.ts';
import { identityErrors } from './identity-errors.ts';
import { insightsErrors } from './insights-errors.ts';
import { mediaErrors } from './media-errors.ts';
import { transcriptionErrors } from './transcription-errors.ts';

/** Kinds of expected failures with their HTTP status. */
export const kindStatus = {
  invalid: 400,
  unauthenticated: 401,
  forbidden: 403,
  not_found: 404,
  conflict: 409,
  too_large: 413,
  rate_limited: 429,
  unavailable: 503,
} as const;
export type ErrorKind = keyof typeof kindStatus;

/** Stable error codes with their kind. The set is closed: a new failure gets a code here or in its domain. */
export const errorKinds = {
  // any route
  invalid_request: 'invalid',
  invalid_body: 'invalid',
  malformed_json: 'invalid',
  unsupported_media_type: 'invalid',
  method_not_allowed: 'invalid',
  expectation_failed: 'invalid',
  header_too_large: 'too_large',
  not_found: 'not_found',
  request_aborted: 'invalid',
  body_too_large: 'too_large',
  internal_error: 'unavailable',
  rate_limited: 'rate_limited',
  not_authenticated: 'unauthenticated',
  invalid_assertion: 'unauthenticated',
  role_required: 'forbidden',
  // dependencies
  database_unavailable: 'unavailable',
  broker_unavailable: 'unavailable',
  cache_unavailable: 'unavailable',
  storage_unavailable: 'unavailable',
  storage_full: 'unavailable',
  search_unavailable: 'unavailable',
  migration_conflict: 'conflict',
  reindex_required: 'conflict',
  saved_search_exists: 'conflict',
  too_many_saved_searches: 'conflict',
  service_unavailable: 'unavailable',
  service_unresponsive: 'unavailable',
  timeout: 'unavailable',
  // addresses that users enter
  url_invalid: 'invalid',
  url_refused: 'invalid',
  host_unreachable: 'invalid',
  ...identityErrors,
  ...mediaErrors,
  ...transcriptionErrors,
  ...backupErrors,
  ...insightsErrors,
} as const satisfies Record<string, ErrorKind>;
export type ErrorCode = keyof typeof errorKinds;
/** The codes of one kind. */
export type CodeOf<K extends ErrorKind> = { [C in ErrorCode]: (typeof errorKinds)[C] extends K ? C : never }[ErrorCode];

/** Codes whose status differs from that of their kind. */
export const codeStatus: Partial<Record<ErrorCode, number>> = {
  invalid_body: 422,
  method_not_allowed: 405,
  range_not_satisfiable: 416,
  expectation_failed: 417,
  header_too_large: 431,
  storage_full: 507,
  recording_removed: 410,
};

export function statusOfCode(code: ErrorCode): number {
  return codeStatus[code] ?? kindStatus[errorKinds[code]];
}

/** Additional members of single problems. */
export const problemExtra = z.object({
  /** 413: maximum number of bytes. */
  max_bytes: z.int().optional(),
  /** transcript_too_many_words: maximum number of words. */
  max_words: z.int().optional(),
  /** 405: allowed methods. */
  allow: z.string().optional(),
  /** duplicate_file: the earlier upload. */
  duplicate_file_uuid: z.uuid().optional(),
  /** stale_version: the stored version. */
  version: z.int().optional(),
  /** transcript_invalid: the line of the imported file, counted from 1. */
  line: z.int().optional(),
  /** language_unsupported: the supported languages. */
  languages: z.array(z.string()).optional(),
  /** too_many_uploads: maximum number of unfinished uploads per account. */
  max_open_uploads: z.int().optional(),
  /** upload_quota_exceeded: their maximum total size. */
  max_reserved_bytes: z.int().optional(),
});
export type ProblemExtra = z.infer<typeof problemExtra>;

/** RFC 9457 problem details with the fields of every Overtone error. */
export const problem = z.object({
  type: z.string(),
  title: z.string(),
  status: z.int(),
  code: z.string(),
  detail: z.string(),
  request_id: z.string(),
  errors: z.array(z.object({ path: z.string(), message: z.string() })).optional(),
  ...problemExtra.shape,
});
export type Problem = z.infer<typeof problem>;

/** An error code of a route; with a status if a protocol requires another than the code's own. */
export type RouteError = ErrorCode | readonly [code: ErrorCode, status: number];
