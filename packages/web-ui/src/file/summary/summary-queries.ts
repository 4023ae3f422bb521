import { queryOptions } from '@tanstack/react-query';
import type { ResponseBody } from '@overtone/client';
import { call } from '../../api/client.ts';

export type SummaryStatus = ResponseBody<'GET /api/files/{uuid}/summary-status'>;
export type Summary = ResponseBody<'GET /api/files/{uuid}/summary'>;
export type SummaryVersion = ResponseBody<'GET /api/files/{uuid}/summaries'>['items'][number];
export type Statement = Summary['summary']['brief'][number];

export function isRunning({ status }: Pick<SummaryStatus, 'status'>): boolean {
  return status === 'waiting' || status === 'processing';
}

export function summaryStatusQuery(uuid: string) {
  return queryOptions({
    queryKey: ['summary', uuid, 'status'],
    queryFn: ({ signal }) => call('GET /api/files/{uuid}/summary-status', { params: { uuid }, signal }),
  });
}

export function summaryQuery(uuid: string, version: number) {
  return queryOptions({
    queryKey: ['summary', uuid, 'version', version],
    queryFn: ({ signal }) => call('GET /api/files/{uuid}/summary', { params: { uuid }, query: { version }, signal }),
  });
}

export function summaryVersionsQuery(uuid: string) {
  return queryOptions({
    queryKey: ['summary', uuid, 'versions'],
    queryFn: ({ signal }) => call('GET /api/files/{uuid}/summaries', { params: { uuid }, signal }),
  });
}

/** Which language model is used for the person, and where it is. */
export const modelStatusQuery = queryOptions({
  queryKey: ['model-status'],
  queryFn: ({ signal }) => call('GET /api/llm/status', { signal }),
});
