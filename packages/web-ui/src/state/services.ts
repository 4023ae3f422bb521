import { call } from '../api/client.ts';
import { fileQuery } from '../api/queries.ts';
import { createQueryClient } from '../api/query-client.ts';
import { createLive } from '../live/live.ts';
import { presenceStore } from '../live/presence-store.ts';
import { progressStore, summaryDrafts } from '../live/progress-store.ts';
import { createPushSocket } from '../live/push-socket.ts';
import { transcriptVersions } from '../live/transcript-versions.ts';
import { createSession } from './session.ts';
import { createUploads } from './uploads-store.ts';
import { createDrafts } from './drafts.ts';
import { createEventNotices } from './event-notices.ts';
import { clearNotices } from '../ui/notify.ts';
import { showNotice } from '../ui/show-notice.ts';

const storage = openStorage(() => localStorage);

/** The composition root of the browser: objects that live as long as the page. */
export const queryClient = createQueryClient();
export const drafts = createDrafts(storage);
/** Unsaved text of the pages that need no session. It is deleted with the tab: another person may use the browser next. */
export const guestDrafts = createDrafts(openStorage(() => sessionStorage));
guestDrafts.open('guest');

let goToSignIn: (returnHere: boolean) => Promise<void> = () => Promise.resolve();
/** Registers the navigation to the sign-in page. The router is created after the session. */
export function onSessionEnd(navigate: (returnHere: boolean) => Promise<void>): void {
  goToSignIn = navigate;
}

export const session = createSession({
  queryClient,
  goToSignIn: (returnHere) => goToSignIn(returnHere),
  onForget: () => {
    push.close();
    clearNotices();
    uploads.forget();
    drafts.close();
    progressStore.clear();
    summaryDrafts.clear();
    presenceStore.clear();
    transcriptVersions.clear();
  },
});

const live = createLive({
  queryClient,
  progress: progressStore,
  summaryDrafts,
  presence: presenceStore,
  versions: transcriptVersions,
});

function pathOf(fileId: string): string {
  return `/files/${fileId}`;
}
let openPath: (path: string) => void = () => undefined;
/** Registers the navigation to a path. The router is created after the push channel. */
export function onOpenPath(open: (path: string) => void): void {
  openPath = open;
}

function openStorage(find: () => Storage): Storage | null {
  try {
    return find();
  } catch {
    return null;
  }
}

const showEventNotice = createEventNotices({
  titleOf: async (fileId) => (await queryClient.fetchQuery(fileQuery(fileId))).title,
  isShown: (fileId) => document.visibilityState === 'visible' && location.pathname === pathOf(fileId),
  show: (text, fileId, isFailure) => showNotice(text, { fileId, isFailure, openFile: () => openPath(pathOf(fileId)) }),
});

export const push = createPushSocket({
  // Not as long as other requests: the page has no push until it ends.
  probe: () => call('GET /api/users/me', { signal: AbortSignal.timeout(10_000) }),
  onMessage: (message) => {
    live(message);
    void showEventNotice(message);
  },
});

// The browser reports only its own network; the push channel also notices when the server is back.
push.state.subscribe(() => {
  if (push.state.get() !== 'open') return;
  void queryClient.refetchQueries({ type: 'active', predicate: ({ state }) => state.status === 'error' });
});

export const uploads = createUploads({
  renew: session.renew,
  storage,
  onDone: () => void queryClient.invalidateQueries({ queryKey: ['files'] }),
  findReceived: async (url, size) => (await import('./tus.adapter.ts')).findReceived(url, size),
});
