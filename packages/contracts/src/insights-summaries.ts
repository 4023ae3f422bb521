import { z } from 'zod';
import { defineEvent, defineLive } from './define.ts';
import { routesOf, time } from './http.ts';

const route = routesOf('insights');

/** Where a statement comes from: a passage and its second, so that the page can jump there. */
const summarySource = z.object({ uuid: z.uuid(), start: z.number() });
const statement = z.object({ text: z.string(), segments: z.array(summarySource) });
export const summaryContent = z.object({
  brief: z.array(statement),
  key_decisions: z.array(statement),
  /** `owner` and `due_date` as they were spoken; null: it was not mentioned. */
  action_items: z.array(statement.extend({ owner: z.string().nullable(), due_date: z.string().nullable() })),
  /** Seconds. */
  topics: z.array(
    z.object({ title: z.string(), start: z.number(), end: z.number(), segments: z.array(summarySource) }),
  ),
  follow_ups: z.array(statement),
});
export type SummaryContent = z.infer<typeof summaryContent>;

/** A part of the recording that the summary does not cover, and why. Seconds. */
export const summaryGap = z.object({ start: z.number(), end: z.number(), segments: z.int(), reason: z.string() });
export type SummaryGap = z.infer<typeof summaryGap>;

export const summaryRunStates = ['waiting', 'processing', 'completed', 'partial', 'failed'] as const;
export type SummaryRunState = (typeof summaryRunStates)[number];

const versionFields = {
  /** Of one file, from 1. */
  version: z.int(),
  state: z.enum(summaryRunStates),
  automatic: z.boolean(),
  /** Sentences of the transcript, found without a language model. */
  made_without_model: z.boolean(),
  provider: z.string().nullable(),
  model: z.string().nullable(),
  prompt_uuid: z.uuid().nullable(),
  prompt_name: z.string().nullable(),
  /** BCP 47; null: the language of the recording. */
  language: z.string().nullable(),
  /** The transcript was edited since. */
  out_of_date: z.boolean(),
  /** More is masked now than when it was made: it is not shown. */
  withheld: z.boolean(),
  /** Why a version is failed or incomplete. */
  error_code: z.string().nullable(),
  created_at: time,
  finished_at: time.nullable(),
};
const summaryVersion = z.object(versionFields);
export type SummaryVersion = z.infer<typeof summaryVersion>;

export const summaryObject = z.object({
  file_id: z.uuid(),
  title: z.string(),
  ...versionFields,
  summary: summaryContent,
  coverage: z.object({ segments: z.int(), covered_segments: z.int(), gaps: z.array(summaryGap) }),
  usage: z.object({ input_tokens: z.int(), output_tokens: z.int(), duration_ms: z.int() }),
});
export type SummaryObject = z.infer<typeof summaryObject>;

export const summaryStatuses = ['none', ...summaryRunStates] as const;
/** What a person can do about the status. */
export const summaryAdvices = [
  'nothing',
  'create',
  'wait',
  'retry',
  'create_again',
  'choose_larger_model',
  'check_provider',
] as const;
export const summaryStatus = z.object({
  file_id: z.uuid(),
  /** Of the latest version. */
  status: z.enum(summaryStatuses),
  version: z.int().nullable(),
  /** The version that is shown: an earlier one while the latest is in progress or failed. */
  shown_version: z.int().nullable(),
  out_of_date: z.boolean(),
  withheld: z.boolean(),
  sections_done: z.int(),
  /** 0: not known yet. */
  sections_total: z.int(),
  reason: z.string().nullable(),
  advice: z.enum(summaryAdvices),
  /** A failed request is repeated then. */
  retry_at: time.nullable(),
  /** A language model is configured; without one sentences of the transcript are shown. */
  llm_available: z.boolean(),
  can_generate: z.boolean(),
  can_retry: z.boolean(),
});
export type SummaryStatus = z.infer<typeof summaryStatus>;

/** `en`, `pt-BR`, `zh-Hant`. */
const outputLanguage = z.string().regex(/^[a-z]{2,3}(-[A-Z][a-z]{3})?(-[A-Z]{2})?$/);
const summaryOrder = z.strictObject({
  /** Also when there is a summary of the current transcript. */
  force_regenerate: z.boolean().default(false),
  prompt_uuid: z.uuid().optional(),
  language: outputLanguage.optional(),
});
const ordered = z.object({
  message: z.string(),
  task_id: z.uuid(),
  file_id: z.uuid(),
  version: z.int(),
  /** null: without a language model. */
  provider: z.string().nullable(),
  model: z.string().nullable(),
});
const versionQuery = { version: z.coerce.number().int().min(1).max(1_000_000).optional() };

export const summaryRoutes = {
  summarize: route('POST', '/api/files/{uuid}/summarize', 'user', {
    summary: 'Create a summary; earlier versions stay',
    body: summaryOrder,
    answer: ordered,
    status: 202,
    errors: ['permission_required', 'transcript_missing', 'summary_exists', 'summary_in_progress'],
  }),
  retrySummary: route('POST', '/api/files/{uuid}/retry-summary', 'user', {
    summary: 'Continue the latest summary that failed or is incomplete; finished sections are kept',
    answer: ordered,
    status: 202,
    errors: ['permission_required', 'summary_not_failed'],
  }),
  summary: route('GET', '/api/files/{uuid}/summary', 'user', {
    summary: 'The latest summary, or one version',
    query: z.object(versionQuery),
    answer: summaryObject,
    errors: ['summary_withheld'],
  }),
  summaryStatus: route('GET', '/api/files/{uuid}/summary-status', 'user', {
    summary: 'Progress of the latest summary, why it failed, and what to do',
    answer: summaryStatus,
  }),
  summaryVersions: route('GET', '/api/files/{uuid}/summaries', 'user', {
    summary: 'All versions, the latest first',
    answer: z.object({ items: z.array(summaryVersion) }),
  }),
  deleteSummary: route('DELETE', '/api/files/{uuid}/summary', 'user', {
    summary: 'Delete one version, or all; one in progress is stopped',
    query: z.object(versionQuery),
    errors: ['permission_required'],
  }),
};

export const summaryEvents = {
  /** A version was ordered, has ended, was withheld, is out of date or was deleted. */
  changed: defineEvent('evt.insights.summary.changed.v1', z.object({ fileId: z.uuid(), ownerId: z.uuid() })),
};

export const summaryLive = {
  /** While a summary is written. `draft`: its text so far. */
  progress: defineLive(
    'live.insights.summary',
    z.object({
      fileId: z.uuid(),
      ownerId: z.uuid(),
      version: z.int(),
      sectionsDone: z.int(),
      sectionsTotal: z.int(),
      draft: z.string(),
    }),
  ),
};
