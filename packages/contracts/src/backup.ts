import { z } from 'zod';
import { defineEvent, defineJob } from './define.ts';
import { pageOf, pageQuery, routesOf, text, time } from './http.ts';
import { defineSettings, setting, settingChanges, settingsAnswer, type PlainSettings } from './settings.ts';

const route = routesOf('operations');

const folderRule = 'Enter the full path of a folder. It begins with a slash, such as /backups.';
const folderPath = text(1_024).regex(/^(?:\/|$)/, folderRule);
const destination = {
  destination_type: setting.choice({ default: 'folder', choices: ['folder', 's3'] }),
  /** The absolute path of a folder; empty: not set. */
  destination: setting.line(folderPath, { default: '', max: 1_024 }),
  s3_endpoint_url: setting.line(z.union([z.literal(''), z.url({ protocol: /^https?$/ }).max(1_024)]), {
    default: '',
    max: 1_024,
  }),
  s3_region: setting.line(text(100), { default: 'us-east-1', max: 100 }),
  s3_bucket: setting.line(text(255), { default: '', max: 255 }),
  s3_access_key_id: setting.line(text(255), { default: '', max: 255 }),
  s3_secret_key: setting.secret(),
};
/** The schedule is a cron expression in UTC. */
function planOf(schedule: string) {
  return {
    enabled: setting.flag({ default: false }),
    schedule: setting.line(text(200).min(1), { default: schedule, max: 200 }),
  };
}
function keep(count: number) {
  return setting.count({ default: count, range: [0, 1_000] });
}
const prefix = z.union([
  z.literal(''),
  z
    .string()
    .max(1_024)
    .regex(/^[A-Za-z0-9_-][A-Za-z0-9._-]*(\/[A-Za-z0-9_-][A-Za-z0-9._-]*)*$/),
]);

export const backupGroup = defineSettings('backup', {
  ...planOf('0 3 * * *'),
  ...destination,
  s3_prefix: setting.line(prefix, { default: '', max: 1_024 }),
  retention_daily: keep(7),
  retention_weekly: keep(4),
  retention_monthly: keep(12),
  encrypt: setting.flag({ default: false }),
  passphrase: setting.secret({ min: 12 }),
});
export const mirrorGroup = defineSettings('mirror', {
  ...planOf('30 3 * * *'),
  ...destination,
  /** null: no limit. */
  throttle_mb_per_second: setting.optional(setting.measure({ default: 1, range: [0.1, 10_000], unit: 'MB/s' })),
});
export type BackupSettings = PlainSettings<typeof backupGroup>;
export type MirrorSettings = PlainSettings<typeof mirrorGroup>;
const backupChanges = settingChanges(backupGroup);
const mirrorChanges = settingChanges(mirrorGroup);

const destinationStatus = z.object({
  /** For people: the folder, or `s3://bucket/prefix`; null while none is set. */
  destination: z.string().nullable(),
  ok: z.boolean(),
  error_code: z.string().nullable(),
  error: z.string().nullable(),
  free_bytes: z.int().nullable(),
  /** The folder does not exist, and would be created on this disk; null: it exists, or is a bucket. */
  creates_folder_on: z.enum(['system_disk', 'other_disk']).nullable(),
});
export type DestinationStatus = z.infer<typeof destinationStatus>;

const run = {
  uuid: z.uuid(),
  trigger: z.enum(['manual', 'schedule']),
  status: z.enum(['queued', 'running', 'success', 'failed']),
  /** The time of the schedule that the run serves; null for a manual run. */
  scheduled_for: time.nullable(),
  queued_at: time,
  started_at: time.nullable(),
  finished_at: time.nullable(),
  duration_s: z.number().nullable(),
  destination: z.string().nullable(),
  error_code: z.string().nullable(),
  error: z.string().nullable(),
};
const backupRun = z.object({ ...run, name: z.string().nullable(), size_bytes: z.int().nullable() });
const mirrorRun = z.object({
  ...run,
  copied: z.int(),
  bytes_copied: z.int(),
  already_there: z.int(),
  missing: z.int(),
  differing: z.int(),
  failed: z.int(),
});
/** The names are the first 1,000; the counts of the run are exact. */
export const mirrorReport = z.object({
  /** Named by the database, and not in the object store. */
  missing: z.array(z.string()),
  /** Their content in the mirror was another one; they were copied again. */
  differing: z.array(z.string()),
  failed: z.array(z.object({ key: z.string(), error: z.string() })),
});
export type MirrorReport = z.infer<typeof mirrorReport>;

const queued = z.object({ run_id: z.uuid(), status: z.literal('queued'), message: z.string() });
const tested = destinationStatus;
const destinationErrors = [
  'schedule_invalid',
  'destination_missing',
  'destination_unavailable',
  'destination_full',
  'secret_required',
] as const;

function statusOf<R extends z.ZodType>(runSchema: R) {
  return {
    enabled: z.boolean(),
    schedule: z.string(),
    /** Null while the schedule is switched off. */
    next_due: time.nullable(),
    running: runSchema.nullable(),
    last_run: runSchema.nullable(),
    last_success: runSchema.nullable(),
    destination_status: destinationStatus,
    /** Of the instance, for commands; null: the default one, or servers of your own. */
    data_folder: z.string().nullable(),
  };
}

export const backupRoutes = {
  backupSettings: route('GET', '/api/admin/backup/settings', 'super_admin', {
    summary: 'Settings of the backups',
    answer: settingsAnswer,
  }),
  updateBackupSettings: route('PUT', '/api/admin/backup/settings', 'super_admin', {
    summary: 'Change settings of the backups; the destination is tested first, and nothing is saved when it fails',
    body: backupChanges,
    answer: settingsAnswer,
    errors: [...destinationErrors, 'passphrase_required'],
  }),
  testBackup: route('POST', '/api/admin/backup/test', 'super_admin', {
    summary:
      'Test the destination, with changes of the body that are not saved; folders that the test created are removed',
    body: backupChanges.optional(),
    answer: tested,
    errors: ['secret_required'],
  }),
  runBackup: route('POST', '/api/admin/backup/run', 'super_admin', {
    summary: 'Make a backup now',
    answer: queued,
    status: 202,
    errors: ['backup_running', 'destination_missing'],
  }),
  backupRuns: route('GET', '/api/admin/backup/runs', 'super_admin', {
    summary: 'Runs, newest first',
    query: z.object(pageQuery),
    answer: pageOf(backupRun),
  }),
  backups: route('GET', '/api/admin/backup/backups', 'super_admin', {
    summary: 'The complete backups at the destination, newest first, and the manifests that cannot be read',
    answer: z.object({
      backups: z.array(
        z.object({
          name: z.string(),
          filename: z.string(),
          size_bytes: z.int(),
          created_at: time,
          encrypted: z.boolean(),
          product_version: z.string(),
          schema_version: z.int(),
        }),
      ),
      unreadable: z.array(z.string()),
      destination_status: destinationStatus,
    }),
  }),
  backupStatus: route('GET', '/api/admin/backup/status', 'super_admin', {
    summary: 'When the next backup is due, the last runs, and whether pg_dump and the destination can be used',
    answer: z.object({ ...statusOf(backupRun), pg_dump_available: z.boolean() }),
  }),
};

export const mirrorRoutes = {
  mirrorSettings: route('GET', '/api/admin/media-mirror/settings', 'super_admin', {
    summary: 'Settings of the media mirror',
    answer: settingsAnswer,
  }),
  updateMirrorSettings: route('PUT', '/api/admin/media-mirror/settings', 'super_admin', {
    summary: 'Change settings of the media mirror; the destination is tested first, and nothing is saved when it fails',
    body: mirrorChanges,
    answer: settingsAnswer,
    errors: [...destinationErrors, 'destination_same'],
  }),
  testMirror: route('POST', '/api/admin/media-mirror/test', 'super_admin', {
    summary:
      'Test the destination, with changes of the body that are not saved; folders that the test created are removed',
    body: mirrorChanges.optional(),
    answer: tested,
    errors: ['secret_required'],
  }),
  runMirror: route('POST', '/api/admin/media-mirror/run', 'super_admin', {
    summary: 'Copy what is missing in the mirror now',
    answer: queued,
    status: 202,
    errors: ['mirror_running', 'destination_missing'],
  }),
  mirrorRuns: route('GET', '/api/admin/media-mirror/runs', 'super_admin', {
    summary: 'Runs, newest first',
    query: z.object(pageQuery),
    answer: pageOf(mirrorRun),
  }),
  mirrorStatus: route('GET', '/api/admin/media-mirror/status', 'super_admin', {
    summary: 'When the next run is due, the last runs, and whether the destination can be used',
    answer: z.object({ ...statusOf(mirrorRun), objects: z.int() }),
  }),
  mirrorReport: route('GET', '/api/admin/media-mirror/report', 'super_admin', {
    summary: 'What the last finished run copied, and the names of what is missing or differs',
    answer: z.object({ run: mirrorRun.nullable(), names: mirrorReport }),
  }),
};

/** A run that ended without its result; an interrupted run of the schedule that is repeated has none. */
export const operationsRunEvents = {
  failed: defineEvent(
    'evt.operations.run.failed.v1',
    z.object({ runId: z.uuid(), kind: z.enum(['backup', 'mirror']) }),
  ),
};

const runInput = z.object({ runId: z.uuid() });
const ended = z.object({});
/** Both are fenced by the row of their run, which exists before the job and ends once. */
export const operationsJobs = {
  backup: defineJob('job.utility.operations.backup', {
    input: runInput,
    output: ended,
    attempts: 5,
    fencedBy: 'handler',
  }),
  mirror: defineJob('job.download.operations.mirror', {
    input: runInput,
    output: ended,
    attempts: 5,
    fencedBy: 'handler',
  }),
};
