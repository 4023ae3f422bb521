import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { urlOf, type ResponseBody } from '@overtone/client';
import { call } from '../../api/client.ts';

export type AuditRecord = ResponseBody<'GET /api/admin/audit-logs'>['items'][number];
export const auditPageSize = 50;
type Filters = Readonly<Record<string, string>>;

export function auditQuery(filters: Filters) {
  return queryOptions({
    queryKey: ['audit', filters],
    queryFn: ({ signal }) =>
      call('GET /api/admin/audit-logs', {
        signal,
        query: { ...queryOf(filters), page: filters['page'], page_size: auditPageSize },
      }),
    placeholderData: keepPreviousData,
  });
}

export function exportUrl(filters: Filters, format: 'csv' | 'json'): string {
  return urlOf('GET /api/admin/audit-logs/export', { query: { ...queryOf(filters), export_format: format } });
}

function queryOf(filters: Filters) {
  return {
    ...timestampsOf(filters),
    event_type: filters['event'],
    outcome: filters['outcome'],
    error_code: filters['code'],
    q: filters['q'],
  };
}

/** The chosen days in the reader's time zone, as timestamps. */
function timestampsOf(filters: Filters) {
  return {
    start_date: filters['from'] && new Date(`${filters['from']}T00:00:00`).toISOString(),
    end_date: filters['to'] && new Date(`${filters['to']}T23:59:59.999`).toISOString(),
  };
}
