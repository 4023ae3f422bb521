import { z } from 'zod';
import { routesOf } from './http.ts';
import { shareObject, sharePermissions } from './media-objects.ts';

const route = routesOf('media');

export const sharingRoutes = {
  listShares: route('GET', '/api/files/{uuid}/shares', 'user', {
    summary: 'The shares of a file (its owner and administrators)',
    answer: z.array(shareObject),
    errors: ['permission_required'],
  }),
  share: route('PUT', '/api/files/{uuid}/shares', 'user', {
    summary: 'Share a file with a group or a person, or change what they may do (its owner and administrators)',
    body: z
      .object({
        group_uuid: z.uuid().optional(),
        user_uuid: z.uuid().optional(),
        permission: z.enum(sharePermissions).default('viewer'),
      })
      .refine((value) => (value.group_uuid === undefined) !== (value.user_uuid === undefined), {
        message: 'Give either group_uuid or user_uuid',
      }),
    answer: shareObject,
    errors: ['permission_required'],
  }),
  unshare: route('DELETE', '/api/files/{uuid}/shares/{share_uuid}', 'user', {
    summary: 'Remove a share of a file (its owner and administrators)',
    errors: ['permission_required'],
  }),
};
