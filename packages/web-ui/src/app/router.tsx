import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Outlet,
  redirect,
} from '@tanstack/react-router';
import { meQuery } from '../api/queries.ts';
import { csrfToken } from '../api/cookies.ts';
import { ApiError } from '../api/problem.ts';
import { filterSearch, searchPageSearch } from '../lib/search-params.ts';
import { NotFoundPage, OutagePage, PagePending } from './pages.tsx';
import { onSessionEnd, queryClient } from './services.ts';
import { Shell } from './shell.tsx';

const rootRoute = createRootRoute({
  component: Outlet,
  notFoundComponent: NotFoundPage,
  errorComponent: OutagePage,
});

/** A path of this site to go on to after sign-in; anything else is ignored. */
const nextOf = (value: unknown): { next?: string } =>
  typeof value === 'string' && value !== '/' && /^\/(?![/\\])/.test(value) ? { next: value } : {};

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
    if (me.must_change_password && !href.startsWith('/change-password')) throw redirect({ to: '/change-password' });
  } catch (error) {
    if (error instanceof ApiError && error.status === 401) {
      throw redirect({ to: '/sign-in', search: nextOf(href) });
    }
    throw error;
  }
};

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
const adminRoute = createRoute({
  getParentRoute: () => insideRoute,
  path: '/admin',
  component: lazyRouteComponent(() => import('../admin/admin-page.tsx'), 'AdminPage'),
});

export const router = createRouter({
  routeTree: rootRoute.addChildren([
    signInRoute,
    passwordRoute,
    insideRoute.addChildren([libraryRoute, fileRoute, searchRoute, accountRoute, adminRoute]),
  ]),
  defaultPreload: 'intent',
  defaultPendingMs: 300,
  scrollRestoration: true,
  defaultPendingComponent: PagePending,
  defaultErrorComponent: OutagePage,
});

onSessionEnd(async (comeBack) => {
  if (router.state.location.pathname === '/sign-in') return;
  await router.navigate({ to: '/sign-in', search: comeBack ? nextOf(router.state.location.href) : {} });
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
