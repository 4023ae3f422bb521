import { z } from 'zod';
import { routesOf, text } from './http.ts';
import { fileObject } from './media-objects.ts';

const route = routesOf('media');

/** A file in quarantine is listed with its reason; only administrators can open it, and no one can play it. */
export const quarantineRoutes = {
  quarantineFile: route('POST', '/api/admin/files/{uuid}/quarantine', 'admin', {
    summary: 'Put a file in quarantine: only administrators can download it, and it is not found by searches',
    body: z.strictObject({ reason: text(500).trim().min(1) }),
    answer: fileObject,
    errors: ['file_busy'],
  }),
  releaseFile: route('DELETE', '/api/admin/files/{uuid}/quarantine', 'admin', {
    summary: 'Release a file from quarantine',
    answer: fileObject,
    errors: ['file_not_quarantined'],
  }),
};
