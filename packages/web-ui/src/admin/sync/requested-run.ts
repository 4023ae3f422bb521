import { useSyncExternalStore } from 'react';
import { observable } from '../../lib/observable.ts';

/**
 * A run that was requested on this page and has not started. It has no id yet: `lastRunId` is the newest run at that
 * time, and a different newest run means that the requested one has started.
 */
export const requestedRun = observable<{ readonly lastRunId: string | null } | null>(null);

export function useIsRunRequested(): boolean {
  return useSyncExternalStore(requestedRun.subscribe, requestedRun.get) !== null;
}
