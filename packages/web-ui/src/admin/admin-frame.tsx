import { plural, t } from '@lingui/core/macro';
import { Badge, UnstyledButton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, Outlet, useRouterState } from '@tanstack/react-router';
import { useState } from 'react';
import { meQuery, type User } from '../api/queries.ts';
import { Icon } from '../ui/icons.tsx';
import { NotFoundPage } from '../ui/not-found-page.tsx';
import { pendingApprovalsQuery } from './approval-count.ts';
import { EngineAlert } from './engine-alert.tsx';
import { groupsFor, isPageOf, mayOpen, overviewPath, type AdminGroup, type AdminPageLink } from './navigation.ts';
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
      {/* A new page begins with its own group open, and with the list closed on a narrow screen. */}
      <Navigation key={path} role={me.role} path={path} />
      <div className={css['content']}>
        <EngineAlert isSuper={me.role === 'super_admin'} />
        <Outlet />
      </div>
    </div>
  );
}

function Navigation({ role, path }: { role: User['role']; path: string }) {
  const groups = groupsFor(role);
  const current = groups.find(({ pages }) => pages.some((page) => isPageOf(page, path)));
  const [openName, setOpenName] = useState(current?.name ?? null);
  const [isListOpen, setListOpen] = useState(false);
  const here = current?.pages.find((page) => isPageOf(page, path))?.label ?? t`Overview`;
  return (
    <nav className={css['nav']} aria-label={t`Administration`}>
      <UnstyledButton
        className={css['toggle']}
        aria-expanded={isListOpen}
        aria-controls="admin-pages"
        onClick={() => setListOpen(!isListOpen)}
      >
        <Icon name="library" size={18} />
        <span className={css['label']}>{current ? t`${current.label}: ${here}` : here}</span>
        <Icon name={isListOpen ? 'chevronUp' : 'chevronDown'} size={18} />
      </UnstyledButton>
      <div id="admin-pages" className={css['pages']} data-open={isListOpen}>
        <PageLink page={{ to: overviewPath, under: overviewPath, label: t`Overview` }} path={path} />
        {groups.map((group) => (
          <Group
            key={group.name}
            group={group}
            path={path}
            isOpen={group.name === openName}
            onToggle={() => setOpenName(group.name === openName ? null : group.name)}
          />
        ))}
      </div>
    </nav>
  );
}

type GroupProps = { group: AdminGroup; path: string; isOpen: boolean; onToggle: () => void };

function Group({ group: { name, label, icon, pages }, path, isOpen, onToggle }: GroupProps) {
  return (
    <div>
      <UnstyledButton
        className={css['group']}
        aria-expanded={isOpen}
        aria-controls={`admin-group-${name}`}
        onClick={onToggle}
      >
        <Icon name={icon} size={18} />
        <span className={css['label']}>{label}</span>
        {name === 'people' && !isOpen && <PendingCount />}
        <Icon name={isOpen ? 'chevronUp' : 'chevronDown'} size={16} />
      </UnstyledButton>
      <div id={`admin-group-${name}`} hidden={!isOpen} className={css['entries']}>
        {pages.map((page) => (
          <PageLink key={page.to} page={page} path={path} />
        ))}
      </div>
    </div>
  );
}

function PageLink({ page, path }: { page: AdminPageLink; path: string }) {
  const here = isPageOf(page, path);
  return (
    <Link to={page.to} className={css['item']} data-here={here} {...(here ? { 'aria-current': 'page' as const } : {})}>
      {page.label}
      {page.under === '/admin/approvals' && <PendingCount />}
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
