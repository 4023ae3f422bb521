import { useSyncExternalStore } from 'react';
import type { Progress } from './push.ts';

/** Live progress by file. Outside the query cache: four updates per second must not re-render unchanged data. */
export type ProgressStore = {
  readonly get: (fileId: string) => Progress | null;
  readonly set: (fileId: string, progress: Progress) => void;
  readonly drop: (fileId: string) => void;
  readonly clear: () => void;
  readonly subscribe: (listener: () => void) => () => void;
};

export function createProgressStore(): ProgressStore {
  const values = new Map<string, Progress>();
  const listeners = new Set<() => void>();
  const notifyListeners = (): void => {
    for (const listener of listeners) listener();
  };
  return {
    get: (fileId) => values.get(fileId) ?? null,
    set: (fileId, progress) => {
      values.set(fileId, progress);
      notifyListeners();
    },
    drop: (fileId) => {
      if (values.delete(fileId)) notifyListeners();
    },
    clear: () => {
      values.clear();
      notifyListeners();
    },
    subscribe: (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}

export const progressStore = createProgressStore();

export function useProgress(fileId: string): Progress | null {
  return useSyncExternalStore(progressStore.subscribe, () => progressStore.get(fileId));
}
