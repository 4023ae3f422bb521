import type { WordTemplateObject } from '@overtone/contracts';
import { queryOptions, type QueryClient } from '@tanstack/react-query';
import { call } from '../api/client.ts';

export type WordTemplate = WordTemplateObject;

export const wordTemplatesQuery = queryOptions({
  queryKey: ['word-templates'],
  queryFn: ({ signal }) => call('GET /api/word-templates', { signal }),
});

export function refreshWordTemplates(client: QueryClient): Promise<void> {
  return client.invalidateQueries(wordTemplatesQuery);
}
