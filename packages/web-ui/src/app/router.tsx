import { createRootRoute, createRoute, createRouter, Outlet, redirect } from '@tanstack/react-router';
import { ApiError } from '@overtone/client';
import { meQuery, type User } from '../api/queries.ts';
import { accountState } from '../session/account-state.ts';
import { safeNext } from '../session/next-page.ts';
import { csrfToken } from '../api/cookies.ts';
import {
  askSearch,
  fileSearch,
  filterSearch,
  leadsToPassage,
  only,
  parseSearch,
  searchPageSearch,
  speakersSearch,
  stringifySearch,
  textSearch,
} from '../lib/search-params.ts';
import { lazyPage } from './lazy-page.tsx';
import { asMain, OutagePage, PagePending } from './pages.tsx';
import { NotFoundPage } from '../ui/not-found-page.tsx';
import { drafts, onOpenPath, onSessionEnd, queryClient } from '../state/services.ts';
import { Shell } from './shell.tsx';
import { UnsavedGuard } from '../ui/unsaved.tsx';

const rootRoute = createRootRoute({
  component: () => (
    <>
      <Outlet />
      <UnsavedGuard />
    </>
  ),
  notFoundComponent: asMain(NotFoundPage),
  errorComponent: asMain(OutagePage),
});

function nextOf(value: unknown): { next?: string } {
  const next = safeNext(value);
  return next === null ? {} : { next };
}

function nextSearch({ next }: Record<string, unknown>): { next?: string } {
  return nextOf(next);
}

/** @property ended the session ended without a sign-out */
function signInSearch({ next, ended }: Record<string, unknown>): { next?: string; ended?: true } {
  return { ...nextOf(next), ...(ended === 'true' || ended === true ? { ended: true } : {}) };
}

const signInRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/sign-in',
  validateSearch: only(signInSearch),
  component: lazyPage(() => import('../session/sign-in-page.tsx').then((module) => module.SignInPage)),
});

async function requireUser(href: string): Promise<void> {
  // The cookie exists as long as the session can be renewed. Without it no user is signed in.
  if (csrfToken() === '') throw redirect({ to: '/sign-in', search: nextOf(href) });
  try {
    const me = await queryClient.ensureQueryData(meQuery);
    // The forms need the drafts in their first render.
    drafts.open(me.uuid);
    const page = requiredPageOf(me);
    if (page !== null && !href.startsWith(page)) throw redirect({ to: page, search: nextOf(href) });
  } catch (error) {
    if (error instanceof ApiError && error.status === 401) {
      throw redirect({ to: '/sign-in', search: { ...nextOf(href), ended: true } });
    }
    throw error;
  }
}

/** The page that a user must see before any other; null for most users. */
function requiredPageOf(me: User): '/account-state' | '/change-password' | null {
  if (accountState(me) !== null) return '/account-state';
  return me.must_change_password ? '/change-password' : null;
}

const loginRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/login',
  validateSearch: only(textSearch),
  component: lazyPage(() => import('../session/login-page.tsx').then((module) => module.LoginPage)),
});
const registerRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/register',
  component: lazyPage(() => import('../session/register-page.tsx').then((module) => module.RegisterPage)),
});
const invitationRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/invitation',
  component: lazyPage(() => import('../session/invitation-page.tsx').then((module) => module.InvitationPage)),
});
const publicRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/public',
  component: lazyPage(() => import('../public-links/public-page.tsx').then((module) => module.PublicPage)),
});
const accountStateRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/account-state',
  validateSearch: only(nextSearch),
  beforeLoad: ({ location }) => requireUser(location.href),
  component: lazyPage(() => import('../session/account-state-page.tsx').then((module) => module.AccountStatePage)),
});

const insideRoute = createRoute({
  getParentRoute: () => rootRoute,
  id: 'inside',
  beforeLoad: ({ location }) => requireUser(location.href),
  component: Shell,
  errorComponent: asMain(OutagePage),
  pendingComponent: PagePending,
});
const passwordRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/change-password',
  validateSearch: only(nextSearch),
  beforeLoad: ({ location }) => requireUser(location.href),
  component: lazyPage(() => import('../session/change-password-page.tsx').then((module) => module.ChangePasswordPage)),
});

const libraryRoute = createRoute({
  getParentRoute: () => insideRoute,
  path: '/',
  validateSearch: only(filterSearch),
  component: lazyPage(() => import('../library/library-page.tsx').then((module) => module.LibraryPage)),
});
const binRoute = createRoute({
  getParentRoute: () => insideRoute,
  path: '/bin',
  component: lazyPage(() => import('../library/bin-page.tsx').then((module) => module.BinPage)),
});
const notificationsRoute = createRoute({
  getParentRoute: () => insideRoute,
  path: '/notifications',
  component: lazyPage(() =>
    import('../notifications/notifications-page.tsx').then((module) => module.NotificationsPage),
  ),
});
const collectionsRoute = createRoute({
  getParentRoute: () => insideRoute,
  path: '/collections',
  validateSearch: only(textSearch),
  component: lazyPage(() => import('../collections/collections-page.tsx').then((module) => module.CollectionsPage)),
});
const collectionRoute = createRoute({
  getParentRoute: () => insideRoute,
  path: '/collections/$uuid',
  component: lazyPage(() => import('../collections/collection-page.tsx').then((module) => module.CollectionPage)),
});
const codeListsRoute = createRoute({
  getParentRoute: () => insideRoute,
  path: '/codes',
  validateSearch: only(textSearch),
  component: lazyPage(() => import('../codes/code-lists-page.tsx').then((module) => module.CodeListsPage)),
});
const templatesRoute = createRoute({
  getParentRoute: () => insideRoute,
  path: '/export-templates',
  component: lazyPage(() => import('../exports/templates-page.tsx').then((module) => module.TemplatesPage)),
});
const codeListRoute = createRoute({
  getParentRoute: () => insideRoute,
  path: '/codes/$uuid',
  validateSearch: only(textSearch),
  component: lazyPage(() => import('../codes/code-list-page.tsx').then((module) => module.CodeListPage)),
});
const fileRoute = createRoute({
  getParentRoute: () => insideRoute,
  path: '/files/$uuid',
  validateSearch: only(fileSearch),
  component: lazyPage(() => import('../file/file-page.tsx').then((module) => module.FilePage)),
});
const searchRoute = createRoute({
  getParentRoute: () => insideRoute,
  path: '/search',
  validateSearch: only(searchPageSearch),
  component: lazyPage(() => import('../search/search-page.tsx').then((module) => module.SearchPage)),
});
const askRoute = createRoute({
  getParentRoute: () => insideRoute,
  path: '/ask',
  validateSearch: only(askSearch),
  component: lazyPage(() => import('../ask/ask-page.tsx').then((module) => module.AskPage)),
});
const accountRoute = createRoute({
  getParentRoute: () => insideRoute,
  path: '/account',
  component: lazyPage(() => import('../account/account-page.tsx').then((module) => module.AccountPage)),
});
const vocabularyRoute = createRoute({
  getParentRoute: () => insideRoute,
  path: '/vocabulary',
  component: lazyPage(() => import('../vocabulary/vocabulary-page.tsx').then((module) => module.VocabularyPage)),
});
const promptsRoute = createRoute({
  getParentRoute: () => insideRoute,
  path: '/prompts',
  component: lazyPage(() => import('../prompts/prompts-page.tsx').then((module) => module.PromptsPage)),
});
const speakersRoute = createRoute({
  getParentRoute: () => insideRoute,
  path: '/speakers',
  validateSearch: only(speakersSearch),
  component: lazyPage(() => import('../speakers/speakers-page.tsx').then((module) => module.SpeakersPage)),
});
/** Groups and administration share their navigation. */
const frameRoute = createRoute({
  getParentRoute: () => insideRoute,
  id: 'frame',
  component: lazyPage(() => import('../admin/admin-frame.tsx').then((module) => module.AdminFrame)),
});
const groupsRoute = createRoute({
  getParentRoute: () => frameRoute,
  path: '/groups',
  validateSearch: only(textSearch),
  component: lazyPage(() => import('../groups/groups-page.tsx').then((module) => module.GroupsPage)),
});
const groupRoute = createRoute({
  getParentRoute: () => frameRoute,
  path: '/groups/$uuid',
  component: lazyPage(() => import('../groups/group-page.tsx').then((module) => module.GroupPage)),
});
const overviewRoute = createRoute({
  getParentRoute: () => frameRoute,
  path: '/admin/overview',
  component: lazyPage(() => import('../admin/overview/overview-page.tsx').then((module) => module.OverviewPage)),
});
const usersRoute = createRoute({
  getParentRoute: () => frameRoute,
  path: '/admin/users',
  validateSearch: only(textSearch),
  component: lazyPage(() => import('../admin/users/users-page.tsx').then((module) => module.UsersPage)),
});
const userRoute = createRoute({
  getParentRoute: () => frameRoute,
  path: '/admin/users/$uuid',
  component: lazyPage(() => import('../admin/users/user-page.tsx').then((module) => module.UserPage)),
});
const approvalsRoute = createRoute({
  getParentRoute: () => frameRoute,
  path: '/admin/approvals',
  component: lazyPage(() => import('../admin/users/approvals-page.tsx').then((module) => module.ApprovalsPage)),
});
const authenticationRoute = createRoute({
  getParentRoute: () => frameRoute,
  path: '/admin/authentication/$category',
  component: lazyPage(() => import('../admin/auth/auth-page.tsx').then((module) => module.AuthPage)),
});
const auditRoute = createRoute({
  getParentRoute: () => frameRoute,
  path: '/admin/audit',
  validateSearch: only(textSearch),
  component: lazyPage(() => import('../admin/audit/audit-page.tsx').then((module) => module.AuditPage)),
});
const syncRoute = createRoute({
  getParentRoute: () => frameRoute,
  path: '/admin/directory-sync',
  component: lazyPage(() => import('../admin/sync/sync-page.tsx').then((module) => module.SyncPage)),
});
const syncRunRoute = createRoute({
  getParentRoute: () => frameRoute,
  path: '/admin/directory-sync/passes/$uuid',
  component: lazyPage(() => import('../admin/sync/run-page.tsx').then((module) => module.RunPage)),
});
const queuesRoute = createRoute({
  getParentRoute: () => frameRoute,
  path: '/admin/queues',
  validateSearch: only(textSearch),
  component: lazyPage(() => import('../admin/queues/queues-page.tsx').then((module) => module.QueuesPage)),
});
const backupsRoute = createRoute({
  getParentRoute: () => frameRoute,
  path: '/admin/backups',
  component: lazyPage(() => import('../admin/backups/backups-page.tsx').then((module) => module.BackupsPage)),
});
const mirrorRoute = createRoute({
  getParentRoute: () => frameRoute,
  path: '/admin/media-mirror',
  component: lazyPage(() => import('../admin/backups/mirror-page.tsx').then((module) => module.MirrorPage)),
});
const engineRoute = createRoute({
  getParentRoute: () => frameRoute,
  path: '/admin/engine',
  component: lazyPage(() => import('../admin/engine/engine-page.tsx').then((module) => module.EnginePage)),
});
const asrRoute = createRoute({
  getParentRoute: () => frameRoute,
  path: '/admin/asr',
  component: lazyPage(() => import('../admin/asr/asr-page.tsx').then((module) => module.AsrPage)),
});
const accuracyRoute = createRoute({
  getParentRoute: () => frameRoute,
  path: '/admin/accuracy',
  component: lazyPage(() => import('../admin/accuracy/accuracy-page.tsx').then((module) => module.AccuracyPage)),
});
const languageModelsRoute = createRoute({
  getParentRoute: () => frameRoute,
  path: '/admin/language-models',
  component: lazyPage(() =>
    import('../admin/language-models/language-models-page.tsx').then((module) => module.LanguageModelsPage),
  ),
});
const retentionRoute = createRoute({
  getParentRoute: () => frameRoute,
  path: '/admin/retention',
  component: lazyPage(() => import('../admin/retention/retention-page.tsx').then((module) => module.RetentionPage)),
});
const watchSourcesRoute = createRoute({
  getParentRoute: () => frameRoute,
  path: '/admin/watch-sources',
  component: lazyPage(() =>
    import('../admin/watch-sources/watch-sources-page.tsx').then((module) => module.WatchSourcesPage),
  ),
});
const legalHoldsRoute = createRoute({
  getParentRoute: () => frameRoute,
  path: '/admin/legal-holds',
  component: lazyPage(() => import('../admin/retention/legal-holds-page.tsx').then((module) => module.LegalHoldsPage)),
});
const erasuresRoute = createRoute({
  getParentRoute: () => frameRoute,
  path: '/admin/erasures',
  component: lazyPage(() => import('../admin/erasures/erasures-page.tsx').then((module) => module.ErasuresPage)),
});
const redactionRoute = createRoute({
  getParentRoute: () => frameRoute,
  path: '/admin/redaction',
  component: lazyPage(() => import('../admin/redaction/redaction-page.tsx').then((module) => module.RedactionPage)),
});
const labelsRoute = createRoute({
  getParentRoute: () => frameRoute,
  path: '/admin/labels',
  component: lazyPage(() => import('../admin/labels/labels-page.tsx').then((module) => module.LabelsPage)),
});
const voicesRoute = createRoute({
  getParentRoute: () => frameRoute,
  path: '/admin/voices',
  component: lazyPage(() => import('../admin/voices/voices-page.tsx').then((module) => module.VoicesPage)),
});
const publicLinksRoute = createRoute({
  getParentRoute: () => frameRoute,
  path: '/admin/public-links',
  component: lazyPage(() =>
    import('../admin/public-links/public-links-page.tsx').then((module) => module.PublicLinksPage),
  ),
});
const wordTemplatesRoute = createRoute({
  getParentRoute: () => frameRoute,
  path: '/admin/word-templates',
  component: lazyPage(() =>
    import('../admin/word-templates/word-templates-page.tsx').then((module) => module.WordTemplatesPage),
  ),
});
const organisationRoute = createRoute({
  getParentRoute: () => frameRoute,
  path: '/admin/organisation',
  component: lazyPage(() =>
    import('../admin/organisation/organisation-page.tsx').then((module) => module.OrganisationPage),
  ),
});
const searchAdminRoute = createRoute({
  getParentRoute: () => frameRoute,
  path: '/admin/search',
  component: lazyPage(() => import('../admin/search/search-admin-page.tsx').then((module) => module.SearchAdminPage)),
});
const adminRoute = createRoute({
  getParentRoute: () => frameRoute,
  path: '/admin',
  component: lazyPage(() => import('../admin/admin-page.tsx').then((module) => module.AdminPage)),
});

/** Whether the shown address is a new entry of the history, not one that the person went back to. */
let isNewEntry = false;

export const router = createRouter({
  routeTree: rootRoute.addChildren([
    signInRoute,
    loginRoute,
    registerRoute,
    invitationRoute,
    publicRoute,
    accountStateRoute,
    passwordRoute,
    insideRoute.addChildren([
      libraryRoute,
      binRoute,
      notificationsRoute,
      askRoute,
      collectionsRoute,
      collectionRoute,
      codeListsRoute,
      codeListRoute,
      templatesRoute,
      fileRoute,
      searchRoute,
      accountRoute,
      promptsRoute,
      vocabularyRoute,
      speakersRoute,
      frameRoute.addChildren([
        groupsRoute,
        groupRoute,
        overviewRoute,
        usersRoute,
        userRoute,
        approvalsRoute,
        authenticationRoute,
        syncRoute,
        syncRunRoute,
        auditRoute,
        queuesRoute,
        backupsRoute,
        mirrorRoute,
        engineRoute,
        asrRoute,
        accuracyRoute,
        languageModelsRoute,
        watchSourcesRoute,
        retentionRoute,
        legalHoldsRoute,
        erasuresRoute,
        redactionRoute,
        labelsRoute,
        voicesRoute,
        publicLinksRoute,
        wordTemplatesRoute,
        organisationRoute,
        searchAdminRoute,
        adminRoute,
      ]),
    ]),
  ]),
  parseSearch,
  stringifySearch,
  defaultPreload: 'intent',
  defaultPendingMs: 300,
  scrollRestoration: ({ location }) => !(isNewEntry && leadsToPassage(location.search)),
  defaultPendingComponent: PagePending,
  defaultErrorComponent: OutagePage,
});

router.history.subscribe(({ action }) => {
  isNewEntry = action.type === 'PUSH' || action.type === 'REPLACE';
});
onOpenPath((path) => void router.navigate({ to: path }));
onSessionEnd(async (returnHere) => {
  if (router.state.location.pathname === '/sign-in') return;
  await router.navigate({
    to: '/sign-in',
    search: returnHere ? { ...nextOf(router.state.location.href), ended: true } : {},
    // Without a session nothing can be saved. The drafts stay in the browser.
    ignoreBlocker: true,
  });
});

declare module '@tanstack/react-router' {
  // oxlint-disable-next-line typescript/consistent-type-definitions -- only an interface merges with the library's own
  interface Register {
    router: typeof router;
  }
}
