import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { ask, identityLines, type IdentityAnswer } from '../../api/identity.ts';
import { urlOf, type QueryInput } from '../../api/routes.ts';

export type AuditRecord = IdentityAnswer<'auditLogs'>['items'][number];
export const auditPageSize = 50;
type Filters = Readonly<Record<string, string>>;

/** Days of the reader's own calendar, as moments. */
const moments = (f: Filters) => ({
  start_date: f['from'] && new Date(`${f['from']}T00:00:00`).toISOString(),
  end_date: f['to'] && new Date(`${f['to']}T23:59:59.999`).toISOString(),
});
const queryOf = (f: Filters): QueryInput => ({
  ...moments(f),
  event_type: f['event'],
  outcome: f['outcome'],
  error_code: f['code'],
  q: f['q'],
});

export const auditQuery = (f: Filters) =>
  queryOptions({
    queryKey: ['audit', f],
    queryFn: ({ signal }) =>
      ask('auditLogs', { signal, query: { ...queryOf(f), page: f['page'], page_size: auditPageSize } }),
    placeholderData: keepPreviousData,
  });

export const exportUrl = (f: Filters, format: 'csv' | 'json'): string =>
  urlOf(identityLines.exportAuditLogs[1], {}, { ...queryOf(f), export_format: format });
