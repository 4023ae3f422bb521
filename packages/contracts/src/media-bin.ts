import { z } from 'zod';
import { pageOf, pageQuery, routesOf, time } from './http.ts';
import { fileObject } from './media-objects.ts';

const route = routesOf('media');

/** A deleted file. Until `purge_at` it can be restored; then it is deleted permanently. */
export const binnedFile = fileObject.extend({
  deleted_at: time,
  purge_at: time,
  deleted_by: z.uuid().nullable(),
  /** null: deleted by its owner, or identity does not respond. */
  deleted_by_name: z.string().nullable(),
});

export const binRoutes = {
  listBin: route('GET', '/api/files/bin', 'user', {
    summary: "The caller's deleted files, the latest first; those of all users for an administrator with ownership=all",
    query: z.object({ ...pageQuery, ownership: z.enum(['mine', 'all']).default('mine') }),
    answer: pageOf(binnedFile),
  }),
  restoreFile: route('POST', '/api/files/{uuid}/restore', 'user', {
    summary: 'Restore a file from the bin; processing that its deletion cancelled starts again',
    answer: fileObject,
    errors: ['permission_required', 'file_busy'],
  }),
  purgeFile: route('DELETE', '/api/files/bin/{uuid}', 'user', {
    summary: 'Permanently delete a file in the bin with everything derived from it',
    errors: ['permission_required', 'file_busy', 'legal_hold'],
  }),
};
