import { z } from 'zod';
import { defineLive } from './define.ts';
import { routesOf } from './http.ts';

const route = routesOf('media');

export const presenceRoutes = {
  reportPresence: route('POST', '/api/files/{uuid}/presence', 'user', {
    summary: 'Tell the others who may read the file that its page is open, and in which passage the caret is',
    body: z.strictObject({
      visit_uuid: z.uuid().describe('chosen by the page, one for each time that it is opened'),
      segment_uuid: z.uuid().nullable().default(null).describe('the passage with the caret; null: the person reads'),
      left: z.boolean().default(false).describe('the page is left'),
    }),
  }),
};

export const presenceLive = {
  /** From media, for each report of an open page. Nothing of it is stored. */
  reported: defineLive(
    'live.media.presence',
    z.object({
      fileId: z.uuid(),
      ownerId: z.uuid(),
      visitId: z.uuid(),
      userId: z.uuid(),
      name: z.string().nullable(),
      segmentId: z.uuid().nullable(),
      left: z.boolean(),
    }),
  ),
};
