import { call } from '../api/client.ts';
import { fileQuery } from '../api/queries.ts';
import { createQueryClient } from '../api/query-client.ts';
import { createLive } from '../live/live.ts';
import { progressStore } from '../live/progress-store.ts';
import { createPushSocket } from '../live/push-socket.ts';
import { transcriptVersions } from '../live/transcript-versions.ts';
import { createSession } from '../session/session.ts';
import { createUploads } from '../uploads/uploads-store.ts';
import { createDrafts } from './drafts.ts';
import { createEventNotices } from './event-notices.ts';
import { showNotice } from './show-notice.ts';

const storage = (): Storage | null => {
  try {
    return localStorage;
  } catch {
    return null;
  }
};

/** What lives as long as the page: the composition root of the browser side. */
export const queryClient = createQueryClient();
export const drafts = createDrafts(storage());

let toSignIn: (comeBack: boolean) => Promise<void> = () => Promise.resolve();
/** The router is made after the session; it tells here where sign-in is. */
export const onSessionEnd = (go: (comeBack: boolean) => Promise<void>): void => {
  toSignIn = go;
};

export const session = createSession({
  queryClient,
  goToSignIn: (comeBack) => toSignIn(comeBack),
  onForget: () => {
    push.close();
    uploads.forget();
    drafts.close();
    progressStore.clear();
    transcriptVersions.clear();
  },
});

const live = createLive({ queryClient, progress: progressStore, versions: transcriptVersions });

const pathOf = (fileId: string): string => `/files/${fileId}`;
let openPath: (path: string) => void = () => undefined;
/** The router is created after the push channel. */
export const onOpenPath = (open: (path: string) => void): void => {
  openPath = open;
};
const announce = createEventNotices({
  titleOf: async (fileId) => (await queryClient.fetchQuery(fileQuery(fileId))).title,
  isShown: (fileId) => document.visibilityState === 'visible' && location.pathname === pathOf(fileId),
  show: (words, fileId) => showNotice(words, fileId, () => openPath(pathOf(fileId))),
});

export const push = createPushSocket({
  probe: () => call('me'),
  onMessage: (message) => {
    live(message);
    void announce(message);
  },
});

// The browser reports only its own network; the push channel also notices when the server is back.
push.state.subscribe(() => {
  if (push.state.get() !== 'open') return;
  void queryClient.refetchQueries({ type: 'active', predicate: ({ state }) => state.status === 'error' });
});

export const uploads = createUploads({
  renew: session.renew,
  storage: storage(),
  onDone: () => void queryClient.invalidateQueries({ queryKey: ['files'] }),
});
