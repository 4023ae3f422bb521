import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import type { ResponseBody } from '@overtone/client';
import { call } from '../../api/client.ts';

export type RetentionSettings = ResponseBody<'GET /api/admin/retention/settings'>;
export type RetentionRule = ResponseBody<'GET /api/admin/retention/rules'>[number];
export type RetentionPreview = ResponseBody<'GET /api/admin/retention/rules/{uuid}/preview'>;
export type RetentionRun = ResponseBody<'GET /api/admin/retention/runs'>['items'][number];
export type RetentionItem = ResponseBody<'GET /api/admin/retention/runs/{uuid}/files'>['items'][number];
export type LegalHold = ResponseBody<'GET /api/admin/legal-holds'>['items'][number];

export const pageSize = 10;
const busyMs = 1_000;
const idleMs = 15_000;

export const retentionSettingsQuery = queryOptions({
  queryKey: ['retention', 'settings'],
  queryFn: ({ signal }) => call('GET /api/admin/retention/settings', { signal }),
});

export const retentionRulesQuery = queryOptions({
  queryKey: ['retention', 'rules'],
  queryFn: ({ signal }) => call('GET /api/admin/retention/rules', { signal }),
});

export function retentionPreviewQuery(uuid: string, page: number) {
  return queryOptions({
    queryKey: ['retention', 'preview', uuid, page],
    queryFn: ({ signal }) =>
      call('GET /api/admin/retention/rules/{uuid}/preview', {
        signal,
        params: { uuid },
        query: { page, page_size: pageSize },
      }),
    placeholderData: keepPreviousData,
    // Files change all the time: the dialog shows what a run would do now.
    staleTime: 0,
  });
}

export function retentionRunsQuery(page: number) {
  return queryOptions({
    queryKey: ['retention', 'runs', page],
    queryFn: ({ signal }) => call('GET /api/admin/retention/runs', { signal, query: { page, page_size: pageSize } }),
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) => (state.data?.items.some(isActive) ? busyMs : idleMs),
  });
}

export function retentionItemsQuery(uuid: string, ruleId: string, page: number) {
  return queryOptions({
    queryKey: ['retention', 'files', uuid, ruleId, page],
    queryFn: ({ signal }) =>
      call('GET /api/admin/retention/runs/{uuid}/files', {
        signal,
        params: { uuid },
        query: { rule_uuid: ruleId, page, page_size: pageSize },
      }),
    placeholderData: keepPreviousData,
  });
}

export function legalHoldsQuery(page: number) {
  return queryOptions({
    queryKey: ['legal-holds', page],
    queryFn: ({ signal }) => call('GET /api/admin/legal-holds', { signal, query: { page, page_size: pageSize } }),
    placeholderData: keepPreviousData,
  });
}

export function isActive({ status }: Pick<RetentionRun, 'status'>): boolean {
  return status === 'queued' || status === 'running';
}
