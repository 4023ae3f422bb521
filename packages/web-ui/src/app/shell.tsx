import { msg, plural, t } from '@lingui/core/macro';
import { Avatar, Button, Menu, UnstyledButton, useMantineColorScheme, type MantineColorScheme } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import {
  Link,
  Outlet,
  useNavigate,
  useRouter,
  useRouterState,
  type AnyRoute,
  type AnyRouter,
} from '@tanstack/react-router';
import { useEffect, useRef, useState, useSyncExternalStore } from 'react';
import { translateOnRead } from '../lib/language.ts';
import { meQuery, type User } from '../api/queries.ts';
import { overviewPath } from '../admin/navigation.ts';
import { pendingApprovalsQuery } from '../admin/approval-count.ts';
import { NotificationsLink } from '../notifications/notifications-link.tsx';
import { accountState } from '../session/account-state.ts';
import { DropAnywhere } from '../uploads/drop-anywhere.tsx';
import { addDialog, openUpload } from '../uploads/upload-intake.ts';
import { UploadPanel } from '../uploads/upload-panel.tsx';
import { Icon, type IconName } from '../ui/icons.tsx';
import { Wordmark } from '../ui/logo.tsx';
import { loadAhead, whenIdle, type RouteChunk } from './load-ahead.ts';
import { notifyError } from '../ui/notify.ts';
import { push, session, uploads } from '../state/services.ts';
import { initials } from '../lib/characters.ts';
import css from './shell.module.css';
import { permission, turnOnNotifications } from '../ui/show-notice.ts';

/** The frame of every page that needs a session: header, uploads, page. */
export function Shell() {
  const me = useQuery(meQuery).data;
  const userId = me?.uuid;
  const router = useRouter();
  useEffect(() => {
    if (userId === undefined) return;
    push.open();
    uploads.restore(userId);
  }, [userId]);
  const role = me?.role;
  useEffect(
    () => (role === undefined ? undefined : whenIdle(() => void loadAhead(routeChunks(router), role))),
    [role, router],
  );
  const navigate = useNavigate();
  const mustChangePassword = me?.must_change_password ?? false;
  const isBlocked = me !== undefined && accountState(me) !== null;
  useEffect(() => {
    if (isBlocked) void navigate({ to: '/account-state' });
    else if (mustChangePassword) void navigate({ to: '/change-password' });
  }, [isBlocked, mustChangePassword, navigate]);
  useFocusOnNavigation();
  return (
    <>
      <a className="ot-skip" href="#main">
        {t`Skip to content`}
      </a>
      <header className={css['header']}>
        <div className={css['inner']}>
          <Link to="/" className={css['brand']} aria-label={t`Overtone, to the library`}>
            <Wordmark />
          </Link>
          <nav aria-label={t`Main`} style={{ display: 'flex', gap: 2 }}>
            <NavItem to="/" icon="audio" label={t`Library`} exact />
            <NavItem to="/search" icon="search" label={t`Search`} />
            <NavItem to="/ask" icon="ask" label={t`Ask`} />
            {me && me.role !== 'user' && <AdminLink />}
          </nav>
          <div className={css['spacer']} />
          <UploadButton />
          {me && <NotificationsLink className={css['bell'] ?? ''} countClass={css['bellCount'] ?? ''} />}
          {me && <AccountMenu me={me} />}
        </div>
      </header>
      <ConnectionNote />
      <main id="main" tabIndex={-1} style={{ outline: 'none' }}>
        <Outlet />
      </main>
      <DropAnywhere />
      <UploadPanel />
    </>
  );
}

function routeChunks({ routesById }: AnyRouter): RouteChunk[] {
  return Object.values<AnyRoute>(routesById).flatMap(({ fullPath, options }) => {
    const load = (options.component as { preload?: () => Promise<unknown> } | undefined)?.preload;
    return load ? [{ path: String(fullPath), load }] : [];
  });
}

function NavItem({
  to,
  icon,
  label,
  exact,
}: {
  to: '/' | '/search' | '/ask';
  icon: IconName;
  label: string;
  exact?: boolean;
}) {
  return (
    <Link to={to} className={css['link']} activeOptions={{ exact: exact ?? false, includeSearch: false }}>
      <Icon name={icon} size={18} />
      <span className={css['linkText']}>{label}</span>
    </Link>
  );
}

function AdminLink() {
  const waiting = useQuery(pendingApprovalsQuery).data ?? 0;
  const inside = useRouterState({ select: (state) => /^\/(admin|groups)/.test(state.location.pathname) });
  return (
    <Link to={overviewPath} className={css['link']} data-status={inside ? 'active' : undefined}>
      <Icon name="settings" size={18} />
      <span className={css['linkText']}>{t`Administration`}</span>
      {waiting > 0 && (
        <span
          className={css['count']}
          aria-label={plural(waiting, { one: '# account awaiting approval', other: '# accounts awaiting approval' })}
          role="img"
        >
          {waiting > 99 ? '99+' : waiting}
        </span>
      )}
    </Link>
  );
}

function UploadButton() {
  return (
    <Button.Group className={css['add']}>
      <Button
        classNames={{ root: css['upload'] ?? '', section: css['uploadIcon'] ?? '', label: css['uploadLabel'] ?? '' }}
        leftSection={<Icon name="upload" size={18} />}
        size="sm"
        onClick={openUpload}
      >
        {t`Upload`}
      </Button>
      <Menu position="bottom-end" width={230}>
        <Menu.Target>
          <Button size="sm" px={8} aria-label={t`More ways to add`} style={{ borderInlineStart: '1px solid #fff5' }}>
            <Icon name="chevronDown" size={16} />
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item leftSection={<Icon name="record" size={18} />} onClick={() => addDialog.set({ kind: 'record' })}>
            {t`Record`}
          </Menu.Item>
          <Menu.Item leftSection={<Icon name="download" size={18} />} onClick={() => addDialog.set({ kind: 'url' })}>
            {t`Import from a link`}
          </Menu.Item>
          <Menu.Item
            leftSection={<Icon name="file" size={18} />}
            onClick={() => addDialog.set({ kind: 'import', file: null })}
          >
            {t`Import a transcript`}
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
    </Button.Group>
  );
}

function AccountMenu({ me }: { me: User }) {
  const navigate = useNavigate();
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const admin = me.role !== 'user';
  const name = me.full_name || me.email;
  return (
    <Menu width={240}>
      <Menu.Target>
        <UnstyledButton
          // With the initials: the name of a control contains its visible text (WCAG 2.5.3).
          aria-label={t`Account of ${name}, ${initials(name)}`}
          style={{ borderRadius: '50%', flex: 'none' }}
        >
          <Avatar color="petrol" radius="xl" size={36} variant="light">
            {initials(name)}
          </Avatar>
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>{me.email}</Menu.Label>
        <Menu.Item leftSection={<Icon name="user" size={18} />} onClick={() => void navigate({ to: '/account' })}>
          {t`Account and sessions`}
        </Menu.Item>
        <Menu.Item leftSection={<Icon name="edit" size={18} />} onClick={() => void navigate({ to: '/prompts' })}>
          {t`Prompts`}
        </Menu.Item>
        <Menu.Item leftSection={<Icon name="tag" size={18} />} onClick={() => void navigate({ to: '/vocabulary' })}>
          {t`Vocabulary`}
        </Menu.Item>
        <Menu.Item leftSection={<Icon name="user" size={18} />} onClick={() => void navigate({ to: '/speakers' })}>
          {t`Speakers`}
        </Menu.Item>
        <Menu.Item leftSection={<Icon name="users" size={18} />} onClick={() => void navigate({ to: '/groups' })}>
          {t`Groups`}
        </Menu.Item>
        <Menu.Item
          leftSection={<Icon name="collection" size={18} />}
          onClick={() => void navigate({ to: '/collections' })}
        >
          {t`Collections`}
        </Menu.Item>
        <Menu.Item leftSection={<Icon name="tag" size={18} />} onClick={() => void navigate({ to: '/codes' })}>
          {t`Codes`}
        </Menu.Item>
        <Menu.Item
          leftSection={<Icon name="download" size={18} />}
          onClick={() => void navigate({ to: '/export-templates' })}
        >
          {t`Export templates`}
        </Menu.Item>
        <Menu.Item leftSection={<Icon name="trash" size={18} />} onClick={() => void navigate({ to: '/bin' })}>
          {t`Bin`}
        </Menu.Item>
        {admin && (
          <>
            <Menu.Item
              leftSection={<Icon name="library" size={18} />}
              onClick={() => void navigate({ to: '/admin/queues' })}
            >
              {t`Queues`}
            </Menu.Item>
            <Menu.Item leftSection={<Icon name="settings" size={18} />} onClick={() => void navigate({ to: '/admin' })}>
              {t`Engines and models`}
            </Menu.Item>
          </>
        )}
        {permission() === 'default' && (
          <Menu.Item leftSection={<Icon name="bell" size={18} />} onClick={() => void turnOnNotifications()}>
            {t`Turn on notifications`}
          </Menu.Item>
        )}
        <Menu.Divider />
        <Menu.Label>{t`Appearance`}</Menu.Label>
        <Menu.RadioGroup value={colorScheme} onChange={(next) => setColorScheme(next as MantineColorScheme)}>
          {themes.map(({ value, icon, label }) => (
            <Menu.RadioItem key={value} value={value}>
              <span className={css['themeItem']}>
                <Icon name={icon} size={18} />
                {label}
              </span>
            </Menu.RadioItem>
          ))}
        </Menu.RadioGroup>
        <Menu.Divider />
        <Menu.Item
          leftSection={<Icon name="signOut" size={18} />}
          onClick={() =>
            void session.signOut().catch((error: unknown) => notifyError(t`Sign-out wasn’t confirmed`, error))
          }
        >
          {t`Sign out`}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

const themes = translateOnRead([
  { value: 'light', icon: 'sun', label: msg`Light` },
  { value: 'dark', icon: 'moon', label: msg`Dark` },
  { value: 'auto', icon: 'monitor', label: msg`System` },
]);

/** Reports that live updates have stopped, unless the connection returns within seconds. */
function ConnectionNote() {
  const state = useSyncExternalStore(push.state.subscribe, push.state.get);
  const connected = state === 'open' || state === 'off';
  const [late, setLate] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setLate(!connected), connected ? 0 : 4000);
    return () => clearTimeout(timer);
  }, [connected]);
  return (
    <div role="status" className={late ? css['offline'] : undefined}>
      {late ? t`Reconnecting. This page may be out of date.` : ''}
    </div>
  );
}

/** Moves the keyboard focus to the top of a new page, as after a full load. */
function useFocusOnNavigation(): void {
  const path = useRouterState({ select: (state) => state.location.pathname });
  const first = useRef(true);
  useEffect(() => {
    if (first.current) first.current = false;
    else document.getElementById('main')?.focus({ preventScroll: true });
  }, [path]);
}
