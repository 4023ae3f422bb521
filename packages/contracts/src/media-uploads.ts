import { z } from 'zod';
import { routesOf, text, time } from './http.ts';
import { fileObject, speakerCount } from './media-objects.ts';

const route = routesOf('media');

/** Options of an upload: multipart text fields beside `file`, or tus metadata of the same names. */
export const uploadOptions = z.object({
  title: text(255).optional(),
  language: z
    .string()
    .regex(/^[a-z]{2,3}(-[A-Za-z]{2,4})?$/)
    .optional(),
  min_speakers: speakerCount,
  max_speakers: speakerCount,
  recorded_date: time.optional(),
  /** Take the file although the caller has one with the same bytes. */
  allow_duplicate: z.enum(['true', 'false']).optional(),
});

export const uploadRoutes = {
  upload: route({
    method: 'POST',
    path: '/api/files',
    access: 'user',
    summary: 'Upload a recording (multipart field `file`)',
    bodyKind: 'raw',
    answer: fileObject,
    status: 201,
  }),
  uploadLimits: route({
    method: 'GET',
    path: '/api/files/upload-limits',
    access: 'user',
    summary: 'What may be uploaded',
    answer: z.object({ max_bytes: z.number().int(), accept: z.array(z.string()) }),
  }),
  /** tus 1.0 resumable uploads; https://tus.io/protocols/resumable-upload */
  tusOptions: route({
    method: 'OPTIONS',
    path: '/api/files/tus',
    access: 'public',
    summary: 'What this tus server can do',
    bodyKind: 'raw',
    csrfExempt: true,
  }),
  tusCreate: route({
    method: 'POST',
    path: '/api/files/tus',
    access: 'user',
    summary: 'Begin a resumable upload (tus 1.0 creation)',
    bodyKind: 'raw',
    status: 201,
  }),
  tusHead: route({
    method: 'HEAD',
    path: '/api/files/tus/{upload_id}',
    access: 'user',
    summary: 'Offset of a resumable upload',
    bodyKind: 'raw',
    status: 200,
    params: z.object({ upload_id: z.uuid() }),
  }),
  tusPatch: route({
    method: 'PATCH',
    path: '/api/files/tus/{upload_id}',
    access: 'user',
    summary: 'Append bytes to a resumable upload',
    bodyKind: 'raw',
    params: z.object({ upload_id: z.uuid() }),
  }),
  tusDelete: route({
    method: 'DELETE',
    path: '/api/files/tus/{upload_id}',
    access: 'user',
    summary: 'Give up a resumable upload',
    bodyKind: 'raw',
    params: z.object({ upload_id: z.uuid() }),
  }),
};
