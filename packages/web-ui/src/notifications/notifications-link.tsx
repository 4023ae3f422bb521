import { plural, t } from '@lingui/core/macro';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Icon } from '../ui/icons.tsx';
import { unreadQuery } from './notification-queries.ts';

/** The bell of the header with the number of unread notifications. */
export function NotificationsLink({ className, countClass }: { className?: string; countClass?: string }) {
  const unread = useQuery(unreadQuery).data ?? 0;
  const label =
    unread === 0
      ? t`Notifications`
      : plural(unread, { one: 'Notifications, # unread', other: 'Notifications, # unread' });
  return (
    <Link to="/notifications" className={className} aria-label={label} data-testid="notifications-link">
      <Icon name="bell" size={18} />
      {unread > 0 && (
        <span className={countClass} aria-hidden="true">
          {unread > 99 ? '99+' : unread}
        </span>
      )}
    </Link>
  );
}
