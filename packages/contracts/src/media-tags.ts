import { z } from 'zod';
import { listQuery, routesOf, text } from './http.ts';
import { tagName, tagObject, tagWithUsage } from './media-objects.ts';

const route = routesOf('media');

export const tagRoutes = {
  listTags: route('GET', '/api/tags', 'user', {
    summary: "The caller's tags, most used first",
    answer: z.array(tagWithUsage),
  }),
  createTag: route('POST', '/api/tags', 'user', {
    summary: 'Create a tag, or get the one of that name',
    body: z.object({ name: tagName }),
    answer: tagObject,
  }),
  unusedTags: route('GET', '/api/tags/unused', 'user', {
    summary: "The caller's unused tags",
    answer: z.array(tagObject),
  }),
  tagsOfFiles: route('GET', '/api/tags/files', 'user', {
    summary: 'The tags of up to 100 files; files the caller may not read are missing',
    query: z.object({ file_uuid: listQuery(z.uuid()) }),
    answer: z.object({ items: z.array(z.object({ file_uuid: z.uuid(), tags: z.array(tagObject) })) }),
  }),
  attachTag: route('POST', '/api/tags/files/{uuid}/tags', 'user', {
    summary: 'Attach a tag to a file',
    body: z.object({ name: tagName }),
    answer: tagObject,
    errors: ['permission_required'],
  }),
  detachTag: route('DELETE', '/api/tags/files/{uuid}/tags/{tag_name}', 'user', {
    summary: 'Detach a tag from a file',
    params: z.object({ uuid: z.uuid(), tag_name: text(50) }),
    errors: ['permission_required'],
  }),
};
