/** The eight kinds of expected failure; edges map them to HTTP, acknowledgements and close codes. */
export type ErrorKind =
  'invalid' | 'unauthenticated' | 'forbidden' | 'not_found' | 'conflict' | 'too_large' | 'rate_limited' | 'unavailable';

/** Codes a client can rely on. Closed: a new failure gets a new code here. */
export type ErrorCode =
  // any route
  | 'invalid_request'
  | 'invalid_body'
  | 'malformed_json'
  | 'unsupported_media_type'
  | 'method_not_allowed'
  | 'not_found'
  | 'request_aborted'
  | 'internal_error'
  | 'rate_limited'
  // who is calling
  | 'not_authenticated'
  | 'invalid_credentials'
  | 'invalid_assertion'
  | 'csrf_failed'
  | 'insecure_origin'
  | 'refresh_refused'
  | 'sign_in_method_off'
  | 'role_required'
  | 'account_pending_approval'
  | 'account_rejected'
  | 'account_disabled'
  | 'password_change_required'
  | 'account_expired'
  | 'password_rejected'
  | 'password_not_local'
  | 'too_many_sessions'
  // accounts
  | 'registration_closed'
  | 'email_taken'
  | 'account_out_of_reach'
  | 'own_account'
  | 'last_super_admin'
  | 'local_fallback_refused'
  | 'approval_not_pending'
  // sign-in settings
  | 'settings_invalid'
  | 'secret_required'
  // the directory sweep
  | 'directory_unavailable'
  | 'schedule_invalid'
  | 'sweep_running'
  | 'sweep_not_held'
  // groups and mappings
  | 'group_name_taken'
  | 'already_member'
  | 'membership_from_directory'
  | 'mapping_exists'
  | 'mapping_gives_nothing'
  | 'mapping_role_refused'
  | 'username_not_searchable'
  | 'ldap_disabled'
  // files and transcripts
  | 'upload_too_large'
  | 'upload_empty'
  | 'upload_not_media'
  | 'upload_incomplete'
  | 'upload_invalid'
  | 'upload_offset_conflict'
  | 'upload_gone'
  | 'filename_invalid'
  | 'duplicate_file'
  | 'file_busy'
  | 'permission_required'
  | 'stale_version'
  | 'speaker_mismatch'
  | 'range_not_satisfiable'
  | 'artefact_missing'
  // media and engines
  | 'media_unreadable'
  | 'media_no_audio'
  | 'media_too_long'
  | 'media_truncated'
  | 'engine_missing'
  | 'engine_crashed'
  | 'engine_timeout'
  | 'engine_refused'
  | 'model_invalid'
  | 'diarization_failed'
  | 'job_cancelled'
  | 'job_lost'
  // dead jobs
  | 'task_not_dead'
  | 'task_superseded'
  | 'run_under_way'
  | 'file_deleted'
  // things we depend on
  | 'database_unavailable'
  | 'broker_unavailable'
  | 'cache_unavailable'
  | 'storage_unavailable'
  | 'storage_full'
  | 'search_unavailable'
  | 'service_unavailable'
  | 'timeout';

export type ErrorOptions = {
  cause?: unknown;
  /** Private: for the log only, never sent to a client. */
  detail?: string;
  /** Extra members of the problem document, e.g. `duplicate_file_uuid`. */
  extra?: Record<string, unknown>;
  /** Field errors. */
  errors?: { path: string; message: string }[];
  retryAfterSeconds?: number;
  /** Jobs: trying again cannot help. */
  permanent?: boolean;
};

/** An expected failure in our own words: no HTTP in it. `message` is public, `detail` is not. */
export class AppError extends Error {
  readonly kind: ErrorKind;
  readonly code: ErrorCode;
  readonly detail: string | undefined;
  readonly extra: Record<string, unknown>;
  readonly errors: { path: string; message: string }[] | undefined;
  readonly retryAfterSeconds: number | undefined;
  readonly permanent: boolean;

  constructor(kind: ErrorKind, code: ErrorCode, message: string, options: ErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'AppError';
    this.kind = kind;
    this.code = code;
    this.detail = options.detail;
    this.extra = options.extra ?? {};
    this.errors = options.errors;
    this.retryAfterSeconds = options.retryAfterSeconds;
    this.permanent = options.permanent ?? (kind !== 'unavailable' && kind !== 'rate_limited');
  }
}

const make = (kind: ErrorKind) => (code: ErrorCode, message: string, options?: ErrorOptions) =>
  new AppError(kind, code, message, options);
export const invalid = make('invalid');
export const unauthenticated = make('unauthenticated');
export const forbidden = make('forbidden');
export const conflict = make('conflict');
export const tooLarge = make('too_large');
export const rateLimited = make('rate_limited');
export const unavailable = make('unavailable');
/** Unknown or not yours: the two look the same. */
export const notFound = (what = 'Not found', options?: ErrorOptions) =>
  new AppError('not_found', 'not_found', what, options);

export const isAppError = (e: unknown): e is AppError => e instanceof AppError;

/** Closes a switch over a union. */
export const assertNever = (value: never): never => {
  throw new Error(`unexpected value ${JSON.stringify(value)}`);
};
