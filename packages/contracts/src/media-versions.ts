import { z } from 'zod';
import { line, routesOf, time } from './http.ts';

const route = routesOf('media');

export const maxNamedVersions = 100;
/** Places of one comparison; the first ones are returned. */
export const maxDifferences = 500;

const namedVersion = z.object({
  uuid: z.uuid(),
  name: z.string(),
  created_at: time,
  user_id: z.uuid().nullable(),
  user_name: z.string().nullable(),
  corrections_since: z.int().describe('corrections of the transcript since it was named'),
  available: z.boolean().describe('false: the transcript was replaced since, by a run or an import'),
});

/** Adjacent passages of one side of a difference, in pieces of equal and of changed words. */
const side = z.array(
  z.object({
    start_time: z.number(),
    end_time: z.number(),
    speaker: z.string().nullable(),
    pieces: z.array(z.object({ text: z.string(), changed: z.boolean() })),
  }),
);
const versionDifference = z.object({ before: side, after: side });
export type VersionDifference = z.infer<typeof versionDifference>;

const versionId = z.uuid().describe('absent: the automatic transcript, before all corrections');

export const versionRoutes = {
  listVersions: route('GET', '/api/files/{uuid}/transcript/versions', 'user', {
    summary: 'Named versions of the transcript, the last one first',
    answer: z.object({
      items: z.array(namedVersion),
      corrections: z.int().describe('corrections of the automatic transcript; 0: there is nothing to compare'),
    }),
  }),
  nameVersion: route('POST', '/api/files/{uuid}/transcript/versions', 'user', {
    summary: 'Name the transcript as it is now, to compare it later and to restore it',
    body: z.object({ name: line(200).min(1) }),
    answer: namedVersion,
    status: 201,
    errors: ['permission_required', 'too_many_versions'],
  }),
  deleteVersion: route('DELETE', '/api/files/{uuid}/transcript/versions/{version_uuid}', 'user', {
    summary: 'Remove the name of a version; the history of the transcript stays',
    answer: z.object({ uuid: z.uuid() }),
    errors: ['permission_required'],
  }),
  compareVersion: route('GET', '/api/files/{uuid}/transcript/differences', 'user', {
    summary: 'Differences between an earlier version of the transcript and the present one',
    query: z.object({ version_uuid: versionId.optional() }),
    answer: z.object({
      differences: z.array(versionDifference),
      complete: z.boolean().describe(`whether these are all; not more than ${maxDifferences} are returned`),
      words: z.int().describe('of the earlier version'),
      words_removed: z.int(),
      words_added: z.int(),
    }),
    errors: ['version_unavailable'],
  }),
  restoreVersion: route('POST', '/api/files/{uuid}/transcript/restore', 'user', {
    summary: 'Restore an earlier version of the transcript, as one correction that can be undone',
    body: z.object({
      uuid: z.uuid().describe('chosen by the client: a repeated request is applied once'),
      version_uuid: versionId.optional(),
    }),
    answer: z.object({ transcript_version: z.int(), changed: z.int().describe('passages that were changed') }),
    errors: ['permission_required', 'version_unavailable'],
  }),
};
