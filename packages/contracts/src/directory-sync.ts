import { z } from 'zod';
import { defineEvent, defineJob } from './define.ts';
import { decisionEvidence, syncRunReport, syncRunSummary } from './directory-sync-runs.ts';
import { pageOf, pageQuery, routesOf, text, time } from './http.ts';

const route = routesOf('directory-sync');

const settings = {
  enabled: z.boolean(),
  /** Cron expression in UTC. */
  schedule: text(200).min(1),
  dry_run: z.boolean(),
  max_disables_per_run: z.int().min(1).max(100_000),
  /** A run that would disable more than this share of 20 or more accounts is held as a whole; null: no limit. */
  max_disable_percent: z.number().min(0.01).max(100).nullable(),
};
export const directorySyncSettings = z.object(settings);
export type DirectorySyncSettings = z.infer<typeof directorySyncSettings>;
const settingsAnswer = z.object({
  ...settings,
  last_run_at: time.nullable(),
  last_result: syncRunReport.nullable(),
});

export const directorySyncRoutes = {
  directorySync: route('GET', '/api/admin/directory-sync', 'super_admin', {
    summary: 'Settings of the directory sync and the report of its last sync run',
    answer: settingsAnswer,
  }),
  updateDirectorySync: route('PUT', '/api/admin/directory-sync', 'super_admin', {
    summary: 'Change settings of the directory sync; effective from the next check of the schedule',
    body: directorySyncSettings.partial().strict(),
    answer: settingsAnswer,
    errors: ['schedule_invalid'],
  }),
  directorySyncStatus: route('GET', '/api/admin/directory-sync/status', 'super_admin', {
    summary: 'Whether a sync run is running or due, and when the next ones are',
    answer: settingsAnswer.extend({
      next_due: z.boolean(),
      next_runs: z.array(time),
      running: z
        .object({
          pass_uuid: z.uuid(),
          phase: z.enum(['snapshot', 'plan', 'witness', 'apply']),
          done: z.int(),
          total: z.int().nullable(),
          dry_run: z.boolean(),
          started_at: time,
        })
        .nullable(),
    }),
  }),
  runDirectorySync: route('POST', '/api/admin/directory-sync/run', 'super_admin', {
    summary: 'Start a sync run, as configured or as a dry run',
    body: z.object({ dry_run: z.literal(true).optional() }).optional(),
    answer: z.object({ task_id: z.uuid(), status: z.literal('queued'), message: z.string() }),
    status: 202,
    errors: ['sweep_running'],
  }),
  runs: route('GET', '/api/admin/directory-sync/passes', 'super_admin', {
    summary: 'Sync runs, newest first',
    query: z.object(pageQuery),
    answer: pageOf(syncRunSummary),
  }),
  run: route('GET', '/api/admin/directory-sync/passes/{uuid}', 'super_admin', {
    summary: 'The report of a sync run',
    answer: syncRunReport,
  }),
  approveRun: route('POST', '/api/admin/directory-sync/passes/{uuid}/approve', 'super_admin', {
    summary:
      'Approve a held sync run: a new sync run disables the accounts of exactly this set that still have to be disabled',
    body: z.object({ set_digest: text(64) }),
    answer: z.object({ task_id: z.uuid(), status: z.literal('queued'), message: z.string() }),
    status: 202,
    errors: ['sweep_running', 'sweep_not_held'],
  }),
  undoRun: route('POST', '/api/admin/directory-sync/passes/{uuid}/undo', 'super_admin', {
    summary: 'Enable the accounts that a sync run disabled, if they were not changed since',
    answer: z.object({
      restored: z.int(),
      left: z.array(z.object({ user_uuid: z.uuid(), email: z.string(), why: z.string() })),
    }),
  }),
  explainUser: route('GET', '/api/admin/directory-sync/users/{uuid}', 'super_admin', {
    summary: 'What sync runs decided about an account and why, newest first',
    answer: z.array(
      z.object({
        pass_uuid: z.uuid(),
        at: time,
        dry_run: z.boolean(),
        decision: z.string(),
        reason: z.string().nullable(),
        evidence: decisionEvidence,
      }),
    ),
  }),
};

export const directorySyncEvents = {
  /** A sync run that is no dry run waits for the approval of an administrator. */
  runHeld: defineEvent('evt.directory.run.held.v1', z.object({ runId: z.uuid() })),
};

const started = z.object({});
/** Names as in the specification, "Scheduling"; both jobs are fenced by the directory sync's lease in the database. */
export const directoryJobs = {
  checkSchedule: defineJob('job.cpu.directory.sync_check_schedule', {
    input: z.object({ slot: time }),
    output: started,
    attempts: 3,
    fencedBy: 'handler',
  }),
  run: defineJob('job.cpu.directory.sync_run', {
    input: z.object({
      trigger: z.enum(['schedule', 'manual', 'approval']),
      /** Overrides the setting only to be more cautious. */
      dryRun: z.boolean(),
      /** The held sync run whose set was approved. */
      approvedPass: z.uuid().nullable(),
      approvedBy: z.uuid().nullable(),
    }),
    output: started,
    attempts: 3,
    backoffMs: 10_000,
    fencedBy: 'handler',
  }),
};
