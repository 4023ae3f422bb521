import { queryOptions } from '@tanstack/react-query';
import type { PublicView } from '@overtone/contracts';
import { call } from '../api/client.ts';

/** The links of a recording, for those who may share it. */
export function publicLinksQuery(uuid: string) {
  return queryOptions({
    queryKey: ['public-links', uuid],
    queryFn: ({ signal }) => call('GET /api/files/{uuid}/public-links', { params: { uuid }, signal }),
  });
}

/** Opens a link. Each request counts as a view, so that it is never repeated automatically. */
export function openQuery(token: string) {
  return queryOptions({
    queryKey: ['public', 'link', token],
    queryFn: ({ signal }) => call('POST /api/public/links/open', { body: { token }, signal }),
    enabled: token !== '',
    retry: false,
    staleTime: Infinity,
    refetchOnWindowFocus: false,
  });
}

const renewEveryMs = 20 * 60_000;
const pollMaskingMs = 5_000;

/** The opened link. Each request renews the access, which lasts for an hour. */
export function viewQuery(opened: PublicView) {
  const params = { uuid: opened.uuid };
  return queryOptions({
    queryKey: ['public', 'view', opened.uuid],
    queryFn: ({ signal }) => call('GET /api/public/links/{uuid}', { params, signal }),
    initialData: opened,
    staleTime: renewEveryMs,
    refetchInterval: ({ state }) => (state.data?.recording === 'pending' ? pollMaskingMs : renewEveryMs),
  });
}

export function publicSummaryQuery(uuid: string) {
  return queryOptions({
    queryKey: ['public', 'summary', uuid],
    queryFn: ({ signal }) => call('GET /api/public/links/{uuid}/summary', { params: { uuid }, signal }),
  });
}
