import { z } from 'zod';

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

/** Stable error codes with their kind. The set is closed: every new failure gets a code here. */
export const errorKinds = {
  // any route
  invalid_request: 'invalid',
  invalid_body: 'invalid',
  malformed_json: 'invalid',
  unsupported_media_type: 'invalid',
  method_not_allowed: 'invalid',
  expectation_failed: 'invalid',
  not_found: 'not_found',
  request_aborted: 'invalid',
  body_too_large: 'too_large',
  internal_error: 'unavailable',
  rate_limited: 'rate_limited',
  // authentication and authorisation
  not_authenticated: 'unauthenticated',
  invalid_credentials: 'unauthenticated',
  invalid_assertion: 'unauthenticated',
  csrf_failed: 'forbidden',
  cross_site_request: 'forbidden',
  insecure_origin: 'invalid',
  refresh_refused: 'unauthenticated',
  sign_in_method_off: 'invalid',
  role_required: 'forbidden',
  account_pending_approval: 'forbidden',
  account_rejected: 'forbidden',
  account_disabled: 'forbidden',
  password_change_required: 'forbidden',
  account_expired: 'forbidden',
  password_rejected: 'invalid',
  password_not_local: 'conflict',
  too_many_sessions: 'rate_limited',
  // accounts
  registration_closed: 'forbidden',
  email_taken: 'conflict',
  account_out_of_reach: 'forbidden',
  own_account: 'conflict',
  source_switched_on: 'conflict',
  last_super_admin: 'conflict',
  local_fallback_refused: 'invalid',
  approval_not_pending: 'conflict',
  // sign-in settings
  settings_invalid: 'invalid',
  secret_required: 'invalid',
  certificate_linked: 'conflict',
  certificate_name_invalid: 'invalid',
  // the directory sweep
  directory_unavailable: 'unavailable',
  schedule_invalid: 'invalid',
  sweep_running: 'conflict',
  sweep_not_held: 'conflict',
  // groups and mappings
  group_name_taken: 'conflict',
  already_member: 'conflict',
  membership_from_directory: 'conflict',
  mapping_exists: 'invalid',
  mapping_gives_nothing: 'invalid',
  mapping_role_refused: 'invalid',
  username_not_searchable: 'invalid',
  ldap_disabled: 'invalid',
  // files and transcripts
  upload_too_large: 'too_large',
  upload_empty: 'invalid',
  upload_not_media: 'invalid',
  upload_incomplete: 'invalid',
  upload_invalid: 'invalid',
  upload_offset_conflict: 'conflict',
  filename_invalid: 'invalid',
  duplicate_file: 'conflict',
  too_many_uploads: 'rate_limited',
  upload_quota_exceeded: 'conflict',
  language_unsupported: 'invalid',
  file_busy: 'conflict',
  permission_required: 'forbidden',
  stale_version: 'conflict',
  speaker_mismatch: 'invalid',
  range_not_satisfiable: 'invalid',
  artefact_missing: 'not_found',
  // media and engines
  media_unreadable: 'invalid',
  media_no_audio: 'invalid',
  media_too_long: 'invalid',
  media_truncated: 'invalid',
  engine_missing: 'unavailable',
  engine_crashed: 'unavailable',
  engine_timeout: 'unavailable',
  engine_refused: 'invalid',
  model_invalid: 'unavailable',
  diarization_failed: 'unavailable',
  job_cancelled: 'conflict',
  job_lost: 'unavailable',
  // dead jobs
  task_not_dead: 'conflict',
  task_superseded: 'conflict',
  run_under_way: 'conflict',
  file_deleted: 'conflict',
  // dependencies
  database_unavailable: 'unavailable',
  broker_unavailable: 'unavailable',
  cache_unavailable: 'unavailable',
  storage_unavailable: 'unavailable',
  storage_full: 'unavailable',
  search_unavailable: 'unavailable',
  service_unavailable: 'unavailable',
  timeout: 'unavailable',
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
  storage_full: 507,
};

export function statusOfCode(code: ErrorCode): number {
  return codeStatus[code] ?? kindStatus[errorKinds[code]];
}

/** Additional members of single problems. */
export const problemExtra = z.object({
  /** 413: maximum number of bytes. */
  max_bytes: z.int().optional(),
  /** 405: allowed methods. */
  allow: z.string().optional(),
  /** duplicate_file: the earlier upload. */
  duplicate_file_uuid: z.uuid().optional(),
  /** stale_version: the stored version. */
  version: z.int().optional(),
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
