import type { ExportTemplateObject } from '@overtone/contracts';
import { keepPreviousData, queryOptions, type QueryClient } from '@tanstack/react-query';
import { call } from '../api/client.ts';

export type ExportTemplate = ExportTemplateObject;
export const templatesPageSize = 20;
const maxPageSize = 100;
/** Pages that the choice of a template offers. */
const maxPages = 5;

export function templatesQuery(page: number) {
  return queryOptions({
    queryKey: ['export-templates', page],
    queryFn: ({ signal }) =>
      call('GET /api/export-templates', { signal, query: { page, page_size: templatesPageSize } }),
    placeholderData: keepPreviousData,
  });
}

/** What the choice of a template offers. */
export const offeredTemplatesQuery = queryOptions({
  queryKey: ['export-templates', 'offered'],
  queryFn: async ({ signal }) => {
    const templates: ExportTemplate[] = [];
    for (let page = 1; page <= maxPages; page += 1) {
      const query = { page, page_size: maxPageSize };
      const { items, total } = await call('GET /api/export-templates', { signal, query });
      templates.push(...items);
      if (page * maxPageSize >= total) break;
    }
    return templates;
  },
});

export function refreshTemplates(client: QueryClient): Promise<void> {
  return client.invalidateQueries({ queryKey: ['export-templates'] });
}
