import type { PushMessage } from '@overtone/contracts';
import type { QueryClient } from '@tanstack/react-query';
import type { DraftStore, ProgressStore } from './progress-store.ts';
import type { PresenceStore } from './presence-store.ts';
import { effectOf } from './push.ts';
import type { TranscriptVersions } from './transcript-versions.ts';

type Deps = {
  readonly queryClient: QueryClient;
  readonly progress: ProgressStore;
  readonly summaryDrafts: DraftStore;
  readonly presence: PresenceStore;
  readonly versions: TranscriptVersions;
};

/** Applies the effect of each push message to the caches. */
export function createLive(deps: Deps): (message: PushMessage) => void {
  const { queryClient, progress, summaryDrafts, presence, versions } = deps;
  const refetch = (keys: readonly (readonly string[])[]): void => {
    for (const queryKey of keys) void queryClient.invalidateQueries({ queryKey: [...queryKey] });
  };
  let isFirstGreeting = true;
  return (message) => {
    const effect = effectOf(message);
    switch (effect.kind) {
      case 'greeting':
        if (effect.resumed) return;
        // Files may have changed between the first responses and the first greeting. After a later connection that was
        // not resumed, anything may have changed.
        if (isFirstGreeting) refetch([['files'], ['file'], ['summary'], ['notifications']]);
        else void queryClient.invalidateQueries();
        isFirstGreeting = false;
        return;
      case 'refetch':
        return refetch(effect.keys);
      case 'ended':
        progress.drop(effect.fileId);
        return refetch(effect.keys);
      case 'transcript':
        if (!versions.isUnknown(effect.fileId, effect.version)) return;
        return refetch([
          ['file', effect.fileId],
          ['segments', effect.fileId],
        ]);
      case 'progress':
        return progress.set(effect.fileId, effect.progress);
      case 'summary-draft':
        return summaryDrafts.set(effect.fileId, effect.draft);
      case 'presence':
        return presence.receive(effect.fileId, effect.report);
      case 'removed':
        progress.drop(effect.fileId);
        return refetch([['files'], ['file', effect.fileId], ['search'], ['voices']]);
      case 'everything':
        void queryClient.invalidateQueries();
        return;
      case 'nothing':
        return;
    }
  };
}
