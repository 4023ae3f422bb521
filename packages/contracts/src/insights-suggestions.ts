import { z } from 'zod';
import { defineEvent, defineJob } from './define.ts';
import { line, routesOf, time } from './http.ts';
import { defineSettings, setting, settingChanges, settingsAnswer, type SettingValues } from './settings.ts';

const route = routesOf('insights');

export const suggestionKinds = ['tag', 'collection', 'speaker'] as const;
export type SuggestionKind = (typeof suggestionKinds)[number];
/** `applied`: by the service itself; `undone`: accepted or applied, and taken back. */
export const suggestionStatuses = ['pending', 'accepted', 'applied', 'rejected', 'undone'] as const;
export type SuggestionStatus = (typeof suggestionStatuses)[number];
/** Labels are tags and collections. */
export const suggestionParts = ['labels', 'speakers'] as const;
export type SuggestionPart = (typeof suggestionParts)[number];
/** `withheld`: the transcript may not be read until it was checked for personal data. */
export const extractionStates = ['none', 'waiting', 'processing', 'completed', 'failed', 'withheld'] as const;
export type ExtractionState = (typeof extractionStates)[number];

/** Fenced by the token of the stored extraction: only the newest attempt stores its result. */
const job = { input: z.object({ fileId: z.uuid() }), output: z.object({}), attempts: 4, backoffMs: 15_000 } as const;
export const suggestionJobs = {
  suggestLabels: defineJob('job.nlp.insights.suggest-topics', { ...job, fencedBy: 'handler' }),
  suggestSpeakers: defineJob('job.nlp.insights.suggest-names', { ...job, fencedBy: 'handler' }),
};

export const suggestionEvents = {
  changed: defineEvent('evt.insights.suggestions.changed.v1', z.object({ fileId: z.uuid(), ownerId: z.uuid() })),
};

/** For all people; a person can switch automatic labels off for their own recordings, and choose another confidence. */
export const labelGroup = defineSettings('labels', {
  apply_automatically: setting.flag({ default: true }),
  confidence_threshold: setting.measure({ default: 0.75, range: [0.5, 1] }),
});
export type LabelSettings = SettingValues<typeof labelGroup>;

const suggestion = z.object({
  uuid: z.uuid(),
  name: z.string(),
  /** 0 to 1. */
  confidence: z.number(),
  /** The words of the transcript that show it. */
  rationale: z.string(),
  segment_uuid: z.uuid().nullable(),
  /** Seconds. */
  start: z.number().nullable(),
  status: z.enum(suggestionStatuses),
});
const speakerSuggestion = suggestion.extend({ speaker_uuid: z.uuid() });
export type SuggestionObject = z.infer<typeof suggestion>;

const extraction = z.object({
  state: z.enum(extractionStates),
  error_code: z.string().nullable(),
  /** Without a provider. */
  made_without_model: z.boolean(),
  provider: z.string().nullable(),
  model: z.string().nullable(),
  /** The transcript was edited since. */
  out_of_date: z.boolean(),
  finished_at: time.nullable(),
});
export type ExtractionObject = z.infer<typeof extraction>;

export const fileSuggestions = z.object({
  media_file_id: z.uuid(),
  /** The owner. */
  user_id: z.uuid(),
  suggested_tags: z.array(suggestion),
  /** Empty for readers who do not own the file: collections are their owner's. */
  suggested_collections: z.array(suggestion),
  suggested_speakers: z.array(speakerSuggestion),
  /** reviewed: some were accepted and some rejected. */
  status: z.enum(['pending', 'reviewed', 'accepted', 'rejected']),
  auto_applied_tags: z.array(z.string()),
  auto_applied_collections: z.array(z.string()),
  auto_apply_completed_at: time.nullable(),
  labels: extraction,
  speakers: extraction,
  created_at: time.nullable(),
});
export type FileSuggestions = z.infer<typeof fileSuggestions>;

const chosen = z.object({ suggestion_uuids: z.array(z.uuid()).min(1).max(200) });
const decided = z.object({
  /** Those whose status was changed by this request. */
  changed: z.array(z.uuid()),
  suggestions: fileSuggestions,
});
const order = z.object({ force_regenerate: z.boolean().default(false) }).optional();
const ordered = z.object({ message: z.string(), file_id: z.uuid(), ordered: z.boolean() });
const names = z.array(line(120).min(1)).max(100).default([]);

const preference = {
  enabled: z.boolean(),
  confidence_threshold: z.number().min(0.5).max(1),
  tags_enabled: z.boolean(),
  collections_enabled: z.boolean(),
};
const preferenceAnswer = z.object({
  ...preference,
  /** False: an administrator has switched automatic labels off for everybody. */
  allowed: z.boolean(),
  /** Whether the person has chosen; otherwise these are the defaults. */
  is_set: z.boolean(),
});
export type AutoLabelPreference = z.infer<typeof preferenceAnswer>;

const labelRun = z.object({
  uuid: z.uuid(),
  status: z.enum(['running', 'stopped', 'completed']),
  total: z.int(),
  processed: z.int(),
  failed: z.int(),
  /** The labels that the run has applied. */
  labels: z.int(),
  started_at: time,
  finished_at: time.nullable(),
});
export type LabelRunObject = z.infer<typeof labelRun>;

export const suggestionRoutes = {
  suggestions: route('GET', '/api/files/{uuid}/suggestions', 'user', {
    summary: 'Suggested tags, collections and speaker names of a file',
    answer: fileSuggestions,
  }),
  discardSuggestions: route('DELETE', '/api/files/{uuid}/suggestions', 'user', {
    summary: 'Delete the suggestions without a decision; what was applied or rejected stays',
    errors: ['permission_required'],
  }),
  acceptSuggestions: route('POST', '/api/files/{uuid}/suggestions/accept', 'user', {
    summary: 'Apply suggestions; a speaker that has a name keeps it',
    body: chosen,
    answer: decided,
    errors: ['permission_required'],
  }),
  rejectSuggestions: route('POST', '/api/files/{uuid}/suggestions/reject', 'user', {
    summary: 'Reject suggestions; they are not made again for this file',
    body: chosen,
    answer: decided,
    errors: ['permission_required'],
  }),
  undoSuggestions: route('POST', '/api/files/{uuid}/suggestions/undo', 'user', {
    summary: 'Take accepted or automatically applied suggestions back; a rejected one becomes pending',
    body: chosen,
    answer: decided,
    errors: ['permission_required'],
  }),
  identifySpeakers: route('POST', '/api/files/{uuid}/identify-speakers', 'user', {
    summary: 'Order suggestions for the names of the speakers without one',
    body: order,
    answer: ordered,
    status: 202,
    errors: ['permission_required', 'no_transcript'],
  }),
  extractTopics: route('POST', '/api/topics/{uuid}/extract', 'user', {
    summary: 'Order suggestions for tags and collections',
    body: order,
    answer: ordered,
    status: 202,
    errors: ['permission_required', 'no_transcript'],
  }),
  applyTopics: route('POST', '/api/topics/{uuid}/apply', 'user', {
    summary: 'Apply suggested tags and collections by their names; a name that was not suggested is refused',
    body: z.object({ accepted_tags: names, accepted_collections: names }),
    answer: decided,
    errors: ['permission_required', 'suggestion_unknown'],
  }),
  autoLabel: route('POST', '/api/topics/{uuid}/auto-label', 'user', {
    summary: 'Order suggestions and apply those above the confidence threshold',
    answer: ordered,
    status: 202,
    errors: ['permission_required', 'no_transcript'],
  }),
  extractTopicsOfFiles: route('POST', '/api/topics/batch-extract', 'user', {
    summary: 'Order suggestions for up to 500 files; files that the caller may not edit are left out',
    body: z.object({ file_uuids: z.array(z.uuid()).min(1).max(500) }),
    answer: z.object({ ordered: z.array(z.uuid()) }),
    status: 202,
  }),
  startLabelRun: route('POST', '/api/topics/retroactive-auto-label', 'user', {
    summary: "Label the caller's files that were transcribed before: up to 500 named ones, or all",
    body: z.object({ file_uuids: z.array(z.uuid()).min(1).max(500).nullable().default(null) }),
    answer: labelRun,
    status: 202,
    errors: ['label_run_active'],
  }),
  labelRun: route('GET', '/api/topics/retroactive-auto-label/status', 'user', {
    summary: "The caller's latest run over the library; null: none",
    answer: z.object({ run: labelRun.nullable() }),
  }),
  stopLabelRun: route('DELETE', '/api/topics/retroactive-auto-label', 'user', {
    summary: "Stop the caller's run; what it applied stays",
    answer: z.object({ run: labelRun.nullable() }),
  }),
  autoLabelPreference: route('GET', '/api/user-settings/auto-label', 'user', {
    summary: "Automatic labels of the caller's recordings",
    answer: preferenceAnswer,
  }),
  updateAutoLabelPreference: route('PUT', '/api/user-settings/auto-label', 'user', {
    summary: "Change automatic labels of the caller's recordings",
    body: z.strictObject(preference).partial(),
    answer: preferenceAnswer,
  }),
  resetAutoLabelPreference: route('DELETE', '/api/user-settings/auto-label', 'user', {
    summary: 'Use the defaults again',
    answer: preferenceAnswer,
  }),
  labelSettings: route('GET', '/api/admin/label-settings', 'super_admin', {
    summary: 'Suggestions and automatic labels for everybody',
    answer: settingsAnswer,
  }),
  updateLabelSettings: route('PUT', '/api/admin/label-settings', 'super_admin', {
    summary: 'Change suggestions and automatic labels for everybody; null restores a default',
    body: settingChanges(labelGroup),
    answer: settingsAnswer,
  }),
};
