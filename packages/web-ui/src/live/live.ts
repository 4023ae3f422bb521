import type { PushMessage } from '@overtone/contracts';
import type { QueryClient } from '@tanstack/react-query';
import type { ProgressStore } from './progress-store.ts';
import { effectOf } from './push.ts';
import type { TranscriptVersions } from './transcript-versions.ts';

type Deps = {
  readonly queryClient: QueryClient;
  readonly progress: ProgressStore;
  readonly versions: TranscriptVersions;
};

/** Carries the effect of each push message into the caches. */
export const createLive = ({ queryClient, progress, versions }: Deps): ((message: PushMessage) => void) => {
  const refetch = (keys: readonly (readonly string[])[]): void => {
    for (const queryKey of keys) void queryClient.invalidateQueries({ queryKey: [...queryKey] });
  };
  let greeted = false;
  return (message) => {
    const effect = effectOf(message);
    switch (effect.kind) {
      case 'hello':
        if (effect.resumed) return;
        // Between the first answers and the first greeting something may have happened; without resumption, anything.
        if (greeted) void queryClient.invalidateQueries();
        else refetch([['files'], ['file']]);
        greeted = true;
        return;
      case 'refetch':
        return refetch(effect.keys);
      case 'settled':
        progress.drop(effect.fileId);
        return refetch(effect.keys);
      case 'transcript':
        if (!versions.isNews(effect.fileId, effect.version)) return;
        return refetch([
          ['file', effect.fileId],
          ['segments', effect.fileId],
        ]);
      case 'progress':
        return progress.set(effect.fileId, effect.progress);
      case 'removed':
        progress.drop(effect.fileId);
        return refetch([['files'], ['file', effect.fileId], ['search']]);
      case 'everything':
        void queryClient.invalidateQueries();
        return;
      case 'nothing':
        return;
    }
  };
};
