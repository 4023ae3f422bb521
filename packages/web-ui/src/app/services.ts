import { call } from '../api/client.ts';
import { createQueryClient } from '../api/query-client.ts';
import { createLive } from '../live/live.ts';
import { progressStore } from '../live/progress-store.ts';
import { createPushSocket } from '../live/push-socket.ts';
import { transcriptVersions } from '../live/transcript-versions.ts';
import { createSession } from '../session/session.ts';
import { createUploads } from '../uploads/uploads-store.ts';

const storage = (): Storage | null => {
  try {
    return localStorage;
  } catch {
    return null;
  }
};

/** What lives as long as the page: the composition root of the browser side. */
export const queryClient = createQueryClient();

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
    progressStore.clear();
    transcriptVersions.clear();
  },
});

export const push = createPushSocket({
  probe: () => call('me'),
  onMessage: createLive({ queryClient, progress: progressStore, versions: transcriptVersions }),
});

export const uploads = createUploads({
  renew: session.renew,
  storage: storage(),
  onDone: () => void queryClient.invalidateQueries({ queryKey: ['files'] }),
});
