import { z } from 'zod';
import { routesOf, time } from './http.ts';
import { voiceVersionName } from './voices.ts';

const route = routesOf('search-indexer');

const version = z.object({
  name: voiceVersionName,
  model: z.string(),
  dimension: z.int(),
  /** The speech model that a worker needs for it. */
  needs: z.string().nullable(),
  /** `current`: read through the alias `speakers`; `building`: being filled; `complete`: not read, but kept up to date; `absent`: has no index. */
  state: z.enum(['current', 'building', 'complete', 'absent']),
  speakers: z.int(),
  files: z.int(),
});
export const speakerIndexAnswer = z.object({
  enabled: z.boolean(),
  alias: z.literal('speakers'),
  versions: z.array(version),
  migration: z
    .object({
      target: voiceVersionName,
      state: z.enum(['running', 'stopped']),
      total_files: z.int(),
      done_files: z.int(),
      failed_files: z.int(),
      files_per_minute: z.number().nullable(),
      seconds_left: z.int().nullable(),
      started_at: time,
    })
    .nullable(),
  /** Not embedded yet, or again after a failure. */
  waiting_files: z.int(),
  /** Not embedded after the last attempt. */
  failed_files: z.int(),
  /** The most frequent reasons, in the version that is read and in the target of a migration. */
  failures: z.array(z.object({ reason: z.string(), files: z.int() })),
  switched_at: time.nullable(),
});
export type SpeakerIndexAnswer = z.infer<typeof speakerIndexAnswer>;
const target = z.object({ version: voiceVersionName });

export const speakerIndexRoutes = {
  speakerIndex: route('GET', '/api/search/speaker-index', 'admin', {
    summary: 'Versions of the speaker index, and the progress of a migration',
    answer: speakerIndexAnswer,
  }),
  startSpeakerMigration: route('POST', '/api/search/speaker-index/migration', 'admin', {
    summary: 'Fill another version of the speaker index from the recordings, then read it; or continue a stopped one',
    body: target,
    answer: speakerIndexAnswer,
    status: 202,
    errors: ['voices_disabled', 'migration_conflict'],
  }),
  stopSpeakerMigration: route('POST', '/api/search/speaker-index/migration/stop', 'admin', {
    summary: 'Stop filling another version; what was done is kept',
    answer: speakerIndexAnswer,
    errors: ['migration_conflict'],
  }),
  switchSpeakerIndex: route('PUT', '/api/search/speaker-index/alias', 'admin', {
    summary: 'Read another complete version of the speaker index',
    body: target,
    answer: speakerIndexAnswer,
    errors: ['migration_conflict'],
  }),
  retryFailedVoices: route('POST', '/api/search/speaker-index/retry', 'admin', {
    summary: 'Embed the voices of all recordings again for which that failed',
    answer: speakerIndexAnswer,
    status: 202,
    errors: ['voices_disabled'],
  }),
  dropSpeakerIndex: route('DELETE', '/api/search/speaker-index/versions/{version}', 'admin', {
    summary: 'Delete a version of the speaker index that is not read',
    params: target,
    answer: speakerIndexAnswer,
    errors: ['migration_conflict'],
  }),
};
