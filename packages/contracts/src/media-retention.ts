import { z } from 'zod';
import { line, pageOf, pageQuery, routesOf, text, time } from './http.ts';
import { tagName } from './media-objects.ts';
import { defineSettings, setting, settingChanges, settingsAnswer } from './settings.ts';

const route = routesOf('media');

/** What a retention rule deletes: the recording with everything derived from it, or the file through the bin. */
export const retentionRemovals = ['recording', 'everything'] as const;
/** Conditions of a rule, as reasons why it applies to a file. */
export const retentionReasons = ['age', 'unused', 'size', 'tag', 'collection'] as const;

const days = z.int().min(1).max(36_500);
/** All conditions that are present must hold; at least one is present. */
export const retentionConditions = z
  .strictObject({
    /** Uploaded longer ago than this. */
    older_than_days: days.optional(),
    /** Not opened, played or exported for this time. */
    unused_for_days: days.optional(),
    /** Size of the recording. */
    larger_than_bytes: z.int().min(1).optional(),
    /** Has at least one of these tags. */
    any_tag: z.array(tagName).min(1).max(20).optional(),
    /** Is in at least one of these collections. A collection that was deleted contains no file. */
    any_collection: z.array(z.uuid()).min(1).max(20).optional(),
  })
  .refine(
    (conditions) => Object.values(conditions).some((value) => value !== undefined),
    'needs at least one condition',
  );
export type RetentionConditions = z.infer<typeof retentionConditions>;

const ruleFields = {
  name: line(100).min(1),
  enabled: z.boolean(),
  removes: z.enum(retentionRemovals),
  conditions: retentionConditions,
};
const retentionRule = z.object({ uuid: z.uuid(), ...ruleFields, updated_at: time });
const ruleBody = z.strictObject({ ...ruleFields, enabled: z.boolean().default(false) });

export const retentionGroup = defineSettings('retention', {
  enabled: setting.flag({ default: false }),
  /** Cron expression in UTC. */
  schedule: setting.line(text(200).min(1), { default: '0 2 * * *', max: 200 }),
  /** A rule that would delete more of the library than this in one day waits for an approval. */
  max_percent: setting.measure({ default: 5, range: [0.1, 100], unit: 'percent' }),
});
const retentionSettings = settingsAnswer.extend({ next_due: time.nullable(), bin_days: z.number() });

const fileFacts = {
  file_uuid: z.uuid(),
  title: z.string().nullable(),
  owner_uuid: z.uuid().nullable(),
  owner_name: z.string().nullable(),
  bytes: z.int(),
};
const previewItem = z.object({
  ...fileFacts,
  upload_time: time,
  last_used_on: z.iso.date(),
  reasons: z.array(z.enum(retentionReasons)),
});

const runRule = z.object({
  rule_uuid: z.uuid(),
  name: z.string(),
  removes: z.enum(retentionRemovals),
  /** held: waits for an approval of exactly this set; superseded: a later run has planned again. */
  status: z.enum(['admitted', 'held', 'approved', 'superseded']),
  set_digest: z.string(),
  planned: z.int(),
  planned_bytes: z.int(),
  removed: z.int(),
  removed_bytes: z.int(),
  skipped: z.int(),
});
const retentionRun = z.object({
  uuid: z.uuid(),
  trigger: z.enum(['manual', 'schedule']),
  status: z.enum(['queued', 'running', 'success', 'failed']),
  queued_at: time,
  started_at: time.nullable(),
  finished_at: time.nullable(),
  library_files: z.int().nullable(),
  error_code: z.string().nullable(),
  rules: z.array(runRule),
});
const runItem = z.object({
  ...fileFacts,
  rule_uuid: z.uuid(),
  outcome: z.enum(['planned', 'removed', 'skipped']),
  /** Why a planned file was kept. */
  skip_reason: z.enum(['legal_hold', 'no_longer_applies', 'rule_changed', 'gone']).nullable(),
  decided_at: time.nullable(),
});

const legalHold = z.object({
  uuid: z.uuid(),
  /** A hold is on one file or on all files of one owner. */
  file_uuid: z.uuid().nullable(),
  file_title: z.string().nullable(),
  user_uuid: z.uuid().nullable(),
  user_name: z.string().nullable(),
  reason: z.string(),
  placed_by: z.uuid().nullable(),
  placed_by_name: z.string().nullable(),
  placed_at: time,
});

export const retentionRoutes = {
  retentionSettings: route('GET', '/api/admin/retention/settings', 'super_admin', {
    summary: 'When retention rules run, and above which share of the library they wait for an approval',
    answer: retentionSettings,
  }),
  updateRetentionSettings: route('PUT', '/api/admin/retention/settings', 'super_admin', {
    summary: 'Change when retention rules run',
    body: settingChanges(retentionGroup),
    answer: retentionSettings,
    errors: ['schedule_invalid'],
  }),
  retentionRules: route('GET', '/api/admin/retention/rules', 'super_admin', {
    summary: 'Retention rules in their order; the first rule that applies to a file decides',
    answer: z.array(retentionRule),
  }),
  createRetentionRule: route('POST', '/api/admin/retention/rules', 'super_admin', {
    summary: 'Add a retention rule at the end; it is switched off unless the body says otherwise',
    body: ruleBody,
    answer: retentionRule,
    status: 201,
  }),
  orderRetentionRules: route('PUT', '/api/admin/retention/rules', 'super_admin', {
    summary: 'Set the order of all retention rules',
    body: z.strictObject({ rule_uuids: z.array(z.uuid()).max(1_000) }),
    answer: z.array(retentionRule),
    errors: ['stale_version'],
  }),
  updateRetentionRule: route('PUT', '/api/admin/retention/rules/{uuid}', 'super_admin', {
    summary: 'Change a retention rule; deletions that a run has planned for it are skipped',
    body: z.strictObject(ruleFields).partial(),
    answer: retentionRule,
  }),
  deleteRetentionRule: route('DELETE', '/api/admin/retention/rules/{uuid}', 'super_admin', {
    summary: 'Delete a retention rule; deletions that a run has planned for it are skipped',
  }),
  previewRetentionRule: route('GET', '/api/admin/retention/rules/{uuid}/preview', 'super_admin', {
    summary: 'What the rule would delete now, as if it were enabled, with the reasons',
    query: z.object({ ...pageQuery }),
    answer: pageOf(previewItem).extend({
      total_bytes: z.int(),
      library_files: z.int(),
      /** The run would hold this set for an approval. */
      would_be_held: z.boolean(),
      /** Files that fulfil the conditions and are under a legal hold: they stay. */
      legal_holds: z.int(),
      /** Files that an enabled rule before this one deletes. */
      earlier_rules: z.int(),
    }),
  }),
  runRetention: route('POST', '/api/admin/retention/runs', 'super_admin', {
    summary: 'Apply all enabled rules now',
    answer: retentionRun,
    status: 202,
    errors: ['retention_running'],
  }),
  retentionRuns: route('GET', '/api/admin/retention/runs', 'super_admin', {
    summary: 'Retention runs, the latest first',
    query: z.object({ ...pageQuery }),
    answer: pageOf(retentionRun),
  }),
  retentionItems: route('GET', '/api/admin/retention/runs/{uuid}/files', 'super_admin', {
    summary: 'The files of a run with what happened to them',
    query: z.object({ ...pageQuery, rule_uuid: z.uuid().optional() }),
    answer: pageOf(runItem),
  }),
  approveRetention: route('POST', '/api/admin/retention/runs/{uuid}/approve', 'super_admin', {
    summary: 'Delete exactly the set of files that is held',
    body: z.strictObject({ rule_uuid: z.uuid(), set_digest: text(64) }),
    answer: retentionRun,
    status: 202,
    errors: ['retention_not_held', 'retention_running'],
  }),
  legalHolds: route('GET', '/api/admin/legal-holds', 'admin', {
    summary: 'Legal holds, the latest first',
    query: z.object({ ...pageQuery }),
    answer: pageOf(legalHold),
  }),
  placeLegalHold: route('POST', '/api/admin/legal-holds', 'admin', {
    summary: 'Keep a file, or all files of an owner, from every deletion',
    body: z
      .strictObject({
        file_uuid: z.uuid().optional(),
        user_uuid: z.uuid().optional(),
        reason: text(500).trim().min(1),
      })
      .refine(
        ({ file_uuid, user_uuid }) => (file_uuid === undefined) !== (user_uuid === undefined),
        'needs either file_uuid or user_uuid',
      ),
    answer: legalHold,
    status: 201,
    errors: ['already_held', 'not_found'],
  }),
  releaseLegalHold: route('DELETE', '/api/admin/legal-holds/{uuid}', 'admin', {
    summary: 'Release a legal hold',
  }),
};
