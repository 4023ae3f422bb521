import { z } from 'zod';
import { routesOf, uuidParams } from './http.ts';
import { shareObject, sharePermissions } from './media-objects.ts';

const route = routesOf('media');

export const sharingRoutes = {
  listShares: route({
    method: 'GET',
    path: '/api/files/{uuid}/shares',
    access: 'user',
    summary: 'The shares of a file (its owner and administrators)',
    params: uuidParams,
    answer: z.array(shareObject),
    errors: ['permission_required'],
  }),
  share: route({
    method: 'PUT',
    path: '/api/files/{uuid}/shares',
    access: 'user',
    summary: 'Share a file with a group or a person, or change what they may do (its owner and administrators)',
    params: uuidParams,
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
  unshare: route({
    method: 'DELETE',
    path: '/api/files/{uuid}/shares/{share_uuid}',
    access: 'user',
    summary: 'Remove a share of a file (its owner and administrators)',
    params: z.object({ uuid: z.uuid(), share_uuid: z.uuid() }),
    errors: ['permission_required'],
  }),
};
