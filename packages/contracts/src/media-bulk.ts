import { z } from 'zod';
import { routesOf } from './http.ts';
import { speakerSources } from './transcription-jobs.ts';
import { sharePermissions, speakerCount, tagName } from './media-objects.ts';

const route = routesOf('media');

const files = { file_uuids: z.array(z.uuid()).min(1).max(200) };
const tags = { tags: z.array(tagName).min(1).max(20) };

/** One action on many files. */
export const bulkRequest = z.discriminatedUnion('action', [
  z.object({ action: z.literal('add_tags'), ...files, ...tags }),
  z.object({ action: z.literal('remove_tags'), ...files, ...tags }),
  z.object({
    action: z.literal('share'),
    ...files,
    group_uuid: z.uuid().optional(),
    user_uuid: z.uuid().optional(),
    permission: z.enum(sharePermissions).default('viewer'),
  }),
  z.object({ action: z.literal('delete'), ...files }),
  z.object({ action: z.literal('restore'), ...files }),
  z.object({ action: z.literal('delete_permanently'), ...files }),
  z.object({
    action: z.literal('reprocess'),
    ...files,
    language: z.string().max(10).nullable().optional(),
    min_speakers: speakerCount,
    max_speakers: speakerCount,
    speakers_by: z.enum(speakerSources).optional(),
  }),
]);

export const bulkRoutes = {
  bulk: route('POST', '/api/files/bulk', 'user', {
    summary: 'Perform one action on many files independently; the response has a result for each, in the given order',
    body: bulkRequest,
    answer: z.object({
      results: z.array(
        z.object({
          file_uuid: z.uuid(),
          /** null: succeeded. Code and text are those of the route for one file. */
          error: z.object({ code: z.string(), message: z.string() }).nullable(),
        }),
      ),
    }),
    errors: [
      'not_found',
      'permission_required',
      'file_busy',
      'language_unsupported',
      'legal_hold',
      'recording_removed',
    ],
  }),
};
