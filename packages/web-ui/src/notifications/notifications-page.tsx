import { t } from '@lingui/core/macro';
import { Anchor, Button, Text, VisuallyHidden } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { call } from '../api/client.ts';
import { ago, moment } from '../lib/format.ts';
import { notifyError } from '../ui/notify.ts';
import { Pager } from '../ui/pager.tsx';
import { Pane } from '../ui/pane.tsx';
import { Empty, QueryStatus } from '../ui/query-status.tsx';
import { notificationAddress, notificationText } from './labels.ts';
import {
  notificationPageSize,
  notificationsQuery,
  unreadQuery,
  type NotificationItem,
} from './notification-queries.ts';
import css from './notifications.module.css';

/** What happened to the recordings of a person and, for administrators, to the installation. */
export function NotificationsPage() {
  const [page, setPage] = useState(1);
  const list = useQuery(notificationsQuery(page));
  const unread = useQuery(unreadQuery).data ?? 0;
  const read = useRead();
  return (
    <Pane
      title={t`Notifications`}
      actions={
        unread > 0 && (
          <Button variant="default" loading={read.isPending} onClick={() => read.mutate(undefined)}>
            {t`Mark all as read`}
          </Button>
        )
      }
    >
      <Text size="sm" c="dimmed" mb="md">
        {t`Kept for 30 days.`}
      </Text>
      <QueryStatus of={list} failure={t`The notifications couldn’t be loaded`} />
      {list.data?.total === 0 && <Empty>{t`Nothing yet. What others share with you or edit appears here.`}</Empty>}
      {list.data && list.data.total > 0 && (
        <ul className="ot-list" aria-label={t`Notifications`} data-testid="notifications">
          {list.data.items.map((item) => (
            <Entry key={item.uuid} item={item} onRead={() => read.mutate([item.uuid])} />
          ))}
        </ul>
      )}
      <Pager page={page} total={list.data?.total ?? 0} size={notificationPageSize} onPage={setPage} />
    </Pane>
  );
}

function Entry({ item, onRead }: { item: NotificationItem; onRead: () => void }) {
  const to = notificationAddress(item);
  const text = notificationText(item);
  return (
    <li className={`ot-card ${css['entry']}`} data-unread={!item.read || undefined}>
      <span className={css['dot']} />
      <span className={css['text']}>
        {!item.read && <VisuallyHidden>{t`Unread:`} </VisuallyHidden>}
        {to === null ? (
          t`${text}. You can’t open it any more.`
        ) : (
          <Anchor component={Link} to={to} c="inherit" fw="inherit" onClick={item.read ? undefined : onRead}>
            {text}
          </Anchor>
        )}
        <Text size="xs" c="dimmed" title={moment(item.created_at)}>
          {ago(item.created_at)}
        </Text>
      </span>
      {!item.read && (
        <Button size="compact-sm" variant="subtle" aria-label={t`Mark as read: ${text}`} onClick={onRead}>
          {t`Mark as read`}
        </Button>
      )}
    </li>
  );
}

/** Marks these notifications as read; without ids, all. */
function useRead() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (uuids: string[] | undefined) =>
      call('POST /api/notifications/read', uuids === undefined ? {} : { body: { uuids } }),
    onSuccess: () => client.invalidateQueries({ queryKey: ['notifications'] }),
    onError: (error) => notifyError(t`They weren’t marked as read`, error),
  });
}
