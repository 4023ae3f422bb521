import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import type { ResponseBody } from '@overtone/client';
import { call } from '../api/client.ts';

export type PromptItem = ResponseBody<'GET /api/prompts'>['items'][number];
export type PromptText = ResponseBody<'GET /api/prompts/{uuid}'>;
/** Where the listed prompts come from; empty: from everywhere. */
export type PromptSource = '' | 'system' | 'own' | 'shared';
export type PromptFilter = { text: string; contentType: string; source: PromptSource; page: number };

export const pageSize = 20;

export function promptsQuery({ text, contentType, source, page }: PromptFilter) {
  return queryOptions({
    queryKey: ['prompts', 'list', text, contentType, source, page],
    queryFn: ({ signal }) =>
      call('GET /api/prompts', {
        signal,
        query: {
          q: text,
          content_type: contentType,
          include_system: source === '' || source === 'system',
          include_user: source === '' || source === 'own',
          include_shared: source === '' || source === 'shared',
          page,
          page_size: pageSize,
        },
      }),
    placeholderData: keepPreviousData,
  });
}

/** All prompts for a summary, for a choice: built-in and own ones first. */
export const promptChoicesQuery = queryOptions({
  queryKey: ['prompts', 'choices'],
  queryFn: ({ signal }) => call('GET /api/prompts', { signal, query: { page_size: 100 } }),
});

export const activePromptsQuery = queryOptions({
  queryKey: ['prompts', 'active'],
  queryFn: ({ signal }) => call('GET /api/prompts/active/current', { signal }),
});

export function promptQuery(uuid: string) {
  return queryOptions({
    queryKey: ['prompts', 'one', uuid],
    queryFn: ({ signal }) => call('GET /api/prompts/{uuid}', { params: { uuid }, signal }),
  });
}
