import { z } from 'zod';
import { listQuery, routesOf, text, uuidParams } from './http.ts';
import { tagObject, tagWithUsage } from './media-objects.ts';

const route = routesOf('media');

export const tagRoutes = {
  listTags: route({
    method: 'GET',
    path: '/api/tags',
    access: 'user',
    summary: "The caller's tags, most used first",
    answer: z.array(tagWithUsage),
  }),
  createTag: route({
    method: 'POST',
    path: '/api/tags',
    access: 'user',
    summary: 'Create a tag, or get the one of that name',
    body: z.object({ name: text(50).trim().min(1) }),
    answer: tagObject,
  }),
  unusedTags: route({
    method: 'GET',
    path: '/api/tags/unused',
    access: 'user',
    summary: "The caller's unused tags",
    answer: z.array(tagObject),
  }),
  tagsOfFiles: route({
    method: 'GET',
    path: '/api/tags/files',
    access: 'user',
    summary: 'The tags of up to 100 files; files the caller may not read are missing',
    query: z.object({ file_uuid: listQuery(z.uuid()) }),
    answer: z.object({ items: z.array(z.object({ file_uuid: z.uuid(), tags: z.array(tagObject) })) }),
  }),
  attachTag: route({
    method: 'POST',
    path: '/api/tags/files/{uuid}/tags',
    access: 'user',
    summary: 'Attach a tag to a file',
    params: uuidParams,
    body: z.object({ name: text(50).trim().min(1) }),
    answer: tagObject,
    errors: ['permission_required'],
  }),
  detachTag: route({
    method: 'DELETE',
    path: '/api/tags/files/{uuid}/tags/{tag_name}',
    access: 'user',
    summary: 'Detach a tag from a file',
    params: z.object({ uuid: z.uuid(), tag_name: text(50) }),
    errors: ['permission_required'],
  }),
};
