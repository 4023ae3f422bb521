import { z } from 'zod';
import { line, pageOf, pageQuery, routesOf, text, time } from './http.ts';
import { defineSettings, setting } from './settings.ts';

const route = routesOf('media');

export const watchKinds = ['folder', 's3'] as const;
/** Whom the imported files belong to: one account, or the account that the first folder is named after. */
export const watchOwnerRules = ['fixed', 'first_folder'] as const;
/** What the folders of an imported file become; with collections the first one below the owner's becomes one, others tags. */
export const watchFolderRules = ['tags', 'collection'] as const;
/** What happens to the source file after a verified import. */
export const watchAfterRules = ['keep', 'move', 'delete'] as const;
/** `checking`: not scanned yet. */
export const watchStatuses = ['checking', 'available', 'unavailable'] as const;
/** What was decided about a file of a source. */
export const watchDecisions = [
  'imported',
  'duplicate',
  'waiting',
  'excluded',
  'too_small',
  'too_large',
  'too_old',
  'not_media',
  'owner_unknown',
  'link_refused',
  'failed',
] as const;
export type WatchDecisionKind = (typeof watchDecisions)[number];

const patterns = z.array(text(200).trim().min(1)).max(50);
const sourceFields = {
  name: line(100).min(1),
  enabled: z.boolean(),
  kind: z.enum(watchKinds),
  /** The folder; empty for a bucket. */
  path: text(1_024),
  s3_endpoint_url: text(1_024),
  s3_region: text(100),
  s3_bucket: text(255),
  /** Only keys that begin with it; empty, or it ends in a slash. */
  s3_prefix: text(900),
  s3_access_key_id: text(255),
  owner_rule: z.enum(watchOwnerRules),
  /** E-mail address or user name of the fixed owner, else empty. */
  owner: text(320).trim(),
  /** Sources from before this choice have tags. */
  folders_as: z.enum(watchFolderRules).default('tags'),
  /** Patterns of paths below the source; without a slash they apply to file names. Empty: all files. */
  include: patterns,
  exclude: patterns,
  min_bytes: z.int().min(0),
  max_bytes: z.int().min(1).nullable(),
  /** Older files are not imported. */
  max_age_days: z.int().min(1).max(36_500).nullable(),
  /** A file is taken after it was unchanged for this time. */
  stable_seconds: z.int().min(1).max(86_400),
  poll_seconds: z.int().min(2).max(86_400),
  /** For network file systems, which send no events. */
  polling_only: z.boolean(),
  after: z.enum(watchAfterRules),
  /** The folder or prefix for imported files, with `move`. */
  move_to: text(1_024),
};
export const watchSourceSettings = z.object(sourceFields);
export type WatchSourceSettings = z.infer<typeof watchSourceSettings>;
/** undefined: the stored key, null: none. */
const newKey = text(1_024).min(1).nullable().optional();
const sourceInput = watchSourceSettings.extend({ s3_secret_key: newKey }).strict();
export type WatchSourceInput = z.infer<typeof sourceInput>;

/** The sealed key of a source. */
export function watchKeySettings(id: string) {
  return defineSettings('watch', { [`key-${id}`]: setting.secret() });
}

const watchSource = watchSourceSettings.extend({
  uuid: z.uuid(),
  s3_secret_key: z.null(),
  s3_secret_key_is_set: z.boolean(),
  owner_uuid: z.uuid().nullable(),
  status: z.enum(watchStatuses),
  /** Since when it has this status. */
  status_since: time,
  error_code: z.string().nullable(),
  error: z.string().nullable(),
  scanned_at: time.nullable(),
  /** Files at the last scan. */
  files: z.int(),
  /** Whether the file system notifies of changes; otherwise they are found at the poll interval. */
  has_events: z.boolean(),
  /** How many files have each decision. */
  counts: z.partialRecord(z.enum(watchDecisions), z.int()),
  updated_at: time,
});

const watchDecision = z.object({
  path: z.string(),
  decision: z.enum(watchDecisions),
  reason: z.string(),
  bytes: z.int(),
  modified_at: time,
  decided_at: time,
  file_uuid: z.uuid().nullable(),
  /** What happened to the source file after its import; null: it stays. */
  after_state: z.enum(['pending', 'done', 'failed']).nullable(),
  /** Since when it is missing in the source. */
  gone_at: time.nullable(),
});

const saveErrors = [
  'watch_folder_refused',
  'watch_owner_unknown',
  'watch_settings_invalid',
  'url_invalid',
  'url_refused',
  'host_unreachable',
  'secret_required',
] as const;

export const watchRoutes = {
  watchSources: route('GET', '/api/admin/watch-sources', 'super_admin', {
    summary: 'Folders and buckets whose recordings are imported, with their state; keys are null with is_set',
    answer: z.object({
      items: z.array(watchSource),
      /** Folders below these may be watched. */
      roots: z.array(z.string()),
    }),
  }),
  createWatchSource: route('POST', '/api/admin/watch-sources', 'super_admin', {
    summary: 'Watch a folder or a bucket',
    body: sourceInput,
    answer: watchSource,
    status: 201,
    errors: [...saveErrors, 'too_many_watch_sources'],
  }),
  updateWatchSource: route('PUT', '/api/admin/watch-sources/{uuid}', 'super_admin', {
    summary: 'Change a watch source; files that were not imported are decided about again',
    body: sourceInput,
    answer: watchSource,
    errors: [...saveErrors],
  }),
  deleteWatchSource: route('DELETE', '/api/admin/watch-sources/{uuid}', 'super_admin', {
    summary: 'Stop watching; imported files stay',
  }),
  testWatchSource: route('POST', '/api/admin/watch-sources/test', 'super_admin', {
    summary: 'List the files of a source, saved or not; nothing is imported',
    body: z.strictObject({ uuid: z.uuid().optional(), source: sourceInput }),
    answer: z.object({
      ok: z.boolean(),
      error_code: z.string().nullable(),
      error: z.string().nullable(),
      files: z.int(),
      /** Files that the patterns, sizes and ages allow. */
      matching: z.int(),
      examples: z.array(z.string()),
    }),
    errors: [...saveErrors],
  }),
  scanWatchSource: route('POST', '/api/admin/watch-sources/{uuid}/scan', 'super_admin', {
    summary: 'Scan now instead of at the next interval',
    answer: watchSource,
    status: 202,
  }),
  watchDecisions: route('GET', '/api/admin/watch-sources/{uuid}/decisions', 'super_admin', {
    summary: 'What was decided about the files of a source, the latest first',
    query: z.object({
      ...pageQuery,
      decision: z.enum(watchDecisions).optional(),
      /** Part of the path. */
      search: text(200).optional(),
    }),
    answer: pageOf(watchDecision),
  }),
};
