import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import type { ResponseBody } from '@overtone/client';
import { call } from '../api/client.ts';

export type NotificationItem = ResponseBody<'GET /api/notifications'>['items'][number];
export const notificationPageSize = 30;

// Below `notifications`: the push message about them refreshes both.
export const unreadQuery = queryOptions({
  queryKey: ['notifications', 'unread'],
  queryFn: async ({ signal }) => (await call('GET /api/notifications/unread', { signal })).unread,
});

export function notificationsQuery(page: number) {
  return queryOptions({
    queryKey: ['notifications', 'list', page],
    queryFn: ({ signal }) =>
      call('GET /api/notifications', { signal, query: { page, page_size: notificationPageSize } }),
    placeholderData: keepPreviousData,
  });
}
