import { z } from 'zod';
import { routesOf, time } from './http.ts';

const route = routesOf('search-indexer');

export const reindexLimits = { files: 1_000, listed: 50 } as const;

/** `all`: a new index is built; `user`, `files`: these files are indexed again; `repair`: files that a check found. */
export const reindexScopes = ['all', 'user', 'files', 'repair'] as const;

/** Without a body: all files. */
const scope = z
  .strictObject({
    file_uuids: z.array(z.uuid()).min(1).max(reindexLimits.files).nullable().default(null),
    user_uuid: z.uuid().nullable().default(null),
  })
  .refine(({ file_uuids, user_uuid }) => file_uuids === null || user_uuid === null, 'give files or a user, not both')
  .optional();

const listedFile = z.object({
  file_uuid: z.uuid(),
  /** null: not known to the index. */
  title: z.string().nullable(),
});
/** Files of one kind; at most `reindexLimits.listed` of them are named. */
const fileGroup = z.object({ count: z.int(), files: z.array(listedFile) });

const comparison = {
  total_files: z.int(),
  /** Has a transcript, but is not in the index. */
  missing: fileGroup,
  /** The index contains another version of it, or only a part. */
  stale: fileGroup,
  /** Is in the index, but has no transcript any more. */
  extra: fileGroup,
  /** Changed a moment ago, or failed: it is indexed again without a repair. */
  waiting_files: z.int(),
  unchanged_files: z.int(),
};

const startAnswer = z.object({
  /** `nothing`: there is no file to index. */
  status: z.enum(['started', 'running', 'nothing']),
  total_files: z.int(),
  message: z.string(),
});

export const reindexRoutes = {
  reindex: route('POST', '/api/search/reindex', 'admin', {
    summary: 'Index files again: all, those of a user, or single ones',
    body: scope,
    answer: startAnswer,
    status: 202,
  }),
  reindexPreview: route('POST', '/api/search/reindex/preview', 'admin', {
    summary: 'What a reindex would change; changes nothing',
    body: scope,
    answer: z.object({
      ...comparison,
      /** The text model of the index, and the one that would be used; they differ only if all vectors are made again. */
      model: z.string().nullable(),
      next_model: z.string().nullable(),
    }),
    errors: ['search_unavailable'],
  }),
  stopReindex: route('POST', '/api/search/reindex/stop', 'admin', {
    summary: 'Stop the reindex; files that were indexed again stay so, an incomplete new index is discarded',
    answer: z.object({ status: z.enum(['stop_requested', 'not_running']), message: z.string() }),
    errors: ['reindex_required'],
  }),
  reindexStatus: route('GET', '/api/search/reindex/status', 'admin', {
    summary: 'Progress of the reindex in progress, or the result of the last one',
    answer: z.object({
      in_progress: z.boolean(),
      stop_requested: z.boolean(),
      /** null: there was none yet. */
      scope: z.enum(reindexScopes).nullable(),
      outcome: z.enum(['completed', 'stopped']).nullable(),
      total_files: z.int(),
      indexed_files: z.int(),
      failed_files: z.int(),
      pending_files: z.int(),
      /** null: not known yet. */
      files_per_minute: z.number().nullable(),
      seconds_left: z.int().nullable(),
      started_at: time.nullable(),
      finished_at: time.nullable(),
      model: z.string().nullable(),
      last_completed_at: time.nullable(),
    }),
  }),
  consistency: route('GET', '/api/search/consistency', 'admin', {
    summary: 'Compare the database with the index; changes nothing',
    answer: z.object({ ...comparison, checked_at: time }),
    errors: ['search_unavailable'],
  }),
  repairIndex: route('POST', '/api/search/consistency/repair', 'admin', {
    summary: 'Index missing and outdated files again, and remove those without a transcript',
    answer: startAnswer,
    status: 202,
    errors: ['search_unavailable'],
  }),
};
