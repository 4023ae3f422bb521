import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Outlet,
  redirect,
} from '@tanstack/react-router';
import { meQuery, type User } from '../api/queries.ts';
import { accountState } from '../session/account-state.ts';
import { safeNext } from '../session/next-page.ts';
import { csrfToken } from '../api/cookies.ts';
import { ApiError } from '../api/problem.ts';
import { filterSearch, searchPageSearch, textSearch } from '../lib/search-params.ts';
import { NotFoundPage, OutagePage, PagePending } from './pages.tsx';
import { onSessionEnd, queryClient } from './services.ts';
import { Shell } from './shell.tsx';

const rootRoute = createRootRoute({
  component: Outlet,
  notFoundComponent: NotFoundPage,
  errorComponent: OutagePage,
});

const nextOf = (value: unknown): { next?: string } => {
  const next = safeNext(value);
  return next === null ? {} : { next };
};

const signInRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/sign-in',
  validateSearch: (search: Record<string, unknown>) => nextOf(search['next']),
  component: lazyRouteComponent(() => import('../session/sign-in-page.tsx'), 'SignInPage'),
});

const requireUser = async (href: string): Promise<void> => {
  // This cookie lives as long as a session can be renewed: without it there is nobody to ask about.
  if (csrfToken() === '') throw redirect({ to: '/sign-in', search: nextOf(href) });
  try {
    const me = await queryClient.ensureQueryData(meQuery);
    const place = placeOf(me);
    if (place !== null && !href.startsWith(place)) throw redirect({ to: place });
  } catch (error) {
    if (error instanceof ApiError && error.status === 401) {
      throw redirect({ to: '/sign-in', search: nextOf(href) });
    }
    throw error;
  }
};

/** Where somebody must go first, whatever they asked for. */
const placeOf = (me: User): '/account-state' | '/change-password' | null => {
  if (accountState(me) !== null) return '/account-state';
  return me.must_change_password ? '/change-password' : null;
};

const loginRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/login',
  validateSearch: textSearch,
  component: lazyRouteComponent(() => import('../session/login-page.tsx'), 'LoginPage'),
});
const registerRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/register',
  component: lazyRouteComponent(() => import('../session/register-page.tsx'), 'RegisterPage'),
});
const accountStateRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/account-state',
  beforeLoad: ({ location }) => requireUser(location.href),
  component: lazyRouteComponent(() => import('../session/account-state-page.tsx'), 'AccountStatePage'),
});

const insideRoute = createRoute({
  getParentRoute: () => rootRoute,
  id: 'inside',
  beforeLoad: ({ location }) => requireUser(location.href),
  component: Shell,
  errorComponent: OutagePage,
  pendingComponent: PagePending,
});
const passwordRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/change-password',
  beforeLoad: ({ location }) => requireUser(location.href),
  component: lazyRouteComponent(() => import('../session/change-password-page.tsx'), 'ChangePasswordPage'),
});

const libraryRoute = createRoute({
  getParentRoute: () => insideRoute,
  path: '/',
  validateSearch: filterSearch,
  component: lazyRouteComponent(() => import('../library/library-page.tsx'), 'LibraryPage'),
});
const fileRoute = createRoute({
  getParentRoute: () => insideRoute,
  path: '/files/$uuid',
  validateSearch: (search: Record<string, unknown>): { t?: number; play?: boolean; q?: string } => ({
    ...(typeof search['t'] === 'number' && search['t'] >= 0 ? { t: search['t'] } : {}),
    ...(search['play'] === true || search['play'] === 1 ? { play: true } : {}),
    ...(typeof search['q'] === 'string' ? { q: search['q'] } : {}),
  }),
  component: lazyRouteComponent(() => import('../file/file-page.tsx'), 'FilePage'),
});
const searchRoute = createRoute({
  getParentRoute: () => insideRoute,
  path: '/search',
  validateSearch: searchPageSearch,
  component: lazyRouteComponent(() => import('../search/search-page.tsx'), 'SearchPage'),
});
const accountRoute = createRoute({
  getParentRoute: () => insideRoute,
  path: '/account',
  component: lazyRouteComponent(() => import('../account/account-page.tsx'), 'AccountPage'),
});
/** Groups and administration share their navigation. */
const frameRoute = createRoute({
  getParentRoute: () => insideRoute,
  id: 'frame',
  component: lazyRouteComponent(() => import('../admin/admin-frame.tsx'), 'AdminFrame'),
});
const groupsRoute = createRoute({
  getParentRoute: () => frameRoute,
  path: '/groups',
  validateSearch: textSearch,
  component: lazyRouteComponent(() => import('../groups/groups-page.tsx'), 'GroupsPage'),
});
const groupRoute = createRoute({
  getParentRoute: () => frameRoute,
  path: '/groups/$uuid',
  component: lazyRouteComponent(() => import('../groups/group-page.tsx'), 'GroupPage'),
});
const usersRoute = createRoute({
  getParentRoute: () => frameRoute,
  path: '/admin/users',
  validateSearch: textSearch,
  component: lazyRouteComponent(() => import('../admin/users/users-page.tsx'), 'UsersPage'),
});
const userRoute = createRoute({
  getParentRoute: () => frameRoute,
  path: '/admin/users/$uuid',
  component: lazyRouteComponent(() => import('../admin/users/user-page.tsx'), 'UserPage'),
});
const approvalsRoute = createRoute({
  getParentRoute: () => frameRoute,
  path: '/admin/approvals',
  component: lazyRouteComponent(() => import('../admin/users/approvals-page.tsx'), 'ApprovalsPage'),
});
const authenticationRoute = createRoute({
  getParentRoute: () => frameRoute,
  path: '/admin/authentication/$category',
  component: lazyRouteComponent(() => import('../admin/auth/auth-page.tsx'), 'AuthPage'),
});
const auditRoute = createRoute({
  getParentRoute: () => frameRoute,
  path: '/admin/audit',
  validateSearch: textSearch,
  component: lazyRouteComponent(() => import('../admin/audit/audit-page.tsx'), 'AuditPage'),
});
const syncRoute = createRoute({
  getParentRoute: () => frameRoute,
  path: '/admin/directory-sync',
  component: lazyRouteComponent(() => import('../admin/sync/sync-page.tsx'), 'SyncPage'),
});
const passRoute = createRoute({
  getParentRoute: () => frameRoute,
  path: '/admin/directory-sync/passes/$uuid',
  component: lazyRouteComponent(() => import('../admin/sync/pass-page.tsx'), 'PassPage'),
});
const queuesRoute = createRoute({
  getParentRoute: () => frameRoute,
  path: '/admin/queues',
  validateSearch: textSearch,
  component: lazyRouteComponent(() => import('../admin/queues/queues-page.tsx'), 'QueuesPage'),
});
const adminRoute = createRoute({
  getParentRoute: () => frameRoute,
  path: '/admin',
  component: lazyRouteComponent(() => import('../admin/admin-page.tsx'), 'AdminPage'),
});

export const router = createRouter({
  routeTree: rootRoute.addChildren([
    signInRoute,
    loginRoute,
    registerRoute,
    accountStateRoute,
    passwordRoute,
    insideRoute.addChildren([
      libraryRoute,
      fileRoute,
      searchRoute,
      accountRoute,
      frameRoute.addChildren([
        groupsRoute,
        groupRoute,
        usersRoute,
        userRoute,
        approvalsRoute,
        authenticationRoute,
        syncRoute,
        passRoute,
        auditRoute,
        queuesRoute,
        adminRoute,
      ]),
    ]),
  ]),
  defaultPreload: 'intent',
  defaultPendingMs: 300,
  scrollRestoration: true,
  defaultPendingComponent: PagePending,
  defaultErrorComponent: OutagePage,
});

onSessionEnd(async (comeBack) => {
  if (router.state.location.pathname === '/sign-in') return;
  await router.navigate({
    to: '/sign-in',
    search: comeBack ? nextOf(router.state.location.href) : {},
    // Without a session nothing can be saved: a form with changes holds nobody back.
    ignoreBlocker: true,
  });
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
