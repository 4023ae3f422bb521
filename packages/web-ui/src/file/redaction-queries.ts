import { queryOptions } from '@tanstack/react-query';
import { call } from '../api/client.ts';

export function fileRedactionQuery(uuid: string) {
  return queryOptions({
    queryKey: ['file', uuid, 'redaction'],
    queryFn: ({ signal }) => call('GET /api/files/{uuid}/redaction', { params: { uuid }, signal }),
  });
}
