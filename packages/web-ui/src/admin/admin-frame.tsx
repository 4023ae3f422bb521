import { msg, plural, t } from '@lingui/core/macro';
import { Badge } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, Outlet, useRouterState } from '@tanstack/react-router';
import { translateOnRead } from '../lib/language.ts';
import { meQuery, type User } from '../api/queries.ts';
import { Icon, type IconName } from '../ui/icons.tsx';
import { NotFoundPage } from '../ui/not-found-page.tsx';
import { pendingApprovalsQuery } from './approval-count.ts';
import css from './admin-frame.module.css';

/** Navigation of groups and administration. Users without an administrator role see only their groups. */
export function AdminFrame() {
  const me = useQuery(meQuery).data;
  const path = useRouterState({ select: (state) => state.location.pathname });
  if (!me) return null;
  if (!mayOpen(me.role, path)) return <NotFoundPage />;
  if (me.role === 'user') return <Outlet />;
  return (
    <div className={css['frame']}>
      <nav className={css['nav']} aria-label={t`Administration`}>
        {items
          .filter((item) => me.role === 'super_admin' || !item.superOnly)
          .map((item) => (
            <Item key={item.to} {...item} path={path} />
          ))}
      </nav>
      <div className={css['content']}>
        <Outlet />
      </div>
    </div>
  );
}

type NavItem = { to: string; label: string; icon: IconName; under: string; superOnly?: boolean };
const items: readonly NavItem[] = translateOnRead([
  { to: '/admin/users', under: '/admin/users', label: msg`Users`, icon: 'user' },
  { to: '/admin/approvals', under: '/admin/approvals', label: msg`Approvals`, icon: 'clock' },
  { to: '/groups', under: '/groups', label: msg`Groups`, icon: 'users' },
  {
    to: '/admin/authentication/local',
    under: '/admin/authentication',
    label: msg`Authentication`,
    icon: 'key',
    superOnly: true,
  },
  {
    to: '/admin/directory-sync',
    under: '/admin/directory-sync',
    label: msg`Directory sync`,
    icon: 'retry',
    superOnly: true,
  },
  { to: '/admin/audit', under: '/admin/audit', label: msg`Audit log`, icon: 'file', superOnly: true },
  { to: '/admin/queues', under: '/admin/queues', label: msg`Queues`, icon: 'library' },
  { to: '/admin/backups', under: '/admin/backups', label: msg`Backups`, icon: 'follow', superOnly: true },
  { to: '/admin/media-mirror', under: '/admin/media-mirror', label: msg`Media mirror`, icon: 'copy', superOnly: true },
  {
    to: '/admin/engine',
    under: '/admin/engine',
    label: msg`Engine configuration`,
    icon: 'settings',
    superOnly: true,
  },
  { to: '/admin/asr', under: '/admin/asr', label: msg`ASR provider`, icon: 'audio', superOnly: true },
  {
    to: '/admin/language-models',
    under: '/admin/language-models',
    label: msg`Language models`,
    icon: 'plug',
    superOnly: true,
  },
  {
    to: '/admin/watch-sources',
    under: '/admin/watch-sources',
    label: msg`Watch sources`,
    icon: 'download',
    superOnly: true,
  },
  { to: '/admin/retention', under: '/admin/retention', label: msg`Retention`, icon: 'clock', superOnly: true },
  { to: '/admin/legal-holds', under: '/admin/legal-holds', label: msg`Legal holds`, icon: 'key' },
  { to: '/admin/erasures', under: '/admin/erasures', label: msg`Erasures`, icon: 'trash', superOnly: true },
  { to: '/admin/redaction', under: '/admin/redaction', label: msg`Redaction`, icon: 'shield', superOnly: true },
  { to: '/admin/voices', under: '/admin/voices', label: msg`Speaker profiles`, icon: 'user', superOnly: true },
  { to: '/admin/labels', under: '/admin/labels', label: msg`Automatic labels`, icon: 'tag', superOnly: true },
  {
    to: '/admin/organisation',
    under: '/admin/organisation',
    label: msg`Organisation context`,
    icon: 'edit',
    superOnly: true,
  },
  { to: '/admin/search', under: '/admin/search', label: msg`Search`, icon: 'search' },
  { to: '/admin', under: '/admin', label: msg`Engines and models`, icon: 'settings' },
]);

function isSuperOnly(path: string): boolean {
  return items.some((item) => item.superOnly && path.startsWith(item.under));
}

function mayOpen(role: User['role'], path: string): boolean {
  if (role === 'super_admin') return true;
  return role === 'admin' ? !isSuperOnly(path) : !path.startsWith('/admin');
}

function Item({ to, label, icon, under, path }: NavItem & { path: string }) {
  const here = under === '/admin' ? path === '/admin' : path.startsWith(under);
  return (
    <Link
      to={to}
      className={css['item']}
      data-here={here}
      ref={here ? scrollIntoView : null}
      {...(here ? { 'aria-current': 'page' as const } : {})}
    >
      <Icon name={icon} size={18} />
      {label}
      {under === '/admin/approvals' && <PendingCount />}
    </Link>
  );
}

function PendingCount() {
  const waiting = useQuery(pendingApprovalsQuery).data ?? 0;
  if (waiting === 0) return null;
  return (
    <Badge
      size="sm"
      circle={waiting < 10}
      variant="filled"
      aria-label={plural(waiting, { one: '# account awaiting approval', other: '# accounts awaiting approval' })}
    >
      {waiting > 99 ? '99+' : waiting}
    </Badge>
  );
}

/** On a narrow screen the links form a scrolling strip; the link of the open page must be visible in it. */
export function scrollIntoView(link: HTMLAnchorElement | null): void {
  return link?.scrollIntoView({ block: 'nearest', inline: 'center' });
}
